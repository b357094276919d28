#!/bin/sh
# SPDX-License-Identifier: MIT
# 'ktranal time': the command behaves as without it, and every process is measured.
. "$(dirname "$0")/tap.sh"
ktranal=$build/bin/ktranal
tracee=$build/tests/unit/recorder

# The values of a member in a time file, in their order, one line.
member() {
	sed 's/, "/\n"/g; s/[{}]/\n/g' "$1" | sed -n "s/^ *\"$2\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" | tr '\n' ' ' | sed 's/ $//'
}

# The value of a member in the first run, before its programs.
first() {
	member "$1" "$2" | cut -d' ' -f1
}

# Bad usage.
for args in "" "-p 1 -- true" "-p x" "--for 1 -- true" "-p 1 -r 2"; do
	# shellcheck disable=SC2086
	"$ktranal" time $args >"$tmp/out" 2>"$tmp/err"
	is "$? $(wc -c <"$tmp/out") $(wc -l <"$tmp/err")" "2 0 1" "bad usage: time $args"
done

# The command.
for status in 0 7; do
	"$ktranal" time -q -o "$tmp/a.time" -- sh -c "exit $status"
	is "$? $(first "$tmp/a.time" status)" "$status $status" "exit status $status passes through"
done
"$ktranal" time -q -o "$tmp/a.time" -- sh -c 'kill -TERM $$' 2>/dev/null
is "$? $(first "$tmp/a.time" status)" "143 143" "so does death by a signal"
head -c 300000 /dev/urandom >"$tmp/data"
"$ktranal" time -q -o "$tmp/a.time" -- cat <"$tmp/data" >"$tmp/copy" 2>"$tmp/err"
is "$(cksum <"$tmp/copy")" "$(cksum <"$tmp/data")" "stdin and stdout pass through"
(cd "$tmp" && "$ktranal" time -q -- true)
[ -s "$tmp/true.time" ]
ok $? "the default file is named after the program"
"$ktranal" time -q -o /dev/full -- true 2>"$tmp/err"
[ $? -eq 1 ] && [ -s "$tmp/err" ]
ok $? "a file that cannot be written"

# The state of the host: what the interpreter takes, which is also a benchmark; it goes into the vector.
"$ktranal" time -q -o "$tmp/a.time" -- true
cost=$("$build/bench/cpu_vm" -JB 3 | sed 's/.*"seconds": \([0-9.e-]*\).*/\1/')
awk -v a="$(first "$tmp/a.time" code)" -v b="$cost" 'BEGIN { exit !(a > b / 3 && a < b * 3) }'
ok $? "how fast the host was beside the runs" || echo "# $(first "$tmp/a.time" code), not $cost"
"$ktranal" vector -t "$tmp/a.time" -o "$tmp/a.json" "$source/tests/data/strace/6.1.log" >"$tmp/out" 2>"$tmp/err"
is "$(grep -A2 '"code"' "$tmp/a.json")" "$(grep -A2 '"code"' "$tmp/a.time" | sed 's/},/}/')" "it is in the vector"

# Runs.
"$ktranal" time -q -r 3 -o "$tmp/a.time" -- sh -c 'exit 2'
is "$? $(member "$tmp/a.time" complete)" "2 true true true" "-r 3 keeps three runs"
"$ktranal" time -q -r 2 -o "$tmp/a.time" -- grep SigIgn /proc/self/status >"$tmp/out"
is "$(wc -l <"$tmp/out") $(sort -u "$tmp/out" | wc -l)" "2 1" "the second run ignores the signals that the first does"

# The first run ends by itself, the second by a signal; otherwise there would be four.
# shellcheck disable=SC2016
"$ktranal" time -q -r 4 -o "$tmp/a.time" -- sh -c 'echo x >>"$0"; [ "$(wc -l <"$0")" -eq 1 ] || exec sleep 1' \
	"$tmp/runs" 2>"$tmp/err" &
pid=$!
until_ok eval 'test "$(wc -l <"$tmp/runs")" -ge 2'
kill -TERM $pid
wait $pid 2>/dev/null
is "$? $(wc -l <"$tmp/runs")" "143 2" "SIGTERM ends all runs, not only the one under way"
is "$(member "$tmp/a.time" status) $(grep -c 'asked to stop: 1 of 4 runs' "$tmp/err")" "0 1" \
	"the run that it cut short is not kept"

# A process left by the first run ends during the second, to which it does not belong.
# shellcheck disable=SC2016
rm -f "$tmp/left"
"$ktranal" time -b wait -q -r 2 -w 0.05 -o "$tmp/a.time" -- sh -c '
	if [ -e "$0" ]; then
		sleep 1.5
		:
	else
		: >"$0"
		sleep 1 >/dev/null &
	fi' "$tmp/left" 2>"$tmp/err"
grep -o '"processes": *[0-9]*' "$tmp/a.time" | sed 's/.* //' | xargs >"$tmp/out"
is "$(cut -d' ' -f2 <"$tmp/out")" 1 "-b wait -r: what an earlier run left is not counted"
# What is measured of each process.
for backend in bpf ptrace; do
if ! "$ktranal" time -q -b $backend -o "$tmp/a.time" -- true 2>"$tmp/err"; then
	skip "$backend: $(tail -1 "$tmp/err")"
	continue
fi
is "$(first "$tmp/a.time" method)" $backend "$backend: the file says so"
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- true 2>"$tmp/err"
is "$(wc -c <"$tmp/err")" 0 "$backend: -q prints nothing"

# Which processes are counted.
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- "$tracee" counts
is "$(first "$tmp/a.time" processes) $(first "$tmp/a.time" threads)" "6 11" "$backend: 6 processes, 11 threads"
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- sh -c '(sleep 0.2 &) ; exit 0'
is "$(first "$tmp/a.time" complete) $(first "$tmp/a.time" processes)" "true 3" \
	"$backend: a daemon that outlives the command for a moment is waited for"
"$ktranal" time -b "$backend" -q -w 0.1 -o "$tmp/a.time" -- sh -c 'sleep 60 & echo $!' >"$tmp/pid" 2>"$tmp/err"
is "$? $(first "$tmp/a.time" complete) $(member "$tmp/a.time" end | tr ' ' '\n' | grep -c running)" \
	"0 false 1" "$backend: one that continues is not, and the file says so"
kill "$(cat "$tmp/pid")"
ok $? "$backend: it is left running"
# Without -w it would be waited for.
"$ktranal" time -b "$backend" -q -w 0.1 -o "$tmp/a.time" -- sh -c 'sleep 20 >/dev/null & exit 0' 2>"$tmp/err"
is "$? $(first "$tmp/a.time" complete)" "0 false" "$backend: -w 0.1 waits no longer than that"
# A daemon left by the first run gets the signal that the second run sends it.
# shellcheck disable=SC2016
rm -f "$tmp/daemon"
"$ktranal" time -b "$backend" -q -r 2 -w 0.1 -o "$tmp/a.time" -- sh -c '
	if [ ! -s "$0" ]; then
		sleep 60 &
		echo $! >"$0"
		exit
	fi
	pid=$(cat "$0")
	kill "$pid"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		case $(sed -n "s/^State:[[:space:]]*\(.\).*/\1/p" "/proc/$pid/status" 2>/dev/null) in
		"" | Z) echo gone; exit ;;
		esac
		sleep 0.1
	done' "$tmp/daemon" >"$tmp/out" 2>"$tmp/err"
is "$(cat "$tmp/out")" gone "$backend: a daemon left by one run is not traced in the next: signals reach it"
kill -KILL "$(cat "$tmp/daemon")" 2>/dev/null
"$ktranal" time -b "$backend" -q -O sleep -o "$tmp/a.time" -- sh -c 'sleep 0; sleep 0; true'
is "$(first "$tmp/a.time" processes) $(member "$tmp/a.time" counted | tr ' ' '\n' | grep -c true) $(first "$tmp/a.time" only)" \
	"2 2 sleep" "$backend: --only counts the program asked for"
"$ktranal" time -b "$backend" -q -O no-such -o "$tmp/none.time" -- true 2>"$tmp/err"
is "$? $(grep -c 'no process ran' "$tmp/err") $(find "$tmp" -name none.time)" "1 1 " \
	"$backend: --only of a program that did not run: an error and no file"

# What each program used: lists of the run's sum and then of its programs.
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- "$tracee" successive
is "$(member "$tmp/a.time" end) $(member "$tmp/a.time" pid | tr ' ' '\n' | sort -u | wc -l)" "exec exit 1" \
	"$backend: two programs of one process"
for name in wall user system; do member "$tmp/a.time" $name; echo; done | awk '
	NR == 1 { w2 = $2; w3 = $3 }
	NR > 1 { c2 += $2; c3 += $3 }
	END { exit !(c2 > 0.0499 && c3 > 0.0499 && c2 < w2 + 0.01 && c3 < w3 + 0.01) }'
ok $? "$backend: each used its 0.05 s of CPU time, and not more than wall time"
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- "$tracee" faults
member "$tmp/a.time" minor_faults | awk '{ exit !(NF == 4 && $2 > 10007 && $3 > 10007 && $2 < 20014 && $3 < 20014 && $4 < 10007) }'
ok $? "$backend: 10007 pages touched are faults of their process alone, before and after an exec"
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- "$tracee" sleepers
awk -v v="$(first "$tmp/a.time" voluntary)" 'BEGIN { exit !(v >= 69 && v < 99) }'
is "$? $(first "$tmp/a.time" threads)" "0 4" "$backend: 69 sleeps of threads are voluntary switches, stops by the tracer are not"
# shellcheck disable=SC2016
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- sh -c 'trap : USR1; i=0; while [ $i -lt 300 ]; do kill -USR1 $$; i=$((i + 1)); done'
awk -v v="$(first "$tmp/a.time" voluntary)" 'BEGIN { exit !(v > -100 && v < 100) }'
ok $? "$backend: 300 stops for signals are not counted as switches"

# Two programs that use too little for a share of user time of their own get one of both: a loop, and a dd that is
# nearly all system time.
# shellcheck disable=SC2016
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none
	i=0; while [ $i -lt 25000 ]; do i=$((i + 1)); done'
sed -n 's/.*"program": "\([a-z]*\)".*"user": \([^,]*\), "system": \([^,]*\),.*/\1 \2 \3/p' "$tmp/a.time" >"$tmp/out"
awk '{ user[$1] += $2; all[$1] += $2 + $3 } END { sh = all["sh"]; dd = all["dd"]
	if (sh < 0.02 || dd < 0.02 || sh > 0.15 || dd > 0.15)
		exit 3
	d = user["sh"] / sh - user["dd"] / dd
	exit !(d < 1e-6 && d > -1e-6) }' "$tmp/out"
status=$?
case $status in
3) skip "this CPU is too fast or too slow for programs of a few ticks" ;;
*) ok $status "$backend: programs of few ticks have one share of user time" ;;
esac

# Processes that end long before the next tick.
# shellcheck disable=SC2016
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); (:); done'
sed -n 's/.*"program": .*"user": \([^,]*\), "system": \([^,]*\),.*/\1 \2/p' "$tmp/a.time" |
	awk '$1 + $2 > 5e-6 { n++ } END { exit !(NR == 301 && n == 301) }'
ok $? "$backend: each of 301 short processes has its CPU time"
name=$(printf 'a) S\nb')
cp "$tracee" "$tmp/$name" # which /proc/PID/stat has in it
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- "$tmp/$name" leaf
faults=$(sed -n 's/^ *"minor_faults": \(.*\),$/\1/p' "$tmp/a.time")
ok $((${faults:-0} <= 10)) "$backend: a program whose name has two lines had $faults page faults"
"$ktranal" time -b "$backend" -q -o "$tmp/a.time" -- "$tracee" exec
is "$(sed -n 's/.*"complete": \(.*\),/\1/p' "$tmp/a.time") $(grep -o '"end": .*"' "$tmp/a.time" | tr -d '\n')" \
	'true "end": "exec""end": "exit"' "$backend: a program that another thread than the first one starts has its end"
done

# Counted in the kernel: the calls of a program, without those of its children.
if "$ktranal" time -q -c -O dd -o "$tmp/a.time" -- sh -c \
	'dd if=/dev/zero of=/dev/null bs=1 count=10007 status=none; true' 2>"$tmp/err"; then
	awk '/"program": "dd"/ { dd = 1 } dd && /"write":/ { exit !(int($2) == 10007) } END { if (!dd) exit 1 }' "$tmp/a.time"
	ok $? "-c: 10007 writes of dd"
	is "$(sed -n '/"calls": {/,$p' "$tmp/a.time" | grep -c '"program":')" 1 "-c: -O counts no other program"
	"$ktranal" time -q -c -o "$tmp/a.time" -- sh -c 'cat /dev/null; exec "$0" leaf' "$tracee" &&
		sed -n '/"calls": {/,$p' "$tmp/a.time" >"$tmp/counted"
	is "$(member "$tmp/counted" geteuid | tr ' ' '\n' | grep -c '^23') $(member "$tmp/counted" exit_group)" "1 1 1" \
		"each program has its own calls, once"
	for missing in "" "$tmp/1 $tmp/2 $tmp/3 $tmp/4 $tmp/5"; do
		# shellcheck disable=SC2086
		LC_ALL=C "$ktranal" time -q -c -o "$tmp/a.time" -- cat $missing /dev/null 2>/dev/null
		sed -n '/"failed": {/,/}/s/.*"open[at]*": *\([0-9]*\).*/\1/p' "$tmp/a.time" | awk '{ n += $1 } END { print n + 0 }'
	done >"$tmp/got"
	is "$(awk 'NR > 1 { print $1 - last } { last = $1 }' "$tmp/got")" 5 "-c: five more opens that failed"
else
	skip "$(tail -1 "$tmp/err")"
fi
"$ktranal" time -q -c -p $$ --for 0.1 -o "$tmp/a.time" 2>"$tmp/err"
is "$? $(grep -c 'needs a command' "$tmp/err")" "2 1" "-c needs a command"

# Running processes.
word=$(printf '%0100000d' 1)
"$tracee" runner "$tmp/progress" "$word" "$word" "$word" "$word" "$word" "$word" "$word" "$word" "$word" "$word" "$word" &
runner=$!
until_ok test -s "$tmp/progress"
"$ktranal" time -q -p $runner --for 0.3 -o "$tmp/a.time"
is "$? $(first "$tmp/a.time" complete) $(first "$tmp/a.time" processes) $(first "$tmp/a.time" threads)" \
	"0 true 1 2" "-p for a while"
awk -v w="$(first "$tmp/a.time" wall)" -v c="$(first "$tmp/a.time" user) $(first "$tmp/a.time" system)" \
	'BEGIN { split(c, v, " "); c = v[1] + v[2]; exit !(w >= 0.3 && c > 0 && c < 1.2 * w + 0.05) }'
ok $? "for that long at least, and only from then on"
is "$(awk '/"command"/ && length() > 1100000' "$tmp/a.time" | wc -l)" 1 "a command line of more than a megabyte is read whole"
kill -TERM $runner
wait $runner
is $? 42 "the process continues to its own end"
for args in "-b foo -- true" "-b bpf -p $$" "-b wait -O true -- true"; do
	# shellcheck disable=SC2086
	"$ktranal" time -o "$tmp/none.time" $args 2>"$tmp/err"
	is "$? $(grep -c '^ktranal time: -b' "$tmp/err") $(find "$tmp" -name none.time)" "2 1 " "bad usage: time $args"
done
"$ktranal" time -p 4194303 -o "$tmp/a.time" 2>"$tmp/err"
is "$? $(grep -c 'no such process' "$tmp/err")" "1 1" "-p of a process that does not exist"
K="$ktranal" O="$tmp/a.time" sh -c '"$K" time -q -p $$ --for 0.1 -o "$O"; exit $?'
is "$? $(first "$tmp/a.time" processes)" "0 1" "-p of one's own shell"
done_testing
