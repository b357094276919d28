#!/bin/sh
# SPDX-License-Identifier: MIT
# What every benchmark program promises: exit statuses and messages.  tests/unit/programs.c reads the JSON.
. "$(dirname "$0")/tap.sh"
bin=$build/bench

for program in "$bin"/*; do
	case $program in *.o | *.d) continue ;; esac
	[ -x "$program" ] && [ -f "$program" ] || continue
	name=${program##*/}
	check 0 "$name -h" "$program" -h
	grep -q '^usage: ' "$tmp/out"
	ok $? "$name -h shows its usage"
	check 0 "$name -L" "$program" -L
	check 1 "$name -L on a full disk" full "$program" -L
	check 2 "$name: unknown option" "$program" -Z
	check 2 "$name: bad duration" "$program" -T 1x
	check 2 "$name: bad count" "$program" -B 0
	check 2 "$name: unknown word" "$program" no-such-word
done

# What bench_main checks by itself, with one program.
check 0 "single operations with cold caches" "$bin/lat_syscall" -1 -B 5 getppid
check 1 "-J on a full disk" full "$bin/lat_syscall" -J getppid
check 2 "a batch of no time" "$bin/lat_syscall" -T 0
check 2 "an unknown clock" "$bin/lat_syscall" -C sundial
check 3 "no line is passed to the same CPU" "$bin/lat_c2c" -P same
check 2 "one party has no other CPU" "$bin/lat_syscall" -P other
check 2 "two operations in one" "$bin/lat_syscall" -1N 2
check 2 "or in a single one" "$bin/lat_syscall" -F 4k -N 2 getppid
check 2 "cold caches and filled ones" "$bin/lat_syscall" -1 -F 4k getppid
check 2 "more than is touched" "$bin/lat_syscall" -F 1g getppid

# The placement is in the name of the entry unless the program has it unasked.
entry() { sed -n 's/^{"entry": "\([^"]*\)".*/\1/p' "$tmp/out"; }
check 0 "connected ends are apart" "$bin/lat_send" -J -B 2 unix 1
is "$(entry)" lat_send_unix_1 "which is not in the name"
check 0 "cold caches are" "$bin/lat_syscall" -J -1 -B 5 getppid
is "$(entry)" lat_syscall_getppid@cold "in the name"
check 0 "what is touched before each call is" "$bin/lat_recv" -J -B 2 -F 16384 unix 1
is "$(entry)" lat_recv_unix_1@after=16k "in the name"
says '"curve": "lat_recv_unix_*@after=16k", "size": 1, "footprint": 16384,' "and beside the size"
check 0 "unless they are asked to be together" "$bin/lat_send" -J -B 2 -P same unix 1
is "$(entry)" lat_send_unix_1@same "which is"

check 0 "parties anywhere" "$bin/lat_roundtrip" -J -B 2 -P free pipe 1
says '"UNSEEN"' "do not hide that others are not seen"
check 0 "parties on one CPU" "$bin/lat_roundtrip" -J -B 2 -P same pipe 1
! grep -q UNSEEN "$tmp/out"
ok $? "see them"

mkdir "$tmp/a b"
check 3 "libraries below a directory with a blank" "$bin/lat_exec" -D "$tmp/a b" 3
says "no path with a blank or a colon" "cannot be preloaded, which is said"
(ulimit -f 1 && "$bin/bw_file" -D "$tmp" write 64k) >"$tmp/out" 2>"$tmp/err"
[ $? -eq 1 ] && grep -q "only [0-9]* of 65536 bytes fitted" "$tmp/err"; ok $? "a file that may not be as long is no missing file"

# A second thread is a dimension of its own.
check 0 "in a process of two threads" "$bin/lat_syscall" -JM -B 2 getppid
is "$(entry)" lat_syscall_getppid@threaded "which is in the name"
says '"threaded": true' "and is reported"
check 0 "in a process of one" "$bin/lat_syscall" -J -B 2 getppid
says '"threaded": false' "there is no second thread unasked"
done_testing
