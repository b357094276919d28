#!/bin/sh
# SPDX-License-Identifier: MIT
# physics.t [WORD...]: only the rows with a benchmark that begins with a word; "details" is
# what is no row.
#
# Bounds that physics, arithmetic or another measurement sets to what the benchmarks report.
# Nothing here depends on how fast or how busy the machine is: noise only adds, so the least batch
# of what must be shorter is compared with the usual one of what must be longer.  Each benchmark is
# measured by three processes, in three passes through all: what disturbs one comparison for a while
# is over when its benchmarks are measured again.  Known work, with bounds on both sides, is in
# tests/unit.
. "$(dirname "$0")/tap.sh"
if grep -q __asan_init "$build/bench/lat_syscall"; then
	echo "1..0 # SKIP a sanitizer makes calls and takes time of its own"
	exit 0
fi
bin=$build/bench
mkdir "$tmp/known" "$tmp/files"

# member KEY: its value in the JSON object on stdin
member() {
	sed -n "s/.*\"$1\": \([^],}]*\).*/\1/p"
}

# take PROGRAM [OPTIONS] PARAMETERS...: a process of it, the first in this pass.
take() {
	known=$tmp/known/$(echo "$*" | tr ' /' '__')
	[ ! -e "$known" ] || [ "$(wc -l <"$known")" -lt $pass ] || return
	program=$1
	shift
	"$bin/$program" -J -B 5 -D "$tmp/files" "$@" >>"$known" 2>"$tmp/why" </dev/null
	[ "$(wc -l <"$known")" -ge $pass ] || sed 's/^/# /; q' "$tmp/why" | tee -a "$known"
}

# measure KEY PROGRAM [OPTIONS] PARAMETERS...: the member KEY, seconds per operation, of 3 processes:
# the middle "seconds", of others the least; "unsupported" when the program says so, nothing when it
# fails.
measure() {
	key=$1
	shift
	for pass in 1 2 3; do
		take "$@" >&2
	done
	if grep -q '"unsupported"' "$known"; then
		echo unsupported
	else
		member "$key" <"$known" | sort -g | sed -n "$([ "$key" = seconds ] && echo 2 || echo 1)p"
	fi
}

# scale K X: their product, or X when that is no number
scale() {
	case $2 in
	"" | unsupported) echo "$2" ;;
	*) awk "BEGIN { print $1 * $2 }" ;;
	esac
}

is_below() { [ -n "$1" ] && [ -n "$2" ] && awk "BEGIN { exit !($1 < $2) }"; }

# below A B WHAT: A < B
below() {
	if [ "$1" = unsupported ] || [ "$2" = unsupported ]; then
		skip "$3: not supported here"
	else
		is_below "$1" "$2"
		ok $? "$3: ${1:-nothing} < ${2:-nothing}"
	fi
}

# each_row COMMAND: runs it with "$factor", "$left", "$right" and "$what" of the rows that were chosen.
#
# A row is FACTOR | LEFT | RIGHT | WHAT: FACTOR times LEFT is below RIGHT.  Where the two may be nearly equal, 0.8
# is left to noise.  LEFT and RIGHT are benchmarks, or the time of a cycle (none turns at 6.7 GHz), or of a byte at
# 1 TB/s.
each_row() {
	while IFS='|' read -r factor left right what; do
		"$@"
	done <"$tmp/rows"
}

choose_row() {
	case $factor in
	"#"* | "") return ;;
	esac
	left=${left# } right=${right# } what=${what# }
	# shellcheck disable=SC2086
	[ -z "$words" ] || chosen "$left" $words || chosen "$right" $words || return
	echo "$factor|${left% }|${right% }|$what" >>"$tmp/chosen"
}

# with COMMAND BENCHMARK: runs it with the program and its parameters, unless that is a constant.
with() {
	# shellcheck disable=SC2086
	case $2 in
	*cycle | *byte | *second) ;;
	null) $1 lat_syscall getppid ;;
	*) $1 $2 ;;
	esac
}

take_row() {
	with take "$left"
	with take "$right"
}

# time_of KEY BENCHMARK
time_of() {
	case $2 in
	*cycle) echo 1.5e-10 ;;
	*byte) echo 1e-12 ;;
	*second) echo 1 ;;
	*) with "measure $1" "$2" ;;
	esac
}

check_row() {
	below "$(scale "$factor" "$(time_of minimum "$left")")" "$(time_of seconds "$right")" "$what"
}

words=$*
cat >"$tmp/rows" <<'END'
# calls
20	| cycle | null | a null call takes 20 cycles
0.8	| null | second | and less than a second
0.8	| null | lat_syscall dup | dup and close are two calls
20	| cycle | lat_syscall read | a read takes 20 cycles
100	| cycle | lat_sig handle | a signal takes 100 cycles
2	| cycle | lat_clock coarse | a clock takes 2 cycles
100	| cycle | lat_ctx shared 0 2 | a switch takes 100 cycles
0.5	| null | lat_fslayer | a write of one byte is a call
2	| null | lat_brk | growing and shrinking are two calls

# the processor
10	| cycle | cpu_int | ten digits take 10 cycles
10	| cycle | cpu_branch | 20 bytes take 10 cycles
4	| cycle | cpu_fp | a division takes 4 cycles
50	| cycle | cpu_code | 9 calls and 100 instructions take 50 cycles
100	| cycle | cpu_vm | 87 instructions of bytecode take 100 cycles
8	| cycle | cpu_hash | 8 dependent multiplications take 8 cycles

# memory
1024	| bw_mem_rd 32k | bw_mem_rd 64m | memory is read at less than twice the speed of a cache
1024	| bw_mem_wr 32k | bw_mem_wr 64m | and written
67108864 | byte | bw_mem_rd 64m | memory gives less than 1 TB/s
32	| cycle | bw_mem_rd 8k | a cache gives at most 256 bytes a cycle
32	| cycle | bw_mem_wr 8k | and takes no more
32	| cycle | bw_bzero 8k | a cache clears at most 256 bytes a cycle
32	| cycle | bw_mem_cp 8k libc aligned | and copies no more
0.8	| bw_mem_rd 64m | bw_mem_cp 64m unrolled aligned | copying is reading, and writing
0.5	| bw_mem_rd 1m | bw_mmap_rd 1m | a mapping is read no faster than memory
2	| cycle | lat_mem_rd 16k random 4k | no cache answers within 2 cycles
5	| lat_mem_rd 16k random 4k | lat_mem_rd 64m random 4k | memory is far
2	| lat_mem_rd 64m stride 4k | lat_mem_rd 64m random 4k | prefetchers cannot predict random order
0.8	| null | lat_mprotect 4k | protecting is a call
0.8	| lat_mprotect 4k | lat_mprotect 4m | 1024 pages take longer than one
2	| null | lat_mmap 64k | mapping and unmapping are two calls
100	| cycle | lat_pagefault anon | a fault takes 100 cycles
100	| cycle | lat_pagefault file | on a file too
0.8	| bw_mem_rd 4k | lat_pagefault cow | copying on write reads a page

# two processes
2	| null | lat_roundtrip pipe | a round trip enters the kernel twice at least
2	| null | lat_roundtrip tcp | and by TCP
2	| lat_roundtrip pipe | lat_roundtrip pipe 64k | 64 KB travel longer than 1 byte
131072	| byte | lat_roundtrip pipe 64k | and at less than 1 TB/s
10	| bw_stream pipe 4k | bw_stream pipe 1m | 1 MB takes a pipe longer than 4 KB
1048576	| byte | bw_stream pipe 1m | at less than 1 TB/s
0.8	| lat_futex wake | lat_futex pingpong | waking nobody is less than a round trip

# one end at a time
0.8	| null | lat_send pipe 1 | sending is a call
0.8	| null | lat_recv pipe 1 | receiving is a call
3	| lat_send unix 1 | lat_send unix 64k | sending 64 KB takes longer than 1 byte
3	| lat_recv unix 1 | lat_recv unix 64k | and receiving
0.8	| lat_send tcp 1 | lat_roundtrip tcp 1 | a round trip over TCP holds sends
0.8	| lat_recv tcp 1 | lat_roundtrip tcp 1 | and receives
2	| lat_sendfile 1k | lat_sendfile 256k | 256 KB of a file are sent longer than 1 KB
2	| null | lat_connect tcp | connecting is two calls
0.6	| lat_connect -P same tcp | lat_accept tcp | accepting holds connecting
2	| null | lat_accept_close tcp | accepting and closing are two calls
0.8	| lat_recv -P same tcp 1 | lat_recv tcp 1 | what another CPU has written has to be fetched
0.8	| lat_send -P same unix 1 | lat_send unix 1 | and what it has read
0.8	| null | lat_epoll wait 10 | epoll_wait is a call
0.8	| null | lat_epoll ctl 10 | epoll_ctl is a call
5	| lat_poll 1 | lat_poll 1000 | a thousand descriptors are polled longer than one

# the same with cold caches, which are emptied behind the preparation
2	| null | lat_syscall -1 getppid | a cold call takes twice as long
2	| lat_recv unix 1 | lat_recv -1 unix 1 | and receiving what has arrived
2	| lat_epoll wait 10 | lat_epoll -1 wait 10 | and waiting for an event that was raised
2	| lat_connect tcp | lat_connect -1 tcp | and connecting
2	| lat_mem_rd 16k random 4k | lat_mem_rd -1 16k random 4k | and loads
0.8	| lat_truncate | lat_truncate -1 | a file is truncated no faster
0.8	| lat_pagefault anon | lat_pagefault -1 anon | nor a page touched

# single calls after other code and data, from what fits the first cache to what fits none
0.8	| null | lat_syscall -F 0 getppid | a single call takes no less than one of many
1.5	| lat_syscall -F 16k getppid | lat_syscall -F 8m getppid | 8 MB take more away than 16 KB
0.5	| lat_syscall -F 8m getppid | lat_syscall -1 getppid | and cold caches as much
0.2	| lat_syscall -1 getppid | lat_syscall -F 32m getppid | and so do 32 MB, of which a last level may keep what was there
0.8	| lat_path stat 4 | lat_path -F 16k stat 4 | a path is not walked faster
1.5	| lat_path -F 16k stat 4 | lat_path -F 8m stat 4 | nor after 8 MB
1.5	| lat_recv -F 16k unix 1 | lat_recv -F 8m unix 1 | what was prepared is taken away as well

# mixtures of calls
0.8	| lat_accept_close tcp | mix_server 0 | a request holds a connection
0.8	| lat_fs create 0 | mix_files 0 | a new file is created
0.8	| lat_proc simple static | mix_process 0 | a command is a program

# a switch, and what holds it
0.8	| lat_ctx shared 0 2 | lat_roundtrip pipe 1 | a round trip holds a switch

# files
0.8	| null | bw_file read 1 | reading a file is a call
0.8	| null | bw_file write 1 | and writing
20	| bw_file read 1 | bw_file read 1m | reading 1 MB takes longer than 1 byte
20	| bw_file write 1 | bw_file write 1m | and writing
0.8	| bw_file write 4k | lat_fsync fdatasync 4k | syncing holds a write
0.8	| null | bw_file append 1 | appending is a call
5	| bw_file append 1 | bw_file append 64k | 64 KB behind the end take longer than 1 byte
0.8	| bw_file append 4k | lat_fsync fsync-grow 4k | syncing what was appended holds a write
2	| null | lat_fsync fsync-cpu 4k | a sync is two calls of CPU time
0.8	| lat_fsync fsync-cpu 4k | lat_fsync fsync 4k | a sync takes no more CPU time than time
0.8	| lat_path stat 1 | lat_path stat 16 | long paths are walked longer
0.8	| lat_path stat 1 | lat_path open 1 | opening holds the walk that stat makes
0.8	| lat_path open 1 | lat_fs create 0 | creating holds opening
0.8	| null | lat_fs delforw 0 | deleting is a call
0.8	| null | lat_rename | renaming is a call
0.8	| null | lat_truncate | truncating is a call
5	| lat_getdents 1 | lat_getdents 1000 | a thousand names are listed longer than one
2	| null | lat_lock fcntl | locking and unlocking are two calls
2	| null | lat_lock flock | of a whole file too

# processes
0.8	| lat_thread | lat_proc null | a process is more than a thread
0.8	| lat_proc null | lat_proc simple static | a program is more than a process
0.8	| lat_proc simple static | lat_proc simple dynamic | linking takes time
0.8	| lat_proc simple static | lat_proc sh static | a shell is a program more
0.8	| lat_proc vfork static | lat_proc simple static | vfork copies no tables
0.8	| lat_proc spawn static | lat_proc sh static | a shell is more than posix_spawn
3	| lat_fork 1m | lat_fork 64m | page tables take time to copy
0.8	| lat_proc vfork static | lat_exec 0 | linking takes time
0.8	| lat_exec 0 | lat_exec 30 | and more with libraries

2	| null | lat_timerfd expire | arming a timer and reading it are two calls
0.8	| null | lat_timerfd read | reading one that has expired is one
526	| lat_sleep 1000 exact | second | a thousandth of a second is slept, not two

# threads, locks, signals
0.8	| lat_sync mutex 0 | lat_sync semop 0 | a free mutex is no call
2	| null | lat_sync semop 0 | down and up are two calls
0.8	| lat_sync atomic 0 | lat_sync atomic 1 | a line that two CPUs write moves
2	| null | lat_handoff eventfd | a round trip is two calls at least
0.8	| lat_pages munmap 4k 0 | lat_pages touch 4k 0 | mapping, writing and unmapping holds unmapping
3	| lat_pages munmap 4k 0 | lat_pages munmap 1m 0 | 256 pages take longer than one
3	| lat_pagefault anon | lat_pagefault huge | 2 MB are cleared longer than 4 KB
0.8	| lat_pagefault zero | lat_pagefault cow | copying takes longer than the page of zeros
2	| null | lat_sig wait | a signal sent and taken is two calls
1.1	| null | lat_seccomp 1024 | a filter takes time
1.1	| lat_seccomp 1024 number | lat_seccomp 1024 | the kernel remembers what it says of a number alone
5	| lat_random 16 | lat_random 4k | 256 times the bytes take longer

# the processor
0.8	| cycle | lat_op add | an addition takes a cycle
3	| lat_op add | lat_op div | a division more than three
1.3	| lat_tlb 4096 packed | lat_tlb 4096 spread | 4096 pages are more than 4096 lines
1.3	| lat_line 8 | lat_line 512 | two lines take longer than one
20	| cycle | lat_c2c -P apart 64 | a line goes to another CPU and back in 20 cycles at least
2	| lat_c2c -P apart 64 | lat_c2c -P apart 64k | a thousand lines take longer
2	| lat_mem_par 64m 8 | lat_mem_par 64m 1 | eight chains miss at once
2.5	| cpu_search 32k | cpu_search 32m | a large index takes longer
1	| lat_mem_rd 32m random 4k | cpu_search 32m | and the caches lack its last steps

# from above: what is done once for n costs no more than what is done n times for one; half is left to noise and to
# what no longer fits a cache
0.0005	| lat_poll 1000 | lat_poll 1 | a thousand descriptors are polled no longer than a thousand times one
0.0005	| lat_getdents 1000 | lat_getdents 1 | and names listed
0.002	| bw_file read 1m | bw_file read 4k | 1 MB is read no longer than 256 times 4 KB
0.002	| bw_file write 1m | bw_file write 4k | and written
0.002	| lat_pages munmap 1m 0 | lat_pages munmap 4k 0 | and unmapped
0.002	| bw_stream pipe 1m | bw_stream pipe 4k | and sent through a pipe
0.03	| lat_send unix 64k | lat_send unix 4k | 64 KB are sent no longer than 16 times 4 KB
0.03	| lat_recv unix 64k | lat_recv unix 4k | and received
0.002	| lat_random 4k | lat_random 16 | 4 KB are random no longer than 256 times 16 bytes
0.001	| lat_pagefault huge | lat_pagefault anon | a huge page is cleared no longer than 512 small ones
0.0005	| lat_mprotect 4m | lat_mprotect 4k | 1024 pages are protected no longer than as often one
0.008	| lat_fork 64m | lat_fork 1m | a process of 64 times the size is forked no longer than as often
4.7e-7	| bw_mem_rd 64m | lat_mem_rd 64m random 4k | lines read in order take no longer than at random
0.05	| lat_op mul | lat_op add | a multiplication takes no 20 cycles
0.005	| lat_op div | lat_op add | a division no 200
0.3	| mix_process 0 | lat_proc simple static | the other calls of a command take less than its process
0.1	| mix_files 0 | lat_fs create 0 | eleven calls on files take less than ten new files
0.1	| lat_roundtrip unix 1 | lat_ctx shared 0 2 | a round trip is two switches and four calls
END

each_row choose_row
touch "$tmp/chosen" && mv "$tmp/chosen" "$tmp/rows"
for pass in 1 2 3; do
	each_row take_row
done
each_row check_row

chosen details "$@" || done_testing

# say CONDITION WHAT: one test of an awk condition
say() {
	awk "BEGIN { exit !($1) }"
	ok $? "$2"
}

# The time of a fixed number of operations fits into what the process used, and is most of it.
"$bin/lat_syscall" -J -B 1 -N 1000000 getppid >"$tmp/fixed"
total=$(scale 1e6 "$(member seconds <"$tmp/fixed")")
below "$total" "$(member wall <"$tmp/fixed")" "a million calls fit into the process"
say "$(member iterations <"$tmp/fixed") == 1000000" "and are a million"

# lasts COMMAND...: the seconds of a batch.
lasts() { scale "$("$@" -J -B 5 | tee "$tmp/lasts" | member iterations)" "$(member minimum <"$tmp/lasts")"; }
length=$(lasts "$bin/cpu_int")
say "$length > 0.0025 && $length < 0.02" "a batch of work without calls lasts 10 ms: $length"
length=$(lasts "$bin/lat_syscall" getppid)
say "$length > 0.0002 && $length < 0.002" "one of calls 1 ms: $length"

# Faults are counted by the kernel: one to an operation, and few to the rest of the program.
faults=$("$bin/lat_pagefault" -J -B 5 -N 1000 anon | member faults)
if [ "$faults" = 0 ]; then
	skip "a fault an operation: this kernel counts none"
else
	say "$faults >= 1 && $faults < 1.5" "a fault an operation: $faults"
fi

# What writes to new memory faults once a page.
counted=$faults
for what in "lat_pages touch 16k" "lat_pages heap 16k" "lat_pagefault cow" "lat_pagefault shmem"; do
	# shellcheck disable=SC2086
	faults=$("$bin/${what%% *}" -J -B 5 -N 200 ${what#* } | member faults)
	pages=1
	[ "${what#*16k}" = "$what" ] || pages=4
	if [ "$counted" = 0 ]; then
		skip "$what: this kernel counts no faults"
	else
		say "$faults >= $pages && $faults < 1.5 * $pages" "$what: $faults faults"
	fi
done

# Bytes are declared as they are moved.
say "$("$bin/bw_stream" -J -B 1 tcp 4k | member bytes) == 4096" "4k are 4096 bytes"
say "$("$bin/lat_roundtrip" -J -B 1 pipe 4k | member bytes) == 8192" "there and back, twice as many"
say "$("$bin/bw_mem_rd" -J -B 1 64m | member bytes) == 67108864" "64m are 67108864 bytes"

# What a switch costs without the reading that goes with it, which takes ten times as long here.
if "$bin/lat_ctx" -J -B 20 shared 256k 2 >"$tmp/switch" 2>"$tmp/err"; then
	say "$(member minimum <"$tmp/switch") < $(member overhead <"$tmp/switch") / 2" \
		"the reading is subtracted from a switch"
else
	grep -q 'nothing to report' "$tmp/err"
	ok $? "the reading is subtracted from a switch, and nothing is left here"
fi

# What never sleeps uses a CPU all the time.
below "$(scale 0.5 "$(measure minimum lat_syscall getppid)")" "$(measure cpu_seconds lat_syscall getppid)" \
	"a call needs CPU time"
below "$(scale 0.5 "$(measure cpu_seconds lat_syscall getppid)")" "$(measure seconds lat_syscall getppid)" \
	"and no more than it takes"

# Who waits for another process leaves the CPU: each of two once for two operations.
say "$("$bin/lat_ctx" -J -B 5 shared 0 2 | member switches) > 0.3" "a switch is counted as one"
say "$("$bin/lat_sleep" -J -B 5 100 | member switches) >= 1" "one to a sleep, which no one forced"

# CPU time is not wall time.
below "$(measure cpu_seconds lat_sleep 1000)" 5e-4 "a sleep of 1 ms needs little CPU time"

# What a mixture subtracts is what its program touches.
below "$(scale 10 "$(measure overhead mix_files 0)")" "$(measure overhead mix_files 64k)" \
	"64 KB of data and code take time"

# The same operation by two clocks.
"$bin/lat_syscall" -J -C clock getppid | member clock >"$tmp/clock"
grep -q clock "$tmp/clock"
ok $? "-C clock times by the system's clock"
by_clock="lat_syscall -C clock getppid" by_counter="lat_syscall getppid"
# shellcheck disable=SC2086
below "$(scale 0.6 "$(measure minimum $by_clock)")" "$(measure seconds $by_counter)" \
	"the counter is not faster than the clock"
# shellcheck disable=SC2086
below "$(scale 0.6 "$(measure minimum $by_counter)")" "$(measure seconds $by_clock)" "nor slower"

# Nothing stays behind.
[ -z "$(ls "$tmp/files")" ]
ok $? "no file is left"
done_testing
