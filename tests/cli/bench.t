#!/bin/sh
# SPDX-License-Identifier: MIT
# What every benchmark program promises: exit statuses and messages.  tests/unit/programs.c reads the JSON.
. "$(dirname "$0")/tap.sh"
bin=$build/bench

# status WANT COMMAND...: names the command if it exits with another status.
status() {
	want=$1
	shift
	"$@" >"$tmp/said" 2>&1 </dev/null
	[ $? -eq "$want" ] || echo "$*: not $want: $(head -1 "$tmp/said")"
}

# What depends on the tables of each program: usage, and words that are no parameters of it.
programs=0
for program in "$bin"/*; do
	case $program in *.o | *.d) continue ;; esac
	[ -x "$program" ] && [ -f "$program" ] || continue
	programs=$((programs + 1))
	status 0 "$program" -h
	grep -q "^usage: ${program##*/} " "$tmp/said" || echo "$program -h: no usage"
	grep -q "^Operation: " "$tmp/said" || echo "$program -h: what one operation is"
	[ "$(wc -l <"$tmp/said")" -le 40 ] || echo "$program -h: over 40 lines"
	status 2 "$program" no-such-word
done >"$tmp/out"
[ $programs -ge 93 ] && [ ! -s "$tmp/out" ]
ok $? "each of $programs programs has a usage, and refuses what is no parameter"

# What bench_main checks by itself, with one program.
check 1 "-L on a full disk" full "$bin/lat_syscall" -L
check 2 "an unknown option" "$bin/lat_syscall" -Z getppid
check 2 "a bad duration" "$bin/lat_syscall" -T 1x getppid
check 2 "no batch" "$bin/lat_syscall" -B 0 getppid
check 0 "single operations with cold caches" "$bin/lat_syscall" -1 -B 5 getppid
check 1 "-J on a full disk" full "$bin/lat_syscall" -J getppid
check 2 "a batch of no time" "$bin/lat_syscall" -T 0
check 2 "an unknown clock" "$bin/lat_syscall" -C sundial
check 3 "no line is passed to the same CPU" "$bin/lat_c2c" -P same
if [ "$(nproc)" -gt 1 ]; then
	check 0 "all lines are passed to another" "$bin/lat_c2c" -B 2 -P apart 4k
else
	skip "one CPU"
fi
# Without the address sanitizer's quarantine, where freed blocks are not used again for long.
check 0 "a thousand blocks, each of which is freed" \
	env ASAN_OPTIONS="${ASAN_OPTIONS-}:quarantine_size_mb=0:thread_local_quarantine_size_kb=0" \
	"$bin/lat_malloc" -B 2 16 1000
check 3 "there is no such CPU" "$bin/lat_roundtrip" -P 0,1023 pipe 1
check 2 "one party has no other CPU" "$bin/lat_syscall" -P other
check 2 "two operations in one" "$bin/lat_syscall" -1N 2
check 2 "or in a single one" "$bin/lat_syscall" -F 4k -N 2 getppid
check 2 "cold caches and filled ones" "$bin/lat_syscall" -1 -F 4k getppid
check 2 "more than is touched" "$bin/lat_syscall" -F 1g getppid

# What needs many descriptors says so before it fails.
while read -r needy; do
	# shellcheck disable=SC2086
	(ulimit -n 40 && exec "$bin/${needy%% *}" ${needy#* }) >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 3 ] && grep -q "open files" "$tmp/err"
	ok $? "$needy with 40 descriptors is not supported"
done <<'END'
lat_epoll wait 1000
lat_poll 1000
lat_ready poll 1000
lat_dup 1000
lat_ctx shared 0 16
lat_connect tcp
lat_sendfds 64
END

# Parameters that tests/unit/programs.c leaves at their defaults; each program checks its work, of which noise may
# leave nothing to report.
while read -r work; do
	# shellcheck disable=SC2086
	"$bin/${work%% *}" -J -G -T 100us -B 2 -D "$tmp" ${work#* } >"$tmp/out" 2>"$tmp/err"
	case $? in 0 | 3) ;; *) grep -q "nothing to report" "$tmp/err" ;; esac
	ok $? "$work"
done <<'END'
lat_sync atomic 1
lat_sync mutex 1
lat_direct read random 8
lat_direct write sequential 8
lat_membarrier private 1
lat_pages dontneed 64k 1
bw_file read 64k 64m
lat_rename 1000
END

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

cpus=$(taskset -pc $$ 2>/dev/null | sed -n 's/.*: \([0-9]*\)[-,]\([0-9]*\).*/\1 \2/p')
if [ -n "$cpus" ]; then
	check 0 "parties on two CPUs" "$bin/lat_roundtrip" -J -B 2 -P "${cpus#* },${cpus% *}" pipe 1
	says "\"cpu\": ${cpus#* }, \"peer_cpu\": ${cpus% *}" "are where they were sent"
	check 0 "unmapping beside a thread" "$bin/lat_pages" -J -B 2 munmap 4k 1
	says '"threaded": true' "there is one"
else
	skip "one CPU only, or no taskset"
fi

# A second thread is a dimension of its own.
check 0 "in a process of two threads" "$bin/lat_syscall" -JM -B 2 getppid
is "$(entry)" lat_syscall_getppid@threaded "which is in the name"
says '"threaded": true' "and is reported"
check 0 "in a process of one" "$bin/lat_syscall" -J -B 2 getppid
says '"threaded": false' "there is no second thread unasked"
done_testing
