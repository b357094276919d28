# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# tap.sh - shared by the tests in sh, which begin with  . "$(dirname "$0")/tap.sh"
#
# The working directory is $source, the sources; $build is the build directory; both are absolute.  $tmp is removed
# when the test ends; $tmp/out and $tmp/err hold the last output of a command, and are printed when a test fails.
unset CDPATH
cd "$(dirname "$0")/../.." || exit 1
source=$PWD
build=$(cd "${O:-build}" && pwd) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

# ok STATUS WHAT: passes when STATUS is 0; returns that status.
ok() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
		return 0
	fi
	echo "not ok $n - $2"
	for file in out err; do
		[ ! -s "$tmp/$file" ] || sed "s/^/#   $file: /" "$tmp/$file" | head -40
	done
	return 1
}

# is GOT WANT WHAT: passes when both strings are equal.
is() {
	[ "$1" = "$2" ]
	ok $? "$3" || printf '#   got %s, want %s\n' "$1" "$2"
}

# same GOT WANT WHAT: passes when both files are equal; else the difference is shown.
same() {
	diff "$1" "$2" >"$tmp/diff" 2>&1
	ok $? "$3"
	sed 's/^/#   /' "$tmp/diff" | head -20
}

# skip WHY: for a test that cannot run on this machine.
skip() {
	n=$((n + 1))
	echo "ok $n # SKIP $1"
}

# check STATUS WHAT COMMAND...: passes when the command exits with STATUS; if that is not 0, output must be on
# stderr only.
check() {
	want=$1 what=$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ $got -eq "$want" ] && { [ "$want" -eq 0 ] || { [ ! -s "$tmp/out" ] && [ -s "$tmp/err" ]; }; }
	ok $? "$what" || echo "#   status $got, want $want"
}

# said WORDS: true if the last output contains them, wherever its lines are broken.
said() {
	cat "$tmp/out" "$tmp/err" | tr -s ' \n' '  ' | grep -q -F -e "$1"
}

# says WORDS WHAT, lacks WORDS WHAT: passes when the last output does, or does not, contain the words.
says() {
	said "$1"
	ok $? "$2"
}

lacks() {
	! said "$1"
	ok $? "$2"
}

# browse PAGE <SCRIPT: runs SCRIPT behind the page's own ones in a browser, with an array to push what is seen to, and prints
# that, joined by semicolons; what the console says is a failure.
browse() {
	browser=$(command -v chromium chromium-browser google-chrome | head -1)
	if [ -z "$browser" ]; then
		skip "no chromium here"
		return 1
	fi
	{
		cat "$1"
		echo '<script>const said = [];'
		cat
		echo "document.body.append(make('pre', { id: 'said', textContent: said.join(';') }));</script>"
	} >"$tmp/browsed.html"
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/chromium" --enable-logging=stderr --dump-dom \
		"file://$tmp/browsed.html" >"$tmp/out" 2>"$tmp/log"
	ended=$?
	grep -i console "$tmp/log" >"$tmp/err"
	[ $? -eq 1 ]
	ok $? "the browser's console stays empty"
	said=$(sed -n 's/.*<pre id="said">\(.*\)<\/pre>.*/\1/p' "$tmp/out" | sed 's/&lt;/</g;s/&gt;/>/g')
	# On stderr, which is seen: not only that a test of the page failed, but that there was none.
	[ -n "$said" ] || { echo "# the browser ended with status $ended and said nothing:" && tail -3 "$tmp/log"; } >&2
	rm "$tmp/out"
}

# value KEY: of the JSON object that was printed last, if that is a number or a short string.
value() {
	tr -d '\n' <"$tmp/out" | sed -n "s/.*\"$1\": \([^,}]*\)[,}].*/\1/p"
}

# two_log >FILE: a log of strace, 504.1 ms of two processes.  The parent works for 400 ms and writes into a pipe; the
# child, who has waited, works for 100 ms and exits; the parent has waited for that.
two_log() {
	cat <<-'X'
		100 1700000000.000000 execve("/bin/demo", ["demo"], 0x7f /* 1 var */) = 0 <0.001000>
		100 1700000000.002000 pipe2([3</proc/1/fd/pipe:[77]>, 4</proc/1/fd/pipe:[77]>], 0) = 0 <0.000010>
		100 1700000000.003000 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 101 <0.000100>
		101 1700000000.004000 read(3<pipe:[77]>, "x"..., 100) = 10 <0.399500>
		100 1700000000.403000 write(4<pipe:[77]>, "x"..., 10) = 10 <0.000010>
		101 1700000000.503000 exit_group(0) = ?
		101 1700000000.503100 +++ exited with 0 +++
		100 1700000000.404000 wait4(101, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 101 <0.099200>
		100 1700000000.504000 exit_group(0) = ?
		100 1700000000.504100 +++ exited with 0 +++
	X
}

# chain_log >FILE: the same of three processes.  Twice the first one writes, at 300 and 350 ms, for which the second has
# waited, who writes at 340 and 380 ms, for which the third has waited.
chain_log() {
	cat <<-'X'
		100 1700000000.000000 execve("/bin/first", ["first"], 0x7f /* 1 var */) = 0 <0.001000>
		100 1700000000.001000 pipe2([3</proc/1/fd/pipe:[77]>, 4</proc/1/fd/pipe:[77]>], 0) = 0 <0.000010>
		100 1700000000.001100 pipe2([5</proc/1/fd/pipe:[78]>, 6</proc/1/fd/pipe:[78]>], 0) = 0 <0.000010>
		100 1700000000.001200 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 101 <0.000100>
		100 1700000000.001400 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 102 <0.000100>
		101 1700000000.001350 execve("/bin/second", ["second"], 0x7f /* 1 var */) = 0 <0.001000>
		102 1700000000.002000 execve("/bin/third", ["third"], 0x7f /* 1 var */) = 0 <0.001000>
		101 1700000000.004000 read(3<pipe:[77]>, "x"..., 10) = 10 <0.296000>
		100 1700000000.299990 write(4<pipe:[77]>, "x"..., 10) = 10 <0.000010>
		102 1700000000.004000 read(5<pipe:[78]>, "x"..., 10) = 10 <0.336000>
		101 1700000000.339990 write(6<pipe:[78]>, "x"..., 10) = 10 <0.000010>
		101 1700000000.341000 read(3<pipe:[77]>, "x"..., 10) = 10 <0.009000>
		100 1700000000.349990 write(4<pipe:[77]>, "x"..., 10) = 10 <0.000010>
		102 1700000000.345000 read(5<pipe:[78]>, "x"..., 10) = 10 <0.035000>
		101 1700000000.379990 write(6<pipe:[78]>, "x"..., 10) = 10 <0.000010>
		100 1700000000.360000 exit_group(0) = ?
		100 1700000000.360100 +++ exited with 0 +++
		101 1700000000.390000 exit_group(0) = ?
		101 1700000000.390100 +++ exited with 0 +++
		102 1700000000.400000 exit_group(0) = ?
		102 1700000000.400100 +++ exited with 0 +++
	X
}

# whole NAME: whether the trace $tmp/NAME.ktr has all events; where some were lost, causes are rightly unknown.
whole() {
	"$build/bin/cea" --json "$tmp/$1.ktr" >"$tmp/out" 2>"$tmp/err" && [ "$(value lost_ns)" = 0 ]
}

# taken [SINCE]: the seconds that interrupts and the host have taken from programs, in all or, at most, since that was printed.
# To a trace they are work of whoever had the CPU, and the CPU time that a program sees does not have them.
taken() {
	awk -v hz="$(getconf CLK_TCK)" -v since="${1-0.05}" '$1 == "cpu" { print ($7 + $8 + $9) / hz - since + 0.05 }' /proc/stat
}

# full COMMAND...: runs it with a full disk as its output.
full() {
	"$@" >/dev/full
}

# chosen TEXT WORD...: true if there are no words, or TEXT begins with one; words are patterns.
chosen() {
	text=$1
	shift
	[ $# -gt 0 ] || return 0
	for word; do
		# shellcheck disable=SC2254
		case $text in
		$word*) return 0 ;;
		esac
	done
	return 1
}

# until_ok COMMAND...: waits up to 30 s until it succeeds.
until_ok() {
	tries=600
	until "$@" 2>/dev/null; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

# done_testing: prints the plan, exits.
done_testing() {
	echo "1..$n"
	exit 0
}
