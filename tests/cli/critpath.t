#!/bin/sh
# SPDX-License-Identifier: MIT
# critpath from the command line, on a log of two processes and a pipe, and on a recorded pipeline.
. "$(dirname "$0")/tap.sh"
critpath=$build/bin/critpath

two_log >"$tmp/two.log"
chain_log >"$tmp/chain.log"
cat >"$tmp/sleep.log" <<'X'
100 1700000000.000000 execve("/bin/demo", ["demo"], 0x7f /* 1 var */) = 0 <0.001000>
100 1700000000.002000 nanosleep({tv_sec=0, tv_nsec=500000000}, NULL) = 0 <0.500000>
100 1700000000.503000 exit_group(0) = ?
X
check 0 "the path of a log of strace" "$critpath" "$tmp/two.log"
says "all of the time" "it tiles the time"
says "demo user" "and is that of the program's work"
says "first bottleneck: demo user" "the bottleneck is named"
says "no queue limits the run" "and that no loop is one"
says "unexplained 0.0 %, in gaps of the trace 0.0 %, guessed 0.1 % and 2 of 2 changes of thread" "and how much of it is a guess"
check 0 "options without a command" "$critpath" --by thread --csv "$tmp/two.log"
says "share,seconds" "are those of path"
check 0 "as JSON" "$critpath" path --json "$tmp/two.log"
is "$(value elapsed_seconds)" 0.504100000 "from the first to the last event"
is "$(value sum_seconds)" 0.504100000 "the sum of the steps is the time"
is "$(value unknown_seconds)" 0.000000000 "nothing is unexplained"
[ "$(value guessed_seconds)" != 0.000000000 ]
ok $? "causes that nobody names are guesses"
says '"bottleneck": {"program": "demo", "state": "user", "seconds": 0.00171, "saves": 0.99660' "the bottleneck is named"
says '"loops": []' "and that no loop is one"
check 0 "by thread" "$critpath" path --by thread --csv "$tmp/two.log"
is "$(awk -F, '{ n += $3 } END { print n }' "$tmp/out")" "$("$critpath" path "$tmp/two.log" | sed -n 's/.* in \([0-9]*\) steps.*/\1/p')" \
	"rows have all steps"
awk -F, '$5 == 100 && $2 > 0.400 && $2 < 0.406 { a = 1 } $5 == 101 && $2 > 0.098 && $2 < 0.101 { b = 1 } END { exit !(a && b) }' \
	"$tmp/out"
ok $? "400 ms of the parent, 100 of the child"
check 0 "by process" "$critpath" path --by process --csv "$tmp/chain.log"
is "$(awk -F, 'NR > 1 { printf "%s %d %.0f;", $4, $7, $2 * 1000 }' "$tmp/out")" "first 100 350;second 101 30;third 102 20;" \
	"each has its own time, and its name"
check 0 "by resource" "$critpath" path --by resource --csv "$tmp/sleep.log"
is "$(awk -F, 'NR > 1 { printf "%s %.0f;", $8, $2 * 1000 }' "$tmp/out")" "timer 500;cpu 3;" "calls need a CPU, and waits what ends them"
check 0 "anchored to the child" "$critpath" path -t 101 --json "$tmp/two.log"
is "$(value sum_seconds)" "$(value elapsed_seconds)" "the path tiles the time"
awk "BEGIN { exit !($(value elapsed_seconds) < 0.501) }"
ok $? "from its birth on"
check 0 "from before that on" "$critpath" path -t 101 --from 0.001 --json "$tmp/two.log"
awk "BEGIN { exit !($(value elapsed_seconds) < 0.501) }"
ok $? "it begins there, too"
cat >"$tmp/again.log" <<'L'
100 1700000000.000000 clone(child_stack=NULL, flags=SIGCHLD) = 101 <0.000100>
101 1700000000.100000 exit_group(0) = ?
101 1700000000.100000 +++ exited with 0 +++
100 1700000000.200000 clone(child_stack=NULL, flags=SIGCHLD) = 101 <0.000100>
101 1700000000.350000 exit_group(0) = ?
101 1700000000.350000 +++ exited with 0 +++
L
check 0 "anchored to a number that two had" "$critpath" path -t 101 --json "$tmp/again.log"
awk "BEGIN { exit !($(value elapsed_seconds) > 0.149 && $(value elapsed_seconds) < 0.151) }"
ok $? "it is the last of them"
cat >"$tmp/reused.log" <<'L'
200 1700000000.000000 execve("/bin/sh", ["sh"], 0x7f /* 1 var */) = 0 <0.000100>
201 1700000000.000000 execve("/bin/wc", ["wc"], 0x7f /* 1 var */) = 0 <0.000100>
201 1700000000.001000 read(0<pipe:[77]>, "x"..., 16384) = 2941 <0.098912>
200 1700000000.050000 execve("/bin/gzip", ["gzip"], 0x7f /* 1 var */) = 0 <0.000100>
200 1700000000.099896 write(1<pipe:[77]>, "x"..., 2941) = 2941 <0.000005>
200 1700000000.099950 exit_group(0) = ?
200 1700000000.099960 +++ exited with 0 +++
201 1700000000.100170 write(1</tmp/out>, "2941\n", 5) = 5 <0.000019>
201 1700000000.100200 exit_group(0) = ?
201 1700000000.100300 +++ exited with 0 +++
L
check 0 "an object, a process that become others" "$critpath" path --csv "$tmp/reused.log"
is "$(awk -F, '$6 == "user" && $2 > 0.04 { print $4 }' "$tmp/out" | xargs)" "sh gzip" "what they were before belongs to that"
sed 's/^200 //; /^201/d' "$tmp/reused.log" >"$tmp/nobody.log"
check 0 "a log without numbers of processes" "$critpath" "$tmp/nobody.log"
says "1 thread, elapsed 100 ms" "is of one thread"
sed -n 1p "$tmp/two.log" >"$tmp/one.log"
check 0 "a single call" "$critpath" "$tmp/one.log"
says "1 thread, elapsed" "is of one thread"
says " in 1 step, all" "and one step"
for pid in 100 101; do
	echo "$pid 1700000000.000000 execve(\"/bin/p$pid\", [\"p$pid\"], 0x7f /* 1 var */) = 0 <0.000100>"
	echo "$pid 1700000000.100000 +++ exited with 0 +++"
done | sort -k 2 >"$tmp/equal.log"
check 0 "two programs that end at the same time" "$critpath" --json "$tmp/equal.log"
says '"bottleneck": null' "of which none alone is the bottleneck"
cat >"$tmp/asleep.txt" <<'L'
app 100 [000] 10.000000: sched:sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=100 next_prio=120
app 100 [000] 10.010000: sched:sched_switch: prev_comm=app prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120
swapper 0 [000] 10.050000: sched:sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=100 next_prio=120
app 100 [000] 10.060000: sched:sched_switch: prev_comm=app prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120
L
cat >"$tmp/step.log" <<'L'
100 1700000000.000000 execve("/bin/demo", ["demo"], 0x7f /* 1 var */) = 0 <0.001000>
100 1700000000.300000 getpid() = 100 <0.000010>
100 1699999999.400000 getpid() = 100 <0.000010>
100 1699999999.500000 getpid() = 100 <0.000010>
L
check 0 "a clock that was set back" "$critpath" "$tmp/step.log"
says "an event is 900 ms earlier than the one before it: the clock was set" "is said"
check 0 "a trace without wake-ups" "$critpath" "$tmp/asleep.txt"
says "1 waits have an unknown end" "that nobody is known to have ended a wait is said"
sed 's/prev_pid=100 prev_prio=120 prev_state=S/prev_pid=100 prev_prio=120 prev_state=R/' "$tmp/asleep.txt" >"$tmp/preempted.txt"
check 0 "one of a thread without a CPU for most of the time" "$critpath" "$tmp/preempted.txt"
says "first bottleneck: app runnable (waiting for a CPU)" "its bottleneck is explained"
cat >"$tmp/names.txt" <<'L'
first 100 [000] 10.000000: sched:sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=first next_pid=100 next_prio=120
first 100 [000] 10.001000: raw_syscalls:sys_enter: NR 39 (0, 0, 0, 0, 0, 0)
first 100 [000] 10.001010: raw_syscalls:sys_exit: NR 39 = 100
first 100 [000] 10.101000: raw_syscalls:sys_enter: NR 59 (0, 0, 0, 0, 0, 0)
second 100 [000] 10.101400: sched:sched_process_exec: filename=/bin/second pid=100 old_pid=100
second 100 [000] 10.101500: raw_syscalls:sys_exit: NR 59 = 0
second 100 [000] 10.301500: raw_syscalls:sys_enter: NR 39 (0, 0, 0, 0, 0, 0)
second 100 [000] 10.301510: raw_syscalls:sys_exit: NR 39 = 100
second 100 [000] 10.301600: sched:sched_switch: prev_comm=second prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120
L
check 0 "two programs of one process" "$critpath" path --csv "$tmp/names.txt"
awk -F, '$6 == "user" { n++; want = $4 == "first" ? 0.1 : 0.2; wrong += $2 < want - 0.002 || $2 > want + 0.002 } END { exit n != 2 || wrong }' "$tmp/out"
ok $? "have each their own time"
cat >"$tmp/renamed.txt" <<'L'
# tracer: nop
             app-11      [000] .....  1.000000: tracing_mark_write: osvec: state parse
             app-11      [000] .....  1.500000: task_rename: pid=11 oldcomm=app newcomm=worker oom_score_adj=0
          worker-11      [000] .....  1.600000: tracing_mark_write: osvec: state reply
          worker-11      [000] .....  2.000000: tracing_mark_write: osvec: state end
L
check 0 "another name" "$critpath" path --csv "$tmp/renamed.txt"
awk -F, '$6 == "parse" { n++; wrong += $2 < 0.599 || $2 > 0.601 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "ends no state that a mark began"
check 1 "factors whose product is too large" "$critpath" whatif --scale user=1000 --scale 'demo user=10' "$tmp/two.log"
says "more than 1000 times" "cannot be simulated"
check 2 "an event without a factor" "$critpath" whatif --event cycles "$tmp/nosuch"
check 2 "and one whose factor is none" "$critpath" whatif --event cycles=x "$tmp/nosuch"
check 0 "folded" "$critpath" path --folded "$tmp/two.log"
awk '{ sum += $NF } END { exit sum != 504100000 }' "$tmp/out"
ok $? "the stacks add up"
sed 's,"demo",";",' "$tmp/two.log" >"$tmp/named.log"
check 0 "those of an odd name" "$critpath" path --folded "$tmp/named.log"
is "$(awk -F ';' 'NF != 3' "$tmp/out")" "" "have three parts each"
check 0 "what if" "$critpath" whatif --scale user=0.5 --remove 'demo pipe' --csv "$tmp/two.log"
awk -F, '$1 ~ /nothing/ && $2 > 0.5040999 && $2 < 0.5041001 { a = 1 } $1 ~ /user/ && $2 > 0.250 && $2 < 0.256 { b = 1 }
	END { exit !(a && b) }' "$tmp/out"
ok $? "half the work takes about half the time, nothing changed all of it"
awk -F, 'NR > 1 && $6 > -0.01 && $6 < 0.01 && $6 != "" { n++ } END { exit n != NR - 1 }' "$tmp/out"
ok $? "and how far off the simulation of the unchanged run is, is in each row"
awk -F, '/^all changes/ { n++; wrong += $2 > 0.256 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "and all changes together no more"
# A thread may go on with something else before it does to the queue what it waited for.
for verbs in "wait-empty enqueue peek dequeue" "wait-full dequeue reserve enqueue"; do
	set -- $verbs
	first="enqueue q 1"
	[ "$2" = dequeue ] || first="state b"
	cat >"$tmp/before.txt" <<-L
		             t10-10      [000] .....  1000.000000: tracing_mark_write: osvec: state a
		             t11-11      [000] .....  1000.000000: tracing_mark_write: osvec: capacity q 1
		             t11-11      [000] .....  1000.000000: tracing_mark_write: osvec: $first
		             t11-11      [000] .....  1000.000000: tracing_mark_write: osvec: $1 q
		             t10-10      [000] .....  1000.010000: tracing_mark_write: osvec: $2 q 1
		             t11-11      [000] .....  1000.010000: tracing_mark_write: osvec: $3 q 1
		             t11-11      [000] .....  1000.020000: tracing_mark_write: osvec: $4 q 1
	L
	check 0 "$1 until $3" "$critpath" whatif --scale 't10 a=1' --csv "$tmp/before.txt"
	is "$(cut -d, -f 6 "$tmp/out" | sed -n 2p)" 0 "is simulated"
done
check 0 "two changes of one state" "$critpath" whatif --scale user=0.5 --scale 'demo user=0.5' --csv "$tmp/two.log"
awk -F, '/^all changes/ { n++; wrong += $2 < 0.126 || $2 > 0.129 || $4 < 0.126 || $4 > 0.129 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "make it a quarter"
check 0 "one change" "$critpath" whatif --scale user=0.5 --csv "$tmp/two.log"
is "$(grep -c '^all changes' "$tmp/out")" 0 "is all of them"
check 0 "a speed-up curve" "$critpath" whatif --curve 'demo user' --csv "$tmp/two.log"
is "$(wc -l <"$tmp/out")" 35 "has points from 0 to 32/16"
is "$(sed -n '3p; $p' "$tmp/out" | cut -d, -f 1 | xargs)" "demo user=0 demo user=2" "of its length"
check 0 "the chain of bottlenecks" "$critpath" chain "$tmp/two.log"
says "1 demo user" "begins with the first one"

# A machine of three times the work and twice the switches: most of it is work.
vector() {
	cat >"$tmp/$1.json" <<-X
		{"schema": "osvec/1", "machine": "$1", "created": "", "estimator": "hl", "level": 0.95, "correlation": 0, "meta": {},
		"columns": ["entry", "seconds", "low", "high"],
		"entries": [["cpu_int", $2e-9, $2e-9, $2e-9], ["lat_syscall_getppid", $3e-7, $3e-7, $3e-7],
		["lat_ctx_shared_0_2", $3e-6, $3e-6, $3e-6], ["lat_pagefault_anon", $3e-7, $3e-7, $3e-7],
		["bw_file_write_4k", 1e-6, 1e-6, 1e-6], ["lat_fsync_fsync-cpu_4k", 2e-6, 2e-6, 2e-6],
		["lat_fsync_fsync_4k", $4e-3, $4e-3, $4e-3]]}
	X
}
vector here 1 1 1
vector there 3 2 5
check 0 "on another machine" "$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --csv "$tmp/two.log"
awk -F, '$1 == "here" && $2 > 0.5040999 && $2 < 0.5041001 && $4 == 1 { a = 1 }
	$1 == "there" && $2 > 2.98 * 0.5 && $2 < 3 * 0.5041 && $4 > 2.97 && $4 < 3 && $5 < $4 / 1.1 && $6 > 1.1 * $4 { b = 1 }
	END { exit !(a && b) }' "$tmp/out"
ok $? "takes nearly three times as long, in an interval"
awk -F, '$1 == "there" { exit !($5 * $6 > 0.99 * $4 * $4 && $5 * $6 < 1.01 * $4 * $4) }' "$tmp/out"
ok $? "which is one of factors"
# late CALLS: the logarithm of the interval's upper bound over the ratio, of work that is in doubt and follows so many kinds of calls.
late() {
	{
		echo '100 1700000000.000000 execve("/bin/demo", ["demo"], 0x7f /* 1 var */) = 0 <0.001000>'
		ms=0
		for call in access brk chdir chmod close creat dup fchdir fchmod fdatasync flock fsync getcwd getdents getpgrp getpid \
			getppid getuid link lseek mkdir mknod open rename rmdir setpgid; do
			[ $((ms += 2)) -gt $((2 * $1)) ] || printf '100 1700000000.%03d000 %s(0) = 0 <0.001000>\n' $ms $call
		done
		echo '100 1700000000.100000 execve("/bin/late", ["late"], 0x7f /* 1 var */) = 0 <0.001000>'
		echo '100 1700000009.900000 exit_group(0) = ?'
	} >"$tmp/late.log"
	"$critpath" whatif --machine "$tmp/here.json=$tmp/doubted.json" --csv "$tmp/late.log" 2>"$tmp/err" >"$tmp/out"
	awk -F, '$1 == "there" { print log($6 / $4) }' "$tmp/out"
}
sed 's/"cpu_int", 3e-9, 3e-9, 3e-9/"cpu_int", 3e-9, 1e-9, 5e-9/' "$tmp/there.json" >"$tmp/doubted.json"
echo "$(late 2) $(late 25) $(late 26)" | awk '{ exit !($2 > 0.99 * $1 && $2 < $1 && $3 > 0.99 * $1 && $3 < $1) }'
ok $? "as wide if the state that matters comes after thirty others"
check 0 "without the recorder" "$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --recorder 25ms --csv "$tmp/two.log"
awk -F, '$1 == "here" && $2 < 0.42 && $2 > 0.2 { a = 1 } END { exit !a }' "$tmp/out"
ok $? "it was faster here, too"
check 0 "a sleep on another machine" "$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --csv "$tmp/sleep.log"
awk -F, '$1 == "there" { n++; wrong += $2 < 0.503 || $2 > 0.52 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "is as long as here"
sed 's,nanosleep(.*),fsync(3</tmp/file>),' "$tmp/sleep.log" >"$tmp/disk.log"
check 0 "a wait for a disk on another machine" "$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --csv "$tmp/disk.log"
awk -F, '$1 == "there" { n++; wrong += $2 < 2.5 || $2 > 2.52 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "is as long as that disk takes"
check 2 "no machine" "$critpath" whatif --machine "$tmp/here.json" "$tmp/nosuch"
check 1 "an unknown machine" "$critpath" whatif --machine "$tmp/here.json=$tmp/nowhere.json" "$tmp/two.log"
check 1 "two machines of which the trace is" "$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" \
	--machine "$tmp/there.json=$tmp/here.json" "$tmp/two.log"
check 2 "a machine and a change" "$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --scale user=2 "$tmp/two.log"

check 0 "slack" "$critpath" slack --csv "$tmp/two.log"
awk -F, '$1 == "demo" && $2 == "user" && $3 == 0 && $4 > 0.5040999 && $6 > 0.4 { n++ } END { exit n != 1 }' "$tmp/out"
ok $? "what is on the path has none"
awk -F, 'NR > 2 && $3 == last { n++; wrong += $6 > before } { last = $3; before = $6 } END { exit !n || wrong }' "$tmp/out"
ok $? "and of states with the same slack, that with more critical time comes first"
check 0 "slack of a chain of three" "$critpath" slack --csv "$tmp/chain.log"
awk -F, 'function near(x, y) { return x > y - 0.0011 && x < y + 0.0011 }
	$1 == "second" && $2 == "user" { n++; wrong += !near($6, 0.03) || !near($7, 0.03) || !near($8, 0.081) }
	$1 == "first" && $2 == "user" { n++; wrong += $3 != 0 }
	END { exit n != 2 || wrong }' "$tmp/out"
ok $? "is less than a tenth before the write that nobody had to wait for"
check 0 "the longest chains" "$critpath" slack --paths 4 --csv "$tmp/chain.log"
awk -F, 'function near(x, y) { return x > y - 0.0002 && x < y + 0.0002 }
	NR > 1 { n[$1]++; slack[$1] = $2; wrong += !near($2 + $3, 0.4001) || $2 < slack[$1 - 1] }
	END { exit wrong || length(n) != 4 || slack[1] != 0 || slack[2] <= 0 }' "$tmp/out"
ok $? "begin with the critical path and become shorter"
awk -F, '$1 == 2 && $8 == "user" { n[$7]++ } END { exit !n["second"] }' "$tmp/out"
ok $? "the next one has the second program in it"
check 0 "as text" "$critpath" slack --paths 2 "$tmp/chain.log"
check 0 "loops" "$critpath" loops "$tmp/two.log"
says "no queue limits the run" "there are none where nobody waits for room"
check 0 "for Perfetto" "$critpath" path --perfetto "$tmp/two.log"
is "$(grep -c '"pid": 1000000001, .*"dur"' "$tmp/out")" "$(grep -c '"pid": 10[01], .*"dur"' "$tmp/out")" \
	"each step is on the track of the path and on that of its thread"
awk '/"pid": 1000000001, .*"dur"/ { sub(/.*"dur": /, ""); sum += $0 } END { exit !(sum > 504099.9 && sum < 504100.1) }' \
	"$tmp/out"
ok $? "and they add up"
awk '/"dur"/ { sub(/.*"ts": /, ""); at = $0 + 0; sub(/.*"dur": /, ""); end = at + $0; last = end > last ? end : last }
	END { exit !(last > 504099.9 && last < 504100.1) }' "$tmp/out"
ok $? "to the end of the run"
check 0 "for dot" "$critpath" path --dot "$tmp/two.log"
says 'label="demo"' "each program is a state machine"
says 'user\n504 ms, on the path 502 ms, 99.7%' "with the time of its threads, and of the path, in each state"
awk '/on the path/ { on[$1] } /style="*bold/ { n++; wrong += !($1 in on) || !($3 in on) } END { exit wrong || !n }' "$tmp/out"
ok $? "the path goes through these"
says "(rare states)" "of which the shortest are one"
is "$(grep -c 'style="*bold' "$tmp/out") $(grep -c 'label="2 of 3", style=bold' "$tmp/out")" "7 2" \
	"and its arrows say how often threads and the path go from each state to the next"
user=$(sed -n 's/^\t*\(s[0-9]*\) \[label="user.*/\1/p' "$tmp/out")
is "$(awk '/dashed/ { print $1 }' "$tmp/out" | xargs)" "$user $user" "of which those to the ends of two waits are guesses"
check 0 "as SVG" "$critpath" path --svg "$tmp/two.log"
is "$(grep -c 'stroke-dasharray' "$tmp/out")" 2 "these are dashed, too"
ms=0
for call in brk chdir close creat dup fchdir flock fsync link mkdir open rename rmdir sync; do
	printf '100 1700000000.%03d000 %s(0) = 0 <0.001000>\n' $((ms += 2)) $call
done >"$tmp/states.log"
check 0 "of one with fourteen calls" "$critpath" path --svg --shortest 1s "$tmp/states.log"
is "$(sed -n "s/^<path class.* d='M\([-0-9]*\) [0-9]* *C\([-0-9]*\) [0-9]* \([-0-9]*\) [0-9]* \([-0-9]*\) .*/\1 \2 \3 \4/p" "$tmp/out" |
	awk '$1 == $4 { n++; by = (($2 + $3) / 2 - $1) * 0.75; far += by > 70 || by < -70 }
		END { print far + 0, (n >= 20) }')" "0 1" "the curves stay beside their column"

# pipes_log ROOM: a log of strace of three programs in a row, with room for ROOM units of 1000 bytes in each of two
# pipes.  Of the first 24 units the second program holds some up, of the others the third.
pipes_log() {
	awk -v room="$1" '
		function max(a, b) { return a > b ? a : b }
		function say(pid, at, call, until) {
			printf "%d 1700000000.%06d %s = 1000 <%.6f>\n", pid, at * 1e6 + 0.5, call, until - at
		}
		BEGIN {
			print "100 1700000000.000000 execve(\"/bin/first\", [\"first\"], 0x7f) = 0 <0.000100>"
			print "100 1700000000.000400 clone(child_stack=NULL, flags=SIGCHLD) = 101 <0.000001>"
			print "100 1700000000.000500 clone(child_stack=NULL, flags=SIGCHLD) = 102 <0.000001>"
			print "101 1700000000.000600 execve(\"/bin/second\", [\"second\"], 0x7f) = 0 <0.000001>"
			print "102 1700000000.000600 execve(\"/bin/third\", [\"third\"], 0x7f) = 0 <0.000001>"
			a = b = c = 0.001
			for (i = 1; i <= 48; i++) {
				from = a + (i > 24 ? 0.0001 : i % 8 == 4 ? 0.012 : 0.001)
				a = max(from, one[i - room]) + 1e-6
				say(100, from, "write(4<pipe:[77]>, \"x\"..., 1000)", a)
				from = b
				one[i] = b = max(b, a) + 1e-6
				say(101, from, "read(3<pipe:[77]>, \"x\"..., 1000)", b)
				from = b + (i > 24 ? i % 8 == 4 ? 0.012 : 0.001 : i % 8 ? 0.001 : 0.017)
				b = max(from, two[i - room]) + 1e-6
				say(101, from, "write(6<pipe:[78]>, \"x\"..., 1000)", b)
				from = c
				two[i] = c = max(c, b) + 1e-6
				say(102, from, "read(5<pipe:[78]>, \"x\"..., 1000)", c)
				c += i > 24 ? i % 8 ? 0.001 : 0.017 : 0.0001
			}
			say(102, c, "getpid()", c + 1e-6)
		}' | sort -s -k 2,2
}
pipes_log 2 >"$tmp/pipes.log"
pipes_log 100 >"$tmp/wide.log"
check 0 "pipes without limits" "$critpath" path --json "$tmp/wide.log"
wide=$(value elapsed_seconds)
check 0 "the loops of narrow pipes" "$critpath" loops --csv "$tmp/pipes.log"
awk -F, -v wide="$wide" '$1 == "pipe" { n++; wrong += $4 < 2 || $6 != 2000 || $11 < wide + 0.010 || $12 > -0.05 ||
	$13 > $12 + 0.001 || $13 < $12 - 0.001 }
	END { exit n != 2 || wrong }' "$tmp/out"
ok $? "are one through each pipe, of which each costs a part of the time"
says "lap_seconds,room,bound_per_second" "with the room in each"
laps=$(awk -F, '$1 == "pipe" { print $4 }' "$tmp/out" | tr '\n' ' ')
check 0 "the path of narrow pipes" "$critpath" "$tmp/pipes.log"
is "$(sed -n '/^loops:/,$p' "$tmp/out" | xargs | grep -o '[0-9]* times by a full pipe' | cut -d ' ' -f 1 | tr '\n' ' ')" "$laps" \
	"names the same loops"
says "by a full pipe from first to second" "and their programs"
check 0 "and as JSON" "$critpath" --json "$tmp/pipes.log"
is "$(sed -n 's/.*"loops"\(.*\)]/\1/p' "$tmp/out" | grep -o '"laps": [0-9]*' | cut -d ' ' -f 2 | tr '\n' ' ')" "$laps" "it names them, too"
says '"from": "first", "to": "second"' "with their programs"
check 0 "and their picture" "$critpath" path --dot "$tmp/pipes.log"
[ "$(grep -c 'color=gray, fontcolor' "$tmp/out")" -gt 0 ]
ok $? "with arrows off the path"
is "$(awk '/ -> / { print $1, $3 }' "$tmp/out" | sort | uniq -d)" "" "no two of which go the same way"
says 'room 2", color=red' "in which the path is red where a full queue blocks it"
is "$(grep -c 'label="\([0-9]*\) of \1[",]' "$tmp/out")" 0 "all of all are not said to be so"
check 0 "the same as SVG" "$critpath" path --svg "$tmp/pipes.log"
is "$(grep -c '<rect x=' "$tmp/out")" "$("$critpath" path --dot "$tmp/pipes.log" | grep -c '\[label=.*\\n')" \
	"has a box for each state"
is "$(grep -c "class='room' stroke" "$tmp/out")" 4 "and for each pipe red arrows from the read to the write that waited"
# As "X Y", if two counts are less than ten pixels from each other.
is "$(sed -n "s/^<g class='small'>.* x='\([0-9.]*\)' y='\([0-9.]*\)'.*>[0-9]*<.text>.*/\1 \2/p" "$tmp/out" |
	awk '{ for (i = 1; i < NR; i++) if (($1 - x[i])^2 + ($2 - y[i])^2 < 100) print; x[NR] = $1; y[NR] = $2 }
		END { if (NR < 10) print NR " counts" }')" "" "and its counts are beside each other"
sed 's,second,\xff,g' "$tmp/pipes.log" >"$tmp/odd.log"
check 0 "that of a program whose name is not UTF-8" "$critpath" path --svg "$tmp/odd.log"
iconv -f UTF-8 -t UTF-8 "$tmp/out" >/dev/null && grep -q '>?<' "$tmp/out"
ok $? "can be read"
check 0 "and that of wide pipes" "$critpath" path --dot "$tmp/wide.log"
lacks 'color=red' "is not"
check 0 "with more room" "$critpath" whatif --capacity pipe=inf --csv "$tmp/pipes.log"
awk -F, -v wide="$wide" 'function near(x) { return x > wide * 0.999 && x < wide * 1.001 }
	$1 ~ /inf/ { exit !(near($2) && near($4)) }' "$tmp/out"
ok $? "both are as fast as if they had it, in either order"
check 0 "with room for four units" "$critpath" whatif --capacity pipe=4000 --csv "$tmp/pipes.log"
four=$(tail -1 "$tmp/out" | cut -d, -f 2-)
"$critpath" whatif --capacity pipe=4096 --csv "$tmp/pipes.log" >"$tmp/bytes" 2>"$tmp/err"
check 0 "with room in kilobytes" "$critpath" whatif --capacity pipe=4k --csv "$tmp/pipes.log"
is "$(sed 's/4k/4096/' "$tmp/out" | cmp - "$tmp/bytes")" "" "is as with as many bytes"
check 0 "with twice the room" "$critpath" whatif --capacity pipe=2x --csv "$tmp/pipes.log"
is "$(tail -1 "$tmp/out" | cut -d, -f 2-)" "$four" "it is the same"
check 0 "a chain of bottlenecks" "$critpath" chain --csv "$tmp/pipes.log"
awk -F, 'NR > 2 { wrong += $4 >= last || $3 < 0.01; n++ } { last = $4 } END { exit wrong || n < 2 }' "$tmp/out"
ok $? "removes one after the other, and gains by each"
check 0 "and a short one" "$critpath" chain --least 90% --csv "$tmp/pipes.log"
is "$(wc -l <"$tmp/out")" 2 "stops where a step gains less"

# perf script's output: two programs that take turns on a CPU, 10 ms each, until a third one has it for 10 ms.
turn() { # TIME FROM TO
	echo "p$2 $2 [000] 0.0$1: sched:sched_switch: prev_comm=p$2 prev_pid=$2 prev_prio=120 prev_state=R ==>" \
		"next_comm=p$3 next_pid=$3 next_prio=120"
	[ "$3" -eq 0 ] || call "${1}1" "${1}2" "$3"
}
call() { # FROM UNTIL WHO
	echo "p$3 $3 [000] 0.0$1: raw_syscalls:sys_enter: NR 39 (0, 0, 0, 0, 0, 0)"
	echo "p$3 $3 [000] 0.0$2: raw_syscalls:sys_exit: NR 39 = $3"
}
{
	turn 00 0 100
	turn 10 100 101
	turn 20 101 100
	turn 30 100 0
	turn 40 0 101
	call 499 500 101
} >"$tmp/cpu.txt"
check 0 "another CPU" "$critpath" whatif --cpus +1 --csv "$tmp/cpu.txt"
awk -F, '/nothing/ { n++; wrong += $2 < 0.0499 || $4 < 0.0499 || $4 > 0.0501 }
	/cpus/ { n++; wrong += $2 != "" || $4 < 0.035 || $4 > 0.039 } END { exit n != 2 || wrong }' "$tmp/out"
ok $? "saves the turns, in proportion to what is known: the time of the third program stays"
says "do not trust the result" "and what the third one did is said to spoil it"
cp "$tmp/out" "$tmp/more"
check 0 "what is for logs only" "$critpath" path --shortest 1ms "$tmp/cpu.txt"
says "--shortest has no effect" "is said to have no effect"
check 0 "two CPUs and less work" "$critpath" whatif --cpus 2 --scale user=0.5 --csv "$tmp/cpu.txt"
is "$(grep -c '^all changes' "$tmp/out")" 1 "are two changes"
check 0 "two CPUs" "$critpath" whatif --cpus 2 --csv "$tmp/cpu.txt"
is "$(tail -1 "$tmp/out" | cut -d, -f 4)" "$(tail -1 "$tmp/more" | cut -d, -f 4)" "are one more"
check 0 "another machine" "$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --csv "$tmp/cpu.txt"
there=$(sed -n '/^there/p' "$tmp/out" | cut -d, -f 3)
check 0 "another machine with two CPUs" \
	"$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --cpus 2 --csv "$tmp/cpu.txt"
awk -F, -v one="$there" '/^there/ { exit !($3 < 0.9 * one) }' "$tmp/out"
ok $? "is faster than with one"
says "do not trust the result" "what spoils the simulation is said here, too"

# A server that answers two connections in turn: 10 ms for the first, 30 for the second.
cat >"$tmp/server.log" <<'X'
200 1700000000.000000 execve("/bin/server", ["server"], 0x7f /* 1 var */) = 0 <0.001000>
200 1700000000.010000 read(3<socket:[5]>, "a"..., 100) = 1 <0.000010>
200 1700000000.010100 read(4<socket:[6]>, "b"..., 100) = 1 <0.000010>
200 1700000000.020000 write(3<socket:[5]>, "a"..., 1) = 1 <0.000010>
200 1700000000.040000 write(4<socket:[6]>, "b"..., 1) = 1 <0.000010>
200 1700000000.050000 exit_group(0) = ?
200 1700000000.050100 +++ exited with 0 +++
X
check 0 "requests" "$critpath" requests --csv "$tmp/server.log"
awk -F, '$1 == "server" && $2 == 2 && $4 == "all" && $6 > 0.0197 && $6 < 0.0202 { n++ } END { exit n != 1 }' "$tmp/out"
ok $? "two of 10 and 30 ms"
awk -F, '/write socket/ { n++; wrong += $6 <= 0 || $7 != 0 || $8 <= 0 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "half of which spend no time in a write"
awk -F, '$4 == "other connections" { n++; wrong += $6 < 0.0048 || $6 > 0.0052 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "and one of which waits for the other one"
check 1 "no requests" "$critpath" requests "$tmp/two.log"

check 2 "no trace" "$critpath" path
check 1 "a trace that is not there" "$critpath" "$tmp/nosuch"
check 2 "an unknown command" "$critpath" bogus
check 2 "no change" "$critpath" whatif "$tmp/nosuch"
check 1 "a state that is not there" "$critpath" whatif --scale bogus=2 "$tmp/two.log"
says "user" "those that are there are named"
check 2 "no factor" "$critpath" whatif --scale user=x "$tmp/nosuch"
check 2 "a factor that is too large to be simulated" "$critpath" whatif --scale user=1001 "$tmp/nosuch"
check 2 "a recorder without a machine" "$critpath" whatif --recorder 1ms --scale user=0.5 "$tmp/two.log"
check 2 "formulas without an event" "$critpath" whatif --formulas x --scale user=0.5 "$tmp/two.log"
check 2 "room for nothing" "$critpath" whatif --capacity pipe=0 "$tmp/nosuch"
says "such as 4096 or 64k" "what would be some"
check 0 "two workers" "$critpath" whatif --workers demo=2 --csv "$tmp/two.log"
is "$(tail -1 "$tmp/out" | cut -d, -f 2)" "" "have no forecast in the order of the trace"
check 2 "no number of workers" "$critpath" whatif --workers demo=1.5 "$tmp/nosuch"
check 1 "workers of a program that is not there" "$critpath" whatif --workers bogus=2 "$tmp/two.log"
says "no such program; the trace has demo" "which are there"
check 2 "no times as much room" "$critpath" whatif --capacity pipe=0x "$tmp/nosuch"
check 2 "no CPUs" "$critpath" whatif --cpus 0 "$tmp/nosuch"
check 2 "too many CPUs" "$critpath" whatif --cpus 10001 "$tmp/nosuch"
check 2 "infinitely many times" "$critpath" whatif --capacity pipe=infx "$tmp/nosuch"
check 0 "twice the room" "$critpath" whatif --capacity pipe=2x "$tmp/two.log"
check 0 "less room than was used" "$critpath" whatif --capacity pipe=3 "$tmp/two.log"
check 1 "no such thread" "$critpath" path -t 7 "$tmp/two.log"
check 2 "a global path until a time" "$critpath" path --to 0.1 "$tmp/nosuch"
check 2 "rows of chains" "$critpath" slack --paths 2 --top 3 "$tmp/nosuch"
check 2 "a path to one thread, anchored to another" "$critpath" path -t 100 --end 101 "$tmp/two.log"
check 2 "rows of a picture" "$critpath" path --dot --top 3 "$tmp/two.log"
check 1 "a file that is not there, by its name alone" "$critpath" nosuch.log
check 2 "two pictures" "$critpath" path --dot --folded "$tmp/nosuch"
check 2 "a picture as JSON" "$critpath" path --dot --json "$tmp/nosuch"
check 1 "a queue that is not there" "$critpath" whatif --capacity pip=inf "$tmp/two.log"
says "the trace has pipe" "those that are there are named"
check 1 "the curve of a state that is not there" "$critpath" whatif --curve bogus "$tmp/two.log"
says "--curve bogus: the trace has" "the option is named"
check 0 "global, to the end of the child" "$critpath" path --end 101 --json "$tmp/two.log"
is "$(value sum_seconds)" "$(value elapsed_seconds)" "the path tiles the time"
awk "BEGIN { exit !($(value elapsed_seconds) < 0.504) }"
ok $? "which was earlier"
check 0 "since a time" "$critpath" path --from 0.1 --json "$tmp/two.log"
is "$(value sum_seconds)" 0.404100000 "leaves out what was before"
lacks bottleneck "and has no bottleneck"
check 0 "as text" "$critpath" path --from 0.1 "$tmp/two.log"
lacks bottleneck "a part has none"
check 0 "anchored, until a time" "$critpath" path -t 100 --to 0.1 --json "$tmp/two.log"
is "$(value sum_seconds)" 0.100000000 "leaves out what was after it"
check 2 "no such word" "$critpath" path --by bogus "$tmp/nosuch"

# Two threads with a queue between them, which say so.
mkdir "$tmp/marks"
if OSVEC_MARKS=$tmp/marks "$build/bin/ktranal" record -q -o "$tmp/marked.ktr" -- "$build/tests/bench/marked" 20 \
	>"$tmp/out" 2>"$tmp/err"; then
	check 0 "marks of the program" "$critpath" path --marks "$tmp/marks" --by word --csv "$tmp/marked.ktr"
	awk -F, '$6 == "work" && $2 > 0 { n++ } END { exit n != 1 }' "$tmp/out"
	ok $? "its states are those of the path"
	lacks "contradict" "and its marks fit together"
	for file in "$tmp/marks"/*.marks; do
		cp "$file" "$tmp/another.marks"
	done
	mv "$tmp/another.marks" "$tmp/marks"
	check 0 "marks of another run beside them" "$critpath" path --marks "$tmp/marks" "$tmp/marked.ktr"
	says "left out 1 of the files" "are left out"
	: >"$tmp/marks/killed.marks"
	check 0 "and one whose program was killed before" "$critpath" path --marks "$tmp/marks" "$tmp/marked.ktr"
	says "left out 2 of the files" "is left out, too"
	check 0 "and in JSON" "$critpath" path --marks "$tmp/marks" --json "$tmp/marked.ktr"
	is "$(value sum_seconds)" "$(value elapsed_seconds)" "the path still tiles the time"
	check 1 "marks of another run" "$critpath" path --marks "$tmp/marks" "$tmp/two.log"
	check 1 "no marks" "$critpath" path --marks "$tmp" "$tmp/marked.ktr"
else
	skip "nothing can be recorded here: $(head -1 "$tmp/err")"
fi

# Two threads that write marks into trace_marker: the first accepts requests and hands them to the second one.
mark() { # THREAD TIME MARK
	printf '%16s-%-7d [000] .....  %s: tracing_mark_write: osvec: %s\n' "t$1" "$1" "$2" "$3"
}
request() { # KEY SECOND: accepted for 10 ms, on its way for 1, worked on for KEY * 10 ms
	mark 10 "$2.100000" "identify $1"
	mark 10 "$2.100000" "state accept"
	mark 10 "$2.110000" "identify 0"
	mark 10 "$2.110000" "enqueue jobs 1"
	mark 10 "$2.110000" "state idle"
	mark 11 "$2.111000" "dequeue jobs"
	mark 11 "$2.111000" "identify $1"
	mark 11 "$2.111000" "state work"
	mark 11 "$2.1$((11 + $1 * 10))000" "state done"
	mark 11 "$2.1$((11 + $1 * 10))000" "identify 0"
	mark 11 "$2.1$((11 + $1 * 10))000" "wait-empty jobs"
}
{
	echo "# tracer: nop"
	mark 10 1.000000 "state idle"
	mark 11 1.000000 "wait-empty jobs"
	request 1 2
	request 3 3
} >"$tmp/ftrace.txt"
check 0 "marks in what ftrace prints" "$critpath" path --by word --csv "$tmp/ftrace.txt"
grep -q ',0.03,.*,work,' "$tmp/out"
ok $? "are the states of their threads"
lacks "contradict" "and fit together"
check 0 "requests between two states" "$critpath" requests --start accept --stop done --csv "$tmp/ftrace.txt"
is "$(awk -F, 'NR > 1 { print $1, $2, $3, $4, $6 ";" }' "$tmp/out" | xargs)" \
	"t11 2 all 0.031; t11 2 t11 work 0.02; t11 2 t10 accept 0.01; t11 2 t11 queue 0.001;" "are explained across threads"
awk -F, 'NR == 2 { exit !($7 > 0.02 && $7 < 0.022 && $9 > 0.04 && $9 < 0.042) }' "$tmp/out"
ok $? "with percentiles"
check 0 "and in one" "$critpath" requests --start work --csv "$tmp/ftrace.txt"
is "$(awk -F, 'NR == 2 { print $2, $4, $6 }' "$tmp/out")" "2 all 0.02" "to its next state"
# mark_trace MARK ELEMENTS: 4 ms of work, which is all that calls price, and 100 ms of what the mark begins and an
# operation on a queue, if there are such ELEMENTS, ends.
mark_trace() {
	echo "# tracer: nop"
	mark 10 1.000000 "state crunch"
	for second in 1.001 1.103; do
		printf '             t10-10      [000] .....  %s000: sys_enter: NR 39 (0, 0, 0, 0, 0, 0)\n' $second
		printf '             t10-10      [000] .....  %s002: sys_exit: NR 39 = 10\n' $second
		[ $second = 1.103 ] || mark 10 1.002000 "$1"
		[ $second = 1.103 ] || mark 10 1.102000 "${2:-state end}"
	done
	mark 10 1.104000 "state end"
}
ratios() { # of the run and of its CPU time, on the other machine
	"$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --csv "$tmp/marked.txt" 2>"$tmp/err" >"$tmp/out"
	awk -F, '$1 == "there" { printf "%.2f %.2f", $4, $7 }' "$tmp/out"
}
for state in crunch work lock disk timer queue getppid; do
	mark_trace "state $state" >"$tmp/marked.txt"
	is "$(ratios)" "3.00 3.00" "work on another machine is as slow there if a mark calls it $state"
done
mark_trace "wait-empty jobs" "dequeue jobs 0" >"$tmp/marked.txt"
is "$(ratios)" "2.04 3.00" "a wait that nobody ended is no work there"

check 1 "states that do not occur" "$critpath" requests --start bogus "$tmp/ftrace.txt"
says "from a mark of state bogus to one of another" "are named"
check 1 "and connections are no such requests" "$critpath" requests --start bogus "$tmp/server.log"
check 2 "an end without a start" "$critpath" requests --stop done "$tmp/nosuch"

# Functions that uprobes saw, as states: the words for sed are those of osvec-mark(3).
probe() { # TIME WHAT
	printf '%16s-30      [000] .....  1.%s: %s\n' app "$1" "$2"
}
{
	echo '# tracer: nop'
	probe 000000 'parse: (0x55d0c1a3e139)'
	probe 010000 'parse__return: (0x55d0c1a3e1a4 <- 0x55d0c1a3e139)'
	probe 012000 'reply: (0x55d0c1a3e160)'
	probe 042000 'reply__return: (0x55d0c1a3e1ae <- 0x55d0c1a3e160)'
	probe 043000 'parse: (0x55d0c1a3e139)'
} >"$tmp/uprobes.txt"
sed -n "/^sed -E 's/,/^	s/p" docs/osvec-mark.3 | sed "s/^sed -E '//; s/' .*//; s/[\\]e/\\\\/g" >"$tmp/words.sed"
sed -E -f "$tmp/words.sed" "$tmp/uprobes.txt" >"$tmp/states.txt"
check 0 "functions as states" "$critpath" path --by word --csv "$tmp/states.txt"
is "$(awk -F, 'NR > 1 { print $6, $2 ";" }' "$tmp/out" | xargs)" "reply 0.03; parse 0.01; user 0.003;" "take as long as uprobes saw them"
swap() { # FROM TIME TO STATE: who has the CPU, and in which state it is left
	printf '%16s-%-7d [000] d..2.  %s: sched_switch: prev_comm=t%d prev_pid=%d prev_prio=120 prev_state=%s ==> ' "t$1" "$1" "$2" "$1" "$1" "$4"
	printf 'next_comm=t%d next_pid=%d next_prio=120\n' "$3" "$3"
}
{
	echo "# tracer: nop"
	mark 21 1.000000 "state busy"
	swap 21 1.030000 20 R
	mark 20 1.030000 "state work"
	swap 20 1.040000 21 R
	mark 21 1.041000 "state busy"
	swap 21 1.042000 20 S
	mark 20 1.050000 "state end"
} >"$tmp/turns.txt"
check 0 "a request whose thread loses its CPU" "$critpath" requests --start work --stop end --csv "$tmp/turns.txt"
is "$(awk -F, 'NR > 1 { print $4, $6 ";" }' "$tmp/out" | xargs)" "all 0.02; work 0.018; runnable 0.002;" \
	"takes as long as it waits for that, and as it works before and after"
sed 's/ 1700000000.010100 read(4<socket:.6./ 1700000000.015000 read(3<socket:[5]/; /write(4/d' "$tmp/server.log" >"$tmp/parts.log"
check 0 "a request in two parts" "$critpath" requests --csv "$tmp/parts.log"
awk -F, '$4 == "all" { n++; wrong += $2 != 1 || $6 < 0.0099 || $6 > 0.0101 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "begins with the first of them"
check 0 "requests of a program" "$critpath" requests --program server "$tmp/server.log"
check 1 "and of one that answers none" "$critpath" requests --program another "$tmp/server.log"
says "no requests answered by another" "are none"

printf '# tracer: nop\nx\n' >"$tmp/off.txt"
check 1 "a trace in which nothing happened" "$critpath" "$tmp/off.txt"
says "1 bad line" "is said to have lines that nobody understands"

# One fills the only place of a queue for 5 ms, then another one empties it for 5 ms.
at() { awk "BEGIN { printf \"%.6f\", 1 + $1 / 1000 }"; }
{
	echo "# tracer: nop"
	mark 10 1.000000 "capacity ring 1"
	for i in 0 10 20 30 40 50 60 70 80 90; do
		mark 11 "$(at $i)" "wait-empty ring"
		mark 10 "$(at $((i + 5)))" "enqueue ring"
		mark 11 "$(at $((i + 5)))" "peek ring"
		mark 10 "$(at $((i + 5)))" "wait-full ring"
		mark 11 "$(at $((i + 10)))" "dequeue ring"
		mark 10 "$(at $((i + 10)))" "reserve ring"
	done
} >"$tmp/ring.txt"
check 0 "a queue with one place" "$critpath" loops --csv "$tmp/ring.txt"
is "$(awk -F, '$1 == "ring" { printf "%.2f %.2f %.0f of %.0f", $5 * 1000, $10, $8, $7 }' "$tmp/out")" \
	"10.00 2.00 100 of 100" \
	"needs two, with which its loop binds no more than the work of each"
for ring in $(seq 40); do
	sed "1d; s/ring/&$ring/; s/ 1[.]/ $ring./" "$tmp/ring.txt"
done | sed '1i# tracer: nop' >"$tmp/rings.txt"
check 0 "forty of them in turn" "$critpath" loops --top 50 --csv "$tmp/rings.txt"
is "$(awk -F, '$1 ~ /^ring/ { n += $11 > 39.04 && $11 < 39.06 } END { print n }' "$tmp/out")" 40 "each costs 45 ms of 39.1 s"
is "$(awk -F, '$13 != "" && $1 ~ /^ring/ { n++ } END { print n }' "$tmp/out")" 3 "and three are re-simulated"
check 0 "the path through it" "$critpath" path --json "$tmp/ring.txt"
is "$(value guessed_seconds)" 0.000000000 "contains no guess"

# Names that would end a label or change it in the language of dot(1), of which each line must be one.
{
	echo '# tracer: nop'
	at=0
	for state in '"b\' '{c|d}<e>;' '\N' end; do
		printf '%16s-10 [000] .....  1.0%d0000: tracing_mark_write: osvec: state %s\n' '"a\' $at "$state"
		at=$((at + 1))
	done
} >"$tmp/quotes.txt"
check 0 "a picture of names with quotes" "$critpath" path --dot "$tmp/quotes.txt"
label='\[label="([^"\\]|\\n)*"(, [a-z]+=[a-z0-9.]+)*\];'
is "$(grep -Evx -e 'digraph path [{]|	(node|edge) \[[a-z0-9=, ]*\];|	subgraph cluster_[0-9]+ [{]|	?[}]' \
	-e "		label=\"[^\"\\]*\";|	(	s[0-9]+|s[0-9]+ -> s[0-9]+) $label" "$tmp/out")" "" "is in the language of dot(1)"
is "$(grep -c '{$' "$tmp/out")" "$(grep -c '^	*}$' "$tmp/out")" "and its parts end"
says "label=\"'a'\"" "quotes and backslashes of a program are apostrophes"
says "label=\"'b'\n10.0 ms" "and those of states"
says "label=\"'N\n10.0 ms" "that would stand for something else, too"
says 'label="{c|d}<e>;\n10.0 ms' "and everything else stays"

# A pipeline that is recorded here, by whatever records here.
if "$build/bin/ktranal" record -q -o "$tmp/pipe.ktr" -- \
	sh -c 'head -c 3000000 /dev/zero | gzip -9 | wc -c' >"$tmp/out" 2>"$tmp/err"; then
	check 0 "a recorded pipeline" "$critpath" path --json "$tmp/pipe.ktr"
	is "$(value sum_seconds)" "$(value elapsed_seconds)" "its path tiles the time"
	check 0 "with gzip in no time" "$critpath" whatif --remove 'gzip *' --csv "$tmp/pipe.ktr"
	awk -F, 'NR == 2 { all = $2 } NR == 3 { exit !($2 < all) }' "$tmp/out"
	ok $? "it is faster"
else
	skip "nothing can be recorded here: $(head -1 "$tmp/err")"
fi
done_testing
