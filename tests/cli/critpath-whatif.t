#!/bin/sh
# SPDX-License-Identifier: MIT
# What critpath forecasts, on traces in the language of ftrace whose answers are known.
. "$(dirname "$0")/tap.sh"
critpath=$build/bin/critpath

# lock_trace: two programs, a and b, that hand a lock to each other six times.  Each works for 10 ms with it, in two states
# of which one is that of the last time, too, while the other one waits.
lock_trace() {
	awk '
		function line(who, cpu, ms, what) {
			printf "%16s-%-7d [%03d] .....  %.6f: %s\n", who, id[who], cpu, 1 + ms / 1000, what
		}
		function swap(from, ms, state, to) {
			line(from, from == "b" || to == "b", ms, sprintf("sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 " \
				"prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120", from, id[from], state, to, id[to]))
		}
		function mark(who, ms, state) { line(who, who == "b", ms, "tracing_mark_write: osvec: state " state) }
		function block(who, ms) {
			line(who, who == "b", ms, "sys_enter: NR 202 (1000, 0, 2, 0, 0, 0)")
			swap(who, ms + 0.001, "S", "swapper")
		}
		function wake(who, ms, other) {
			line(who, who == "b", ms, sprintf("sched_waking: comm=%s pid=%d prio=120 target_cpu=%03d", other, id[other], other == "b"))
			swap("swapper", ms + 0.002, "R", other)
			line(other, other == "b", ms + 0.003, "sys_exit: NR 202 = 0")
		}
		BEGIN {
			id["a"] = 10
			id["b"] = 11
			print "# tracer: nop"
			swap("swapper", 0, "R", "a")
			swap("swapper", 0, "R", "b")
			mark("a", 0.001, "a1")
			mark("b", 0.001, "b1")
			block("b", 0.01)
			for (i = 1; i <= 6; i++) {
				mark("a", t + 5, i == 6 ? "a1" : "a2")
				wake("a", t += 10, "b")
				mark("a", t + 0.004, "a1")
				block("a", t + 0.01)
				mark("b", t + 5, "b2")
				t += 10
				if (i == 6)
					break
				wake("b", t, "a")
				mark("b", t + 0.004, "b1")
				block("b", t + 0.01)
			}
			line("b", 1, t + 0.1, "sys_enter: NR 39 (0, 0, 0, 0, 0, 0)")
			line("b", 1, t + 0.102, "sys_exit: NR 39 = 10")
		}'
}

# best TRACE STATE...: the state whose removal saves most, and how long the run takes without it.
best() {
	of=$1
	shift
	for state; do
		"$critpath" whatif --remove "$state" --csv "$of" 2>/dev/null | sed -n 's/^--remove //p'
	done | sort -t , -k 2,2g | head -1 | cut -d , -f 1-2
}

lock_trace >"$tmp/lock.txt"
awk '!/sched_waking/ || n++ != 4' "$tmp/lock.txt" >"$tmp/unseen.txt"
for trace in lock unseen; do
	best=$(best "$tmp/$trace.txt" 'a a1' 'a a2' 'b b1' 'b b2' 'a lock' 'b lock' 'a runnable' 'b runnable')
	check 0 "the bottleneck where two programs wait for a lock in turn ($trace)" "$critpath" "$tmp/$trace.txt"
	is "$(sed -n 's/^first bottleneck: //p' "$tmp/out")" "${best%,*}" "is what saves most of all"
	[ $trace = unseen ] || says "and 0 of 11 changes of thread" "and each wake-up changes the thread of the path"
	is "$(echo "${best#* }" | cut -d , -f 1)" lock "which is a lock, whether or not it was seen who ended all waits for it"
	check 0 "and the chain of bottlenecks" "$critpath" chain --csv "$tmp/$trace.txt"
	is "$(awk -F , '$1 == 1 { print $2 "," $4 }' "$tmp/out")" "$best" "begins with it"
done

# chunk_trace: three puts of 1, one in 2 ms, for each get of 3, after which the reader works for 5 ms.
chunk_trace() {
	awk '
		function mark(who, ms, what) {
			printf "%16s-%-7d [000] .....  %.6f: tracing_mark_write: osvec: %s\n", "t" who, who, 1 + ms / 1000, what
		}
		BEGIN {
			print "# tracer: nop"
			mark(10, 0, "state make")
			mark(11, 0, "wait-empty q")
			for (i = 1; i <= 10; i++) {
				for (k = 1; k <= 3; k++)
					mark(10, t += 2, "enqueue q 1")
				mark(11, t, "dequeue q 3")
				mark(11, t, "state use")
				mark(11, t + 5, i < 10 ? "wait-empty q" : "state end")
				t += 5
			}
		}'
}

chunk_trace >"$tmp/chunk.txt"
check 0 "capacities of which the smaller ones are not enough" "$critpath" whatif --capacity q=2 --capacity q=3 --csv "$tmp/chunk.txt"
is "$(awk -F , '/q=2/ && $2 == "" || /q=3/ && $2 ~ /^0.11/ { n++ } END { print n }' "$tmp/out")" 2 \
	"with the smaller one there is no forecast in the order of the trace"
says "--capacity q=2: in the simulation 10 waits would never end" "nor can it run at all, which is said"
lacks "--capacity q=3: in the simulation" "and not of the larger one"

done_testing
