#!/bin/sh
# SPDX-License-Identifier: MIT
# critpath from the command line, on a log of two processes and a pipe, and on a recorded pipeline.
. "$(dirname "$0")/tap.sh"
critpath=$build/bin/critpath

two_log >"$tmp/two.log"
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
chain_log >"$tmp/chain.log"
check 0 "slack of a chain of three" "$critpath" slack --csv "$tmp/chain.log"
awk -F, 'function near(x, y) { return x > y - 0.0011 && x < y + 0.0011 }
	$1 == "second" && $2 == "user" { n++; wrong += !near($6, 0.03) || !near($7, 0.03) || !near($8, 0.081) }
	$1 == "first" && $2 == "user" { n++; wrong += $3 != 0 }
	END { exit n != 2 || wrong }' "$tmp/out"
ok $? "is less than a tenth before the write that nobody had to wait for"
check 0 "loops" "$critpath" loops "$tmp/two.log"
says "no queue limits the run" "there are none where nobody waits for room"
check 0 "for Perfetto" "$critpath" path --perfetto "$tmp/two.log"
is "$(grep -c '"pid": 1000000001, .*"dur"' "$tmp/out")" "$(grep -c '"pid": 10[01], .*"dur"' "$tmp/out")" \
	"each step is on the track of the path and on that of its thread"
awk '/"pid": 1000000001, .*"dur"/ { sub(/.*"dur": /, ""); sum += $0 } END { exit !(sum > 504099.9 && sum < 504100.1) }' \
	"$tmp/out"
ok $? "and they add up"
check 0 "for dot" "$critpath" path --dot "$tmp/two.log"
says 'label="demo"' "each program is a state machine"
says 'user\n504 ms, on the path 502 ms, 99.7%' "with the time of its threads, and of the path, in each state"
awk '/on the path/ { on[$1] } /style=bold/ { n++; wrong += !($1 in on) || !($3 in on) } END { exit wrong || !n }' "$tmp/out"
ok $? "the path goes through these"
is "$(grep -c 'color=gray, constraint' "$tmp/out")" 9 "and the two threads go from each of their states to the next"

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
check 2 "no change" "$critpath" whatif "$tmp/two.log"
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
check 2 "a global path until a time" "$critpath" path --to 0.1 "$tmp/two.log"
check 2 "two pictures" "$critpath" path --dot --folded "$tmp/two.log"
check 2 "a picture as JSON" "$critpath" path --dot --json "$tmp/two.log"
check 1 "a queue that is not there" "$critpath" whatif --capacity pip=inf "$tmp/two.log"
says "the trace has pipe" "those that are there are named"
check 1 "the curve of a state that is not there" "$critpath" whatif --curve bogus "$tmp/two.log"
says "--curve bogus: the trace has" "the option is named"
check 0 "global, to the end of the child" "$critpath" path --end 101 --json "$tmp/two.log"
[ "$(value elapsed_ns)" -lt 504000000 ] && [ "$(value elapsed_ns)" -eq "$(value sum_ns)" ]
ok $? "which was earlier"
check 0 "since a time" "$critpath" path --from 0.1 --json "$tmp/two.log"
is "$(value sum_ns)" 404100000 "leaves out what was before"
check 0 "anchored, until a time" "$critpath" path -t 100 --to 0.1 --json "$tmp/two.log"
is "$(value sum_ns)" 100000000 "leaves out what was after it"
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
