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
