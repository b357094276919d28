#!/bin/sh
# SPDX-License-Identifier: MIT
# critpath from the command line, on a log of two processes and a pipe, and on a recorded pipeline.
. "$(dirname "$0")/tap.sh"
critpath=$build/bin/critpath

# The parent works for 400 ms and writes; the child reads, works for 100 ms and exits; the parent has waited for it.
cat >"$tmp/two.log" <<'X'
100 1700000000.000000 execve("/bin/demo", ["demo"], 0x7f /* 1 var */) = 0 <0.001000>
100 1700000000.002000 pipe2([3</proc/1/fd/pipe:[77]>, 4</proc/1/fd/pipe:[77]>], 0) = 0 <0.000010>
100 1700000000.003000 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 101 <0.000100>
101 1700000000.004000 read(3<pipe:[77]>, "x"..., 100) = 10 <0.399500>
100 1700000000.403000 write(4<pipe:[77]>, "x"..., 10) = 10 <0.000600>
101 1700000000.503000 exit_group(0) = ?
101 1700000000.503100 +++ exited with 0 +++
100 1700000000.404000 wait4(101, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 101 <0.099200>
100 1700000000.504000 exit_group(0) = ?
100 1700000000.504100 +++ exited with 0 +++
X

# value KEY: of the JSON object in $tmp/out.
value() {
	tr -d '\n' <"$tmp/out" | sed -n "s/.*\"$1\": \([^,}]*\)[,}].*/\1/p"
}

check 0 "the path of a log of strace" "$critpath" "$tmp/two.log"
says "all of the time" "it tiles the time"
says "demo - user" "and is that of the program's work"
says "first bottleneck: demo user" "the bottleneck is named"
check 0 "as JSON" "$critpath" path --json "$tmp/two.log"
is "$(value elapsed_ns)" 504100000 "from the first to the last event"
is "$(value sum_ns)" 504100000 "the sum of the steps is the time"
[ "$(value unknown_ns)" -eq 0 ] && [ "$(value guessed_ns)" -gt 0 ]
ok $? "causes that nobody names are guesses"
check 0 "by thread" "$critpath" path --by thread --csv "$tmp/two.log"
awk -F, '$5 == 100 && $2 > 400e6 && $2 < 406e6 { a = 1 } $5 == 101 && $2 > 98e6 && $2 < 101e6 { b = 1 } END { exit !(a && b) }' \
	"$tmp/out"
ok $? "400 ms of the parent, 100 of the child"
check 0 "anchored to the child" "$critpath" path -t 101 --json "$tmp/two.log"
[ "$(value sum_ns)" -eq "$(value elapsed_ns)" ] && [ "$(value elapsed_ns)" -lt 501000000 ]
ok $? "from its birth on"
check 0 "folded" "$critpath" path --folded "$tmp/two.log"
awk '{ sum += $NF } END { exit sum != 504100000 }' "$tmp/out"
ok $? "the stacks add up"
check 0 "what if" "$critpath" whatif --scale user=0.5 --remove 'demo pipe' --csv "$tmp/two.log"
awk -F, '$1 ~ /nothing/ && $2 > 0.5040999 && $2 < 0.5041001 { a = 1 } $1 ~ /user/ && $2 > 0.250 && $2 < 0.256 { b = 1 }
	END { exit !(a && b) }' "$tmp/out"
ok $? "half the work takes about half the time, nothing changed all of it"
check 0 "a speed-up curve" "$critpath" whatif --curve 'demo user' --csv "$tmp/two.log"
is "$(wc -l <"$tmp/out")" 35 "has points from 0 to 32/16"
check 0 "the chain of bottlenecks" "$critpath" chain "$tmp/two.log"
says "1 demo user" "begins with the first one"

# A machine of three times the work and twice the switches: most of it is work.
vector() {
	cat >"$tmp/$1.json" <<-X
		{"schema": "osvec/1", "machine": "$1", "created": "", "estimator": "hl", "level": 0.95, "correlation": 0, "meta": {},
		"columns": ["entry", "seconds", "low", "high"],
		"entries": [["cpu_int", $2e-9, $2e-9, $2e-9], ["lat_syscall_getppid", $3e-7, $3e-7, $3e-7],
		["lat_ctx_shared_0_2", $3e-6, $3e-6, $3e-6], ["lat_pagefault_anon-free", $3e-7, $3e-7, $3e-7]]}
	X
}
vector here 1 1
vector there 3 2
check 0 "on another machine" "$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --csv "$tmp/two.log"
awk -F, '$1 == "here" && $2 > 0.5040999 && $2 < 0.5041001 && $4 == 1 { a = 1 }
	$1 == "there" && $2 > 2.98 * 0.5 && $2 < 3 * 0.5041 && $4 > 2.97 && $4 < 3 && $5 < $4 / 1.1 && $6 > 1.1 * $4 { b = 1 }
	END { exit !(a && b) }' "$tmp/out"
ok $? "takes nearly three times as long, in an interval"
check 0 "without the recorder" "$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --recorder 25ms --csv "$tmp/two.log"
awk -F, '$1 == "here" && $2 < 0.42 && $2 > 0.2 { a = 1 } END { exit !a }' "$tmp/out"
ok $? "it was faster here, too"
check 1 "no machine" "$critpath" whatif --machine "$tmp/here.json" "$tmp/two.log"
check 1 "an unknown machine" "$critpath" whatif --machine "$tmp/here.json=$tmp/nowhere.json" "$tmp/two.log"
check 2 "a machine and a change" "$critpath" whatif --machine "$tmp/here.json=$tmp/there.json" --scale user=2 "$tmp/two.log"

check 0 "slack" "$critpath" slack --csv "$tmp/two.log"
awk -F, '$1 == "demo" && $2 == "user" && $3 == 0 && $4 > 0.5040999 && $6 > 0.4 { n++ } END { exit n != 1 }' "$tmp/out"
ok $? "what is on the path has none"
check 0 "loops" "$critpath" loops "$tmp/two.log"
says "waits for room in no queue" "there are none where nobody waits for room"
check 0 "for Perfetto" "$critpath" path --perfetto "$tmp/two.log"
is "$(grep -c '"pid": 1000000001, .*"dur"' "$tmp/out")" "$(grep -c '"pid": 10[01], .*"dur"' "$tmp/out")" \
	"each step is on the track of the path and on that of its thread"
awk '/"pid": 1000000001, .*"dur"/ { sub(/.*"dur": /, ""); sum += $0 } END { exit !(sum > 504099.9 && sum < 504100.1) }' \
	"$tmp/out"
ok $? "and they add up"
check 0 "for dot" "$critpath" path --dot "$tmp/two.log"
says "demo user" "the states are named"

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
check 1 "no requests" "$critpath" requests "$tmp/two.log"

check 2 "no trace" "$critpath" path
check 1 "a trace that is not there" "$critpath" "$tmp/nosuch"
check 2 "an unknown command" "$critpath" bogus
check 2 "what if what" "$critpath" whatif "$tmp/two.log"
check 1 "a state that is not there" "$critpath" whatif --scale bogus=2 "$tmp/two.log"
check 1 "no factor" "$critpath" whatif --scale user=x "$tmp/two.log"
check 1 "room for nothing" "$critpath" whatif --capacity pipe=0 "$tmp/two.log"
check 0 "two workers" "$critpath" whatif --workers demo=2 "$tmp/two.log"
check 1 "no number of workers" "$critpath" whatif --workers demo=1.5 "$tmp/two.log"
check 1 "workers of a program that is not there" "$critpath" whatif --workers bogus=2 "$tmp/two.log"
check 1 "no times as much room" "$critpath" whatif --capacity pipe=0x "$tmp/two.log"
check 0 "twice the room" "$critpath" whatif --capacity pipe=2x "$tmp/two.log"
check 0 "less room than was used" "$critpath" whatif --capacity pipe=3 "$tmp/two.log"
check 1 "no such thread" "$critpath" path -t 7 "$tmp/two.log"
check 2 "no such word" "$critpath" path --by bogus "$tmp/two.log"

# Two threads with a queue between them, which say so.
mkdir "$tmp/marks"
if OSVEC_MARKS=$tmp/marks "$build/bin/ktranal" record -q -o "$tmp/marked.ktr" -- "$build/tests/bench/marked" 20 \
	>"$tmp/out" 2>"$tmp/err"; then
	check 0 "marks of the program" "$critpath" path --marks "$tmp/marks" --by word --csv "$tmp/marked.ktr"
	awk -F, '$6 == "work" && $2 > 0 { n++ } END { exit n != 1 }' "$tmp/out"
	ok $? "its states are those of the path"
	check 0 "and in JSON" "$critpath" path --marks "$tmp/marks" --json "$tmp/marked.ktr"
	is "$(value sum_ns)" "$(value elapsed_ns)" "the path still tiles the time"
	check 1 "marks of another run" "$critpath" path --marks "$tmp/marks" "$tmp/two.log"
	check 1 "no marks" "$critpath" path --marks "$tmp" "$tmp/marked.ktr"
else
	skip "nothing can be recorded here: $(head -1 "$tmp/err")"
fi

# A pipeline that is recorded here, by whatever records here.
if "$build/bin/ktranal" record -q -o "$tmp/pipe.ktr" -- \
	sh -c 'head -c 3000000 /dev/zero | gzip -9 | wc -c' >"$tmp/out" 2>"$tmp/err"; then
	check 0 "a recorded pipeline" "$critpath" path --json "$tmp/pipe.ktr"
	is "$(value sum_ns)" "$(value elapsed_ns)" "its path tiles the time"
	check 0 "with gzip in no time" "$critpath" whatif --remove 'gzip *' --csv "$tmp/pipe.ktr"
	awk -F, 'NR == 2 { all = $2 } NR == 3 { exit !($2 < all) }' "$tmp/out"
	ok $? "it is faster"
else
	skip "nothing can be recorded here: $(head -1 "$tmp/err")"
fi
done_testing
