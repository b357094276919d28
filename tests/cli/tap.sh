# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# tap.sh - what the tests in sh share; they begin with  . "$(dirname "$0")/tap.sh"
#
# The test runs in the directory of the sources, $source; $build is where they were built; both are
# absolute.  $tmp goes when the test ends; $tmp/out and $tmp/err hold what was printed last, and are shown
# with a test that fails.
unset CDPATH
cd "$(dirname "$0")/../.." || exit 1
source=$PWD
build=$(cd "${O:-build}" && pwd) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

# ok STATUS WHAT: passed when STATUS is 0; its own status is that.
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

# is GOT WANT WHAT: both words are the same.
is() {
	[ "$1" = "$2" ]
	ok $? "$3" || printf '#   got %s, want %s\n' "$1" "$2"
}

# skip WHY: a test that cannot be made here.
skip() {
	n=$((n + 1))
	echo "ok $n # SKIP $1"
}

# check STATUS WHAT COMMAND...: the command ends with STATUS; a failure is told on stderr alone.
check() {
	want=$1 what=$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ $got -eq "$want" ] && { [ "$want" -eq 0 ] || { [ ! -s "$tmp/out" ] && [ -s "$tmp/err" ]; }; }
	ok $? "$what" || echo "#   status $got, want $want"
}

# said WORDS: what was printed last holds them, however its lines are broken.
said() {
	cat "$tmp/out" "$tmp/err" | tr -s ' \n' '  ' | grep -q -F -e "$1"
}

# says WORDS WHAT, lacks WORDS WHAT: it does, it does not.
says() {
	said "$1"
	ok $? "$2"
}

lacks() {
	! said "$1"
	ok $? "$2"
}

# full COMMAND...: with a full disk as its output.
full() {
	"$@" >/dev/full
}

# Waits up to 5 s until a command succeeds.
until_ok() {
	tries=100
	until "$@" 2>/dev/null; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

# The plan, and the end.
done_testing() {
	echo "1..$n"
	exit 0
}
