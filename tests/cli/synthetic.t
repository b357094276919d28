#!/bin/sh
# SPDX-License-Identifier: MIT
# The synthetic application, whose times the selftest predicts, makes exactly the calls that it says.
build=$(cd "${O:-build}" && pwd) || exit 1
ktranal=$build/bin/ktranal
synthetic=$build/tests/bench/synthetic
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

ok() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

cd "$tmp" || exit 1
for args in "" "no-such=1" "read" "read=x" "read:0=1" "getppid:4=1" "-c 0 read=1" "read=1 :=1"; do
	# shellcheck disable=SC2086
	"$synthetic" $args >out 2>err
	[ $? -eq 2 ] && [ ! -s out ] && [ -s err ]
	ok $? "bad usage: synthetic $args"
done
"$synthetic" -n read=7 >/dev/full 2>err
[ $? -eq 1 ]
ok $? "a full disk"
[ "$("$synthetic" -t 3 getppid=1 | grep -c '^[0-9.e-]* [0-9.e-]*$')" -eq 3 ]
ok $? "-t prints two numbers for each run"

if ! "$ktranal" record -q -o probe.ktr -- true 2>err; then
	echo "ok $((n + 1)) # SKIP $(head -1 err)"
	echo "1..$((n + 1))"
	exit 0
fi

# The runtime of the address sanitizer makes calls of its own, as chance has it.
if grep -q __asan_init "$synthetic"; then
	echo "ok $((n + 1)) # SKIP the program is built with a sanitizer: no two runs are alike"
	echo "1..$((n + 1))"
	exit 0
fi

# counts FILE WORD...: calls and how often each is made.  The C library draws random numbers as it
# likes.
counts() {
	file=$1
	shift
	"$ktranal" record -q -o "$file.ktr" -- "$synthetic" "$@" || echo "status $?"
	"$ktranal" dump --csv "$file.ktr" | cut -d, -f5 | grep -v getrandom |
		awk 'NR > 1 { calls[$0]++ } END { for (c in calls) print c, calls[c] }' >"$file"
}

# exact WORD...: no mix may make a call more or less than it says, beyond those of an empty one.
exact() {
	what=$*
	counts mix "$@"
	# shellcheck disable=SC2046
	counts none $(printf '%s\n' "$@" | sed 's/=.*/=0/')
	"$synthetic" -n "$@" >said
	awk 'FILENAME == "none" { calls[$1] -= $2 }
		FILENAME == "mix" { calls[$1] += $2 }
		FILENAME == "said" { rough += sub(/\+$/, "", $1); said[$1]; calls[$1] -= $2 }
		END { for (c in calls) if (rough ? c in said && calls[c] < 0 : calls[c]) print c, calls[c] }' \
		none mix said >wrong
	[ -s said ] && [ ! -s wrong ]
	ok $? "the calls of $what"
	sed 's/^/#   /' wrong
}

exact getppid=101 read=103 read:64=107 write=109 append=113 fsync=3 commit=5
exact open=127 open:8=131 stat=137 stat:4=139 missing:2=149 file=37
exact pipe=151 unix:4k=157 udp=163 tcp=167 connect=7
exact turn=173 turn-tcp:1k=179
exact epoll=181 poll:3=191 futex=193
exact mmap=197 touch=11 brk=199 signal=211 work=13
exact -c 1 -s 3 pipe:1=223 read:1=227 work=3
for mix in fork=13 exec=11 thread=17; do
	exact "$mix"
done
echo "1..$n"
