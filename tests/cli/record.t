#!/bin/sh
# SPDX-License-Identifier: MIT
# 'ktranal record': the command behaves as without it, and the trace can be read whatever happens.
. "$(dirname "$0")/tap.sh"
ktranal=$build/bin/ktranal
tracee=$build/tests/unit/recorder

# The state letter of a process, "" when it does not exist.
state() {
	sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null
}

# Calls of that name in a trace.
calls_in() {
	"$ktranal" summary --csv -e "$2" "$1" 2>/dev/null | awk -F, 'NR > 1 { n += $3 } END { print n + 0 }'
}

# breaks_off NAME TRACE: the disk had room for so many calls, and the summary line of the recorder knows how many.
breaks_off() {
	kept=$(sed -n 's/.*: \([0-9]*\) calls of .*, at least [1-9][0-9]* calls unwritten.*/\1/p' "$tmp/err")
	is "$("$ktranal" summary "$2" | sed -n 's/^\([0-9]*\) calls;.* 0 torn bytes$/\1/p')" "$kept" \
		"$1: the calls that were written can be read"
	[ "${kept:-0}" -gt 4000 ]
	ok $? "$1: they are as many as there was room for"
}

# small_disk BACKEND
small_disk() {
	mkdir -p "$tmp/small"
	if ! unshare -m mount -t tmpfs -o size=64k none "$tmp/small" 2>"$tmp/err"; then
		skip "$1: no small disk: $(head -1 "$tmp/err")"
		return
	fi
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs -o size=64k none "$1" || exit 9
		"$2" record -b "$3" -o "$1/a.ktr" -- dd if=/dev/zero of=/dev/null bs=1 count=60000
		echo $?; cp "$1/a.ktr" "$1/../b.ktr"' sh "$tmp/small" "$ktranal" "$1" >"$tmp/out" 2>"$tmp/err"
	is "$(cat "$tmp/out") $(grep -c 'No space left' "$tmp/err") $(grep -c '60000 bytes' "$tmp/err")" "1 1 1" \
		"$1: a small disk: the command goes on to its end"
	breaks_off "$1: a small disk" "$tmp/b.ktr"
	[ "$1" != ptrace ] || return # which lets the command go
	missing=$(sed -n 's/.*at least \([0-9]*\) calls unwritten.*/\1/p' "$tmp/err")
	lost=$(sed -n 's/.* \([0-9]*\) records lost.*/\1/p' "$tmp/err")
	[ -n "$lost" ] || { [ $((kept + missing)) -ge 120000 ] && [ $((kept + missing)) -lt 120500 ]; }
	ok $? "$1: all others are said to be missing: $missing"
}

if ! "$ktranal" record -b ptrace -q -o "$tmp/probe.ktr" -- true 2>"$tmp/err"; then
	echo "1..0 # SKIP $(head -1 "$tmp/err")"
	exit 0
fi

# All of this by ptrace, which controls the command; by BPF see the end.

# Usage.
for args in "" "-p 1 -- true" "-p x" "-p 0" "-o"; do
	# shellcheck disable=SC2086
	"$ktranal" record -b ptrace $args >"$tmp/out" 2>"$tmp/err"
	is "$? $(wc -c <"$tmp/out") $(wc -l <"$tmp/err")" "2 0 1" "bad usage: record $args"
done
echo former >"$tmp/kept.ktr"
bad_usage() {
	"$ktranal" "$@" 2>"$tmp/err"
	is "$? $(wc -l <"$tmp/err") $(cat "$tmp/kept.ktr")" "2 1 former" "bad usage: $* ($(cat "$tmp/err"))"
}
for args in "-b no-such" "-a -b ptrace" "-b perf -E PERF_COUNT_SW_PAGE_FAULTS" "-E ," "-E no_such_event"; do
	# shellcheck disable=SC2086
	case $args in
	*-E*) "$ktranal" record -E PERF_COUNT_SW_PAGE_FAULTS -o /dev/null -- true 2>"$tmp/err" || [ $? -ne 3 ] ||
		{ skip "$(cat "$tmp/err")"; continue; } ;;
	esac
	# shellcheck disable=SC2086
	bad_usage record $args -o "$tmp/kept.ktr" -- true
done
bad_usage record -E "" -o "$tmp/kept.ktr" -- true
bad_usage record --cgroup "$tmp" -b perf -o "$tmp/kept.ktr"
bad_usage top --cgroup "$tmp" -b ptrace
bad_usage top -b no-such -- true

# Exit status and signals.
for status in 0 1 7 255; do
	"$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- sh -c "exit $status"
	is $? $status "exit status $status passes through"
done
for signal in 2 3 6 9 11 15; do
	"$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- sh -c "ulimit -c 0; kill -$signal \$\$" 2>/dev/null
	is $? $((128 + signal)) "death by signal $signal passes through"
done 2>/dev/null
sh -c '"$@"; true' sh "$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- sh -c 'kill -KILL $$' 2>"$tmp/err"
is "$(grep -c Killed "$tmp/err")" 1 "it is the death of the recorder, too: no status above 128"

# Streams and files.
head -c 300000 /dev/urandom >"$tmp/data"
"$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- cat <"$tmp/data" >"$tmp/copy" 2>"$tmp/err"
is "$(cksum <"$tmp/copy")" "$(cksum <"$tmp/data")" "stdin and stdout pass through"
is "$(wc -c <"$tmp/err")" 0 "-q prints nothing"
"$ktranal" record -b ptrace -o "$tmp/a.ktr" -- true 2>"$tmp/err"
is "$(grep -c '0 lost.*ptrace; recording added about [0-9.]* us to each call' "$tmp/err")" 1 \
	"without -q one line names losses, backend and cost"
printf '#!%s\n' "$tmp/no-such" >"$tmp/badint" && chmod +x "$tmp/badint"
for view in dump summary idle top "top --csv"; do
	# shellcheck disable=SC2086
	"$ktranal" $view -- "$tmp/badint" >"$tmp/out" 2>"$tmp/err"
	is "$? $(wc -c <"$tmp/out") $(grep -c 'what should run it .* does not exist' "$tmp/err")" "1 0 1" \
		"$view of a script without an interpreter: the error alone"
done
for backend in $("$ktranal" doctor | awk '$2 == "yes" { print $1 }'); do
	"$ktranal" record -b "$backend" -o "$tmp/unstarted.ktr" -- "$tmp/badint" 2>"$tmp/err"
	is "$? $(ls "$tmp" | grep -c unstarted)" "1 0" "$backend: what cannot be started leaves no trace"
done
"$ktranal" record -b ptrace -q -o - -- echo printed >"$tmp/stdout.ktr" 2>"$tmp/err"
is "$? $(calls_in "$tmp/stdout.ktr" execve) $(cat "$tmp/err")" "0 1 printed" \
	"-o - writes to the standard output, and the command to standard error"
"$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- sh -c 'ls /proc/self/fd' >"$tmp/with"
sh -c 'ls /proc/self/fd' >"$tmp/without"
is "$(cksum <"$tmp/with")" "$(cksum <"$tmp/without")" "the command inherits no descriptor of ours"
(cd "$tmp" && "$ktranal" record -b ptrace -q -- true)
[ -s "$tmp/true.ktr" ]
ok $? "the default file is named after the program"
(
	cd "$tmp" && printf '#!/bin/sh\n' >here && chmod +x here && timeout 10 env PATH=:/nosuch "$ktranal" record -b ptrace -q -- here &&
		timeout 10 env PATH=/nosuch::/bin "$ktranal" record -b ptrace -q -o here.ktr -- here &&
		timeout 10 env "PATH=:$PATH" "$ktranal" record -b ptrace -q -o here.ktr -- true
)
is $? 0 "an empty part of PATH, in front or between, is the current directory"
odd=$(printf 'a b\n\033[31m')
"$ktranal" record -b ptrace -o "$tmp/$odd" -- true 2>"$tmp/err"
is "$(wc -l <"$tmp/err") $(grep -c "/a b??\[31m: .* look at it: ktranal '.*/a b??\[31m'\$" "$tmp/err")" "1 1" \
	"control characters of a file's name do not reach the terminal, and blanks are quoted"
inode=$(ls -i "$tmp/true.ktr" | cut -d ' ' -f 1)
(cd "$tmp" && "$ktranal" record -b ptrace -q -- true)
is "$(ls -i "$tmp/true.ktr.old" | cut -d ' ' -f 1)" "$inode" "and the one before is kept"
check 1 "a recording of no program" "$ktranal" record -q -O none -o "$tmp/true.ktr" -- true
is "$(ls -i "$tmp/true.ktr.old" | cut -d " " -f 1) $(ls "$tmp" | grep -c "true.ktr.older")" "$inode 0" "leaves both"
inode=$(ls -i "$tmp/true.ktr" | cut -d ' ' -f 1)
"$ktranal" record -b ptrace -o "$tmp/true.ktr" -p 4194303 2>"$tmp/err"
is "$? $(ls -i "$tmp/true.ktr" | cut -d ' ' -f 1)" "1 $inode" "where recording cannot begin, the one before stays"
"$ktranal" summary --csv --net -e getpid,read "$tmp/true.ktr" | awk -F, 'NR > 1 { n += $5 } END { print n + 0 }' >"$tmp/net"
"$ktranal" summary --csv -e getpid,read "$tmp/true.ktr" | awk -F, -v net="$(cat "$tmp/net")" \
	'NR > 1 { n += $5; calls += $3 } END { exit !(net < n && net >= 0) }'
ok $? "--net: times without the recorder"
"$ktranal" summary --net "$tmp/true.ktr" | grep -q '^about [0-9.]* us of recording overhead subtracted from each'
ok $? "and it says how much"
echo '7 1.0 getpid() = 7 <0.1>' >"$tmp/log"
for view in summary dump "calls -e getpid"; do
	for format in "" --csv; do
		# shellcheck disable=SC2086
		"$ktranal" $view --net $format "$tmp/log" >"$tmp/out" 2>&1
		is "$? $(grep -c -- '--net changed nothing' "$tmp/out")" "0 1" "$view --net $format: nothing to take out"
	done
done

# A view of a command that is recorded meanwhile.
echo word | "$ktranal" summary --csv -e execve -- sh -c 'read x; echo "$x"; exit 7' >"$tmp/out" 2>"$tmp/err"
is "$? $(sed -n 1p "$tmp/out") $(grep -c '^59,execve,1,0,\|^221,execve,1,0,' "$tmp/out") $(wc -c <"$tmp/err")" "7 word 1 0" \
	"summary -- COMMAND: its streams, its status, its calls"
"$ktranal" dump -- "$tmp/no-such" >"$tmp/out" 2>"$tmp/err"
is "$? $(wc -c <"$tmp/out") $(cat "$tmp/err")" "1 0 ktranal: $tmp/no-such: No such file or directory" \
	"dump -- COMMAND that does not exist"
"$ktranal" dump -e kill --csv -- sh -c 'kill -15 $$' >"$tmp/out" 2>/dev/null
is "$? $(grep -c ',kill,' "$tmp/out")" "143 1" "dump -- COMMAND that a signal kills: its calls, its death"

# Which processes it follows.
"$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- sh -c 'sleep 0.3 & exit 3'
is "$? $(calls_in "$tmp/a.ktr" execve)" "3 2" "it records until the last process has ended"
"$ktranal" record -b ptrace -q -O sleep -o "$tmp/a.ktr" -- sh -c 'true; sleep 0; exit 0'
is "$("$ktranal" dump "$tmp/a.ktr" | grep -c '^sleep .*exit_group')" 1 "--only: the program asked for"
is "$("$ktranal" dump "$tmp/a.ktr" | grep -c '^\(sh\|true\) ')" 0 "--only: and no other"

"$ktranal" record -b ptrace -O no-such -o "$tmp/none.ktr" -- true 2>"$tmp/err"
is "$? $(cat "$tmp/err") $(find "$tmp" -name none.ktr)" "1 ktranal: no process ran a program named by --only " \
	"--only of a program that did not run: an error and no trace"

"$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- "$tracee" untraced
"$ktranal" summary "$tmp/a.ktr" | grep -q '^the recorder says: 1 child not traceable$'
ok $? "what the recorder could not see is said by those that read"
"$ktranal" tree --json "$tmp/a.ktr" | grep -q '"noted": {"untraced_children": 1}'
ok $? "in JSON, too"

# What cannot be run or written.
"$ktranal" record -b ptrace -o "$tmp/b.ktr" -- /dev/null 2>"$tmp/err"
is "$? $(grep -c 'Permission denied' "$tmp/err")" "1 1" "a command that is not a program"
printf 'true\n' >"$tmp/script" && chmod +x "$tmp/script"
"$ktranal" record -b ptrace -o "$tmp/none.ktr" -- "$tmp/script" 2>"$tmp/err"
is "$? $(grep -c 'neither a program nor a script' "$tmp/err") $(find "$tmp" -name none.ktr)" "1 1 " \
	"a file whose execve fails: no trace is left"
"$ktranal" record -b ptrace -o /dev/full -- sh -c 'for i in 1 2 3 4 5; do ls -l /usr/bin; done; echo end' \
	>"$tmp/out" 2>"$tmp/err"
is "$? $(tail -1 "$tmp/out") $(grep -c 'No space left' "$tmp/err")" "1 end 1" \
	"a full disk: the command goes on to its end"
is "$(grep -c '0 lost' "$tmp/err") $(grep -c ': 0 calls .*, all others unwritten' "$tmp/err") $(grep -c 'to look at it' "$tmp/err")" "0 1 0" \
	"and the summary line says that all is lost"
(
	ulimit -f 400 || exit 9
	exec "$ktranal" record -b ptrace -o "$tmp/b.ktr" -- dd if=/dev/zero of=/dev/null bs=1 count=60000
) 2>"$tmp/err"
is "$? $(grep -c 'File too large' "$tmp/err") $(grep -c '60000 bytes' "$tmp/err")" "1 1 1" \
	"a limit of file size: the same"
breaks_off "a limit of file size" "$tmp/b.ktr"
small_disk ptrace
"$ktranal" record -b ptrace -o "$tmp/none.ktr" -p 4194303 2>"$tmp/err"
is "$? $(grep -c 'no such process' "$tmp/err") $(find "$tmp" -name none.ktr)" "1 1 " \
	"-p of a process that does not exist: no trace is left"
others=
for t in 0.01 0.02 0.03 0.05 0.07 0.1 0.15 0.2; do
	sleep $t &
	pid=$!
	"$ktranal" record -b ptrace -q -o "$tmp/b.ktr" -p $pid 2>"$tmp/err"
	case "$? $(cat "$tmp/err")" in
	"1 ktranal: process $pid"*" ended"* | "1 ktranal: process $pid: there is no such process" | "0 "*) ;;
	*) others="$others$(cat "$tmp/err")" ;;
	esac
done
is "$others" "" "-p of a process that ends while the recording begins: that is said"
sh -c 'sleep 0.1 & echo $!; exec sleep 30' >"$tmp/zombie" &
pid=$!
until_ok eval 'test "$(state "$(cat "$tmp/zombie")")" = Z'
"$ktranal" record -b ptrace -o "$tmp/b.ktr" -p "$(cat "$tmp/zombie")" 2>"$tmp/err"
is "$? $(grep -c 'has ended' "$tmp/err")" "1 1" "-p of a dead process that nobody waits for"
kill $pid
wait $pid 2>/dev/null
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	sleep 30 &
	pid=$!
	cp "$ktranal" "$tmp/ktranal" && chmod 755 "$tmp" "$tmp/ktranal"
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$tmp/ktranal" record -o /dev/null -p $pid 2>"$tmp/err"
	is "$? $(grep -c 'not permitted' "$tmp/err")" "1 1" "-p of another user's process"
	cp "$(command -v id)" "$tmp/id" && cp "$(command -v sleep)" "$tmp/sleep" && chmod 4755 "$tmp/id" "$tmp/sleep"
	nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
	if [ "$($nobody "$tmp/id" -u)" = 0 ] && $nobody "$tmp/ktranal" record -b perf -o /dev/null -- true 2>"$tmp/err"; then
		$nobody "$tmp/ktranal" record -b perf -o /dev/null -- "$tmp/sleep" 1 2>"$tmp/err"
		is "$(grep -c '1 child not traceable' "$tmp/err")" 1 "perf: a set-user-ID program is counted as not traceable"
	else
		skip "perf does not work here, or $tmp has no set-user-ID programs"
	fi
	cp "$(command -v sleep)" "$tmp/other" && chown 65534 "$tmp/other" && chmod 4755 "$tmp/other"
	if "$ktranal" record -b perf -o /dev/null -- "$tmp/other" 1 2>"$tmp/err"; then
		is "$(grep -c '1 child not traceable' "$tmp/err")" 1 "and one of another user, which root runs"
		unshare -m sh -c 'umount -l /sys && exec "$@"' sh "$ktranal" record -b perf -o /dev/null -- true 2>"$tmp/err"
		is "$? $(grep -c 'is /sys mounted' "$tmp/err")" "1 1" "without /sys nobody knows which CPUs there are"
	else
		skip "perf does not work here"
	fi
	kill $pid
	wait $pid 2>/dev/null
else
	skip "not root: cannot become another user"
fi

# Signals to the recorder.
"$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- sh -c 'trap "echo caught; exit 9" TERM; echo ready; while :; do sleep 0.05; done' \
	>"$tmp/caught" &
pid=$!
until_ok grep -q ready "$tmp/caught"
kill -TERM $pid
wait $pid
is "$? $(tail -1 "$tmp/caught")" "9 caught" "SIGTERM is passed on to the command"
is "$(calls_in "$tmp/a.ktr" execve | grep -c '[1-9]')" 1 "and the trace is complete"
"$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- sh -c 'echo $$; sleep 60 & echo $!; wait' >"$tmp/both" &
pid=$!
until_ok eval 'test "$(wc -l <"$tmp/both")" -eq 2'
kill -KILL $pid
wait $pid 2>/dev/null
gone() { for p in $(cat "$tmp/both"); do [ -z "$(state "$p")" ] || return 1; done; }
until_ok gone
ok $? "kill -9: a command that is traced by ptrace dies with the recorder and nothing stays stopped"
"$ktranal" record -b ptrace -q -o "$tmp/f.ktr" -- sleep 60 &
pid=$!
until_ok eval '[ "$(calls_in "$tmp/f.ktr" execve)" -eq 1 ]'
ok $? "what was recorded is in the file soon, however few calls follow"
kill -KILL $pid
wait $pid 2>/dev/null

"$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- sh -c 'echo $$; sleep 60 & echo $!; exit 6' >"$tmp/left" &
pid=$!
until_ok eval 'test "$(wc -l <"$tmp/left")" -eq 2'
sleeper=$(tail -1 "$tmp/left")
until_ok test ! -d "/proc/$(head -1 "$tmp/left")"
until_ok grep -q '^Name:.sleep' "/proc/$sleeper/status"
kill -TERM $pid
wait $pid
is "$?" 6 "SIGTERM when the command has ended: its status"
until_ok eval 'test "$(state "$sleeper")" = S'
is "$(sed -n 's/^TracerPid:.//p' "/proc/$sleeper/status")" 0 "what it left behind is left running"
kill "$sleeper"
"$ktranal" record -b ptrace -q -o "$tmp/a.ktr" -- sh -c 'trap "echo again" TERM; echo $$; while :; do sleep 0.05; done' \
	>"$tmp/stubborn" &
pid=$!
until_ok test -s "$tmp/stubborn"
stubborn=$(head -1 "$tmp/stubborn")
kill -TERM $pid
until_ok grep -q again "$tmp/stubborn"
kill -TERM $pid
wait $pid
is "$? $(sed -n 's/^TracerPid:.//p' "/proc/$stubborn/status")" "143 0" \
	"a second SIGTERM lets go of a command that ignores the first"
kill -KILL "$stubborn"
is "$(calls_in "$tmp/a.ktr" execve | grep -c '[1-9]')" 1 "the trace is complete"

# Running processes.
"$tracee" runner "$tmp/progress" &
runner=$!
moves() { before=$(wc -c <"$tmp/progress"); sleep 0.1; [ "$(wc -c <"$tmp/progress")" -gt "$before" ]; }
until_ok moves
ok $? "a process runs"
"$ktranal" record -b ptrace -q -o "$tmp/p.ktr" -p $runner --for 0.5s
is "$? $(sed -n 's/^TracerPid:.//p' "/proc/$runner/status")" "0 0" "-p --for ends by itself"
[ "$(calls_in "$tmp/p.ktr" getppid)" -gt 2 ]
ok $? "and has recorded meanwhile"
"$ktranal" record -b ptrace -o "$tmp/p.ktr" -p $runner 2>"$tmp/begun" &
pid=$!
until_ok grep -qx "ktranal: recording process $runner by ptrace; ^C ends it" "$tmp/begun"
ok $? "-p says when recording has begun"
until_ok moves
kill -INT $pid
wait $pid
is $? 0 "SIGINT ends -p"
[ "$(calls_in "$tmp/p.ktr" getppid)" -gt 2 ] && [ "$(calls_in "$tmp/p.ktr" getuid)" -gt 2 ]
ok $? "calls of both threads are in the trace"
is "$(sed -n 's/^TracerPid:.//p' /proc/$runner/status) $(state $runner | tr SRD aaa)" "0 a" \
	"the process is no longer traced"
until_ok moves
ok $? "and continues"
kill -STOP $runner
"$ktranal" record -b ptrace -q -o "$tmp/p.ktr" -p $runner &
pid=$!
until_ok grep -q "TracerPid:.[1-9]" /proc/$runner/status
moves
is $? 1 "a process that job control has stopped stays stopped"
kill -CONT $runner
until_ok moves
ok $? "until SIGCONT"
kill -KILL $pid
wait $pid 2>/dev/null
until_ok grep -q "TracerPid:.0" /proc/$runner/status
until_ok moves
ok $? "kill -9 of the recorder: the process continues"
"$ktranal" record -b ptrace -q -o "$tmp/p.ktr" -p $runner &
pid=$!
until_ok grep -q "TracerPid:.[1-9]" /proc/$runner/status
"$ktranal" record -b ptrace -o "$tmp/q.ktr" -p $runner 2>"$tmp/err"
is "$? $(grep -c 'already traced' "$tmp/err")" "1 1" "a process that is traced already"
kill -TERM $runner
wait $runner
is $? 42 "a traced process receives its signals and ends by itself"
wait $pid
is $? 0 "the recording ends with it"

# By a backend that does not stop the program.
check_stream() {
	(ulimit -Sn 30 && exec "$ktranal" record -b "$1" -q -o "$tmp/a.ktr" -- sh -c 'ulimit -n') >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/out" "$tmp/err")" "0 30" "$1: few open files are allowed: to the command, too"
	if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
		# shellcheck disable=SC2016
		setpriv --bounding-set=-sys_resource sh -c 'ulimit -n 30; exec "$@"' sh \
			"$ktranal" record -b "$1" -o "$tmp/none.ktr" -- true 2>"$tmp/err"
		is "$? $(grep -c 'it takes [0-9]* open files, and the limit is 30 (ulimit -Hn)' "$tmp/err")" "1 1" \
			"$1: and no more can be had"
		# shellcheck disable=SC2016
		setpriv --bounding-set=-sys_resource sh -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&-; ulimit -n 8; exec "$@"' sh \
			"$ktranal" record -o "$tmp/few.ktr" -- true 2>"$tmp/err"
		is "$? $(grep -c 'BPF: .*; perf: ' "$tmp/err")" "0 1" "all better backends have their reasons: $(cat "$tmp/err")"
	else
		skip "not root: the limit of open files cannot be kept from being raised"
	fi
	"$ktranal" record -b "$1" -o "$tmp/a.ktr" -- sh -c 'echo out; exit 7' >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/out") $(grep -Ec ", [0-9]+ (lost|arguments unreadable); recorded by $1" "$tmp/err")" "7 out 1" \
		"$1: the command's output and status, and a summary line"
	"$ktranal" record -b "$1" -o "$tmp/a.ktr" -- sh -c '/bin/true; exit 0' 2>"$tmp/err"
	is "$(grep -c unfinished "$tmp/err") $("$ktranal" dump "$tmp/a.ktr" | grep -c rt_sigreturn)" "0 1" \
		"$1: a handler returns from its signal"
	"$ktranal" record -b "$1" -o "$tmp/none.ktr" -- "$tmp/script" 2>"$tmp/err"
	is "$? $(grep -c 'neither a program nor a script' "$tmp/err") $(find "$tmp" -name none.ktr)" "1 1 " \
		"$1: a file whose execve fails leaves no trace"
	"$ktranal" record -b "$1" -o /dev/full -- sh -c 'for i in 1 2 3 4 5; do ls -l /usr/bin; done; echo end' \
		>"$tmp/out" 2>"$tmp/err"
	is "$? $(tail -1 "$tmp/out") $(grep -c 'No space left' "$tmp/err")" "1 end 1" \
		"$1: a full disk: the command goes on to its end"
	small_disk "$1"
	"$ktranal" record -b "$1" -q -O sleep -o "$tmp/a.ktr" -- sh -c 'true; sleep 0; exit 0'
	is "$("$ktranal" dump "$tmp/a.ktr" | grep -c '^sleep .*exit_group')" 1 "$1: --only: the program asked for"
	is "$("$ktranal" dump "$tmp/a.ktr" | grep -c '^\(sh\|true\) ')" 0 "$1: --only: and no other"
	# The program writes to a pipe that was opened before it, and of which much else was said since.  perf asks /proc,
	# when the program may have ended.
	if [ "$1" != perf ]; then
		# shellcheck disable=SC2016
		"$ktranal" record -q -b "$1" --only cat -o "$tmp/a.ktr" -- sh -c '
			{ echo; for i in $(seq 100); do : </dev/null; done; echo x | exec cat; } | { while read -r _; do :; done; }'
		"$ktranal" dump "$tmp/a.ktr" | grep -q '^cat .* write(1<pipe:.*= 2$'
		ok $? "$1: --only: descriptors that the program was started with"
	fi
	dd if=/dev/zero of="$tmp/data" bs=1000 count=50 2>/dev/null
	records=1
	[ "$1" = perf ] && records=2 # of each call: its entry and its exit
	rm -f "$tmp/a.ktr"
	"$ktranal" record -b "$1" -o "$tmp/a.ktr" -- dd if="$tmp/data" of=/dev/null bs=1 2>"$tmp/err"
	lost=$(sed -n 's/.* \([0-9]*\) records lost.*/\1/p' "$tmp/err")
	calls=$(calls_in "$tmp/a.ktr" write)
	[ $((calls * records + ${lost:-0})) -ge $((50000 * records)) ] && [ "$calls" -lt 50010 ]
	ok $? "$1: 50,000 writes and what dd reports: $calls, and ${lost:-0} records lost"
	rm -f "$tmp/p.ktr"
	"$ktranal" record -b "$1" -o "$tmp/p.ktr" -- \
		sh -c 'kill -STOP $PPID; dd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null; kill -CONT $PPID; true' \
		2>"$tmp/err"
	lost=$(sed -n 's/.* \([0-9]*\) records lost.*/\1/p' "$tmp/err")
	got=$(($(calls_in "$tmp/p.ktr" read) + $(calls_in "$tmp/p.ktr" write)))
	got=$((got * records))
	[ "${lost:-0}" -gt 100000 ] && [ "$got" -gt 2000 ] &&
		[ $((got + lost)) -ge $((599990 * records)) ] && [ $((got + lost)) -lt $((660000 * records)) ]
	ok $? "$1: a reader that stops loses records, and says how many: $got + $lost"
	calls=$(sed -n "s/.* $lost records lost, \([0-9]*\) calls among them.*/\1/p" "$tmp/err")
	[ "$1" = perf ] || { [ "${calls:-0}" -gt 100000 ] && [ "$calls" -le "$lost" ]; }
	ok $? "$1: how many calls are among them: ${calls:-not known}"
	"$ktranal" summary "$tmp/p.ktr" 2>&1 | grep -q "$lost lost"
	ok $? "$1: the trace knows it"
	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	runner=$!
	for i in 1 2; do
		"$ktranal" record -b "$1" -q --for 10ms -o "$tmp/a.ktr" -p $runner
		"$ktranal" dump "$tmp/a.ktr" | head -n 1000
	done >"$tmp/out" 2>&1
	if [ "$1" = perf ]; then # which takes milliseconds to add a process: its rings must not be full by then
		dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
		early=0
		for i in 1 2 3; do
			"$ktranal" record -b perf -q --for 50ms -o "$tmp/a.ktr" -p "$runner" -p $!
			last=$("$ktranal" tree --json "$tmp/a.ktr" 2>/dev/null | sed -n 's/.*"start_ns": \([0-9]*\).*/\1/p' | sort -n | tail -n 1)
			first=$("$ktranal" dump --csv --head 1 "$tmp/a.ktr" 2>/dev/null | awk -F, 'NR == 2 { print $7 }')
			[ "${first:-$last}" -ge "$last" ] || early=$((early + 1))
		done
		is $early 0 "perf: of two programs no call is recorded before both are"
		kill "$!"
		wait "$!" 2>/dev/null
	fi
	kill $runner
	wait $runner 2>/dev/null
	[ "$(wc -l <"$tmp/out")" -gt 1000 ] && [ "$(grep -c '= ?$' "$tmp/out")" -le 2 ]
	ok $? "$1: of a program that makes calls all the time, the first are not unfinished: $(grep -c '= ?$' "$tmp/out")"
	"$tracee" waiters &
	waiters=$!
	until_ok eval '[ "$(ls /proc/$waiters/task | wc -l)" = 2 ]'
	sleep 0.2
	# Of another program, so that the trace has switches.  It forks while its events are opened.
	sh -c 'while :; do sleep 0.01; done' &
	busy=$!
	check 0 "$1: -p of threads that sleep" "$ktranal" record -b "$1" -q --for 0.5s -o "$tmp/a.ktr" -p $waiters -p $busy
	kill $waiters $busy
	wait $waiters $busy 2>/dev/null
	"$ktranal" idle --csv "$tmp/a.ktr" >"$tmp/out" 2>"$tmp/err"
	is "$(awk -F, '$1 == "recorder" && $6 > 0.9 { print $4 }' "$tmp/out" | sort | tr '\n' ' ')" "pipe timer " "$1: they are in the calls that began before"
	"$ktranal" breakdown --by thread -i 10 --csv "$tmp/a.ktr" >"$tmp/out"
	is "$(awk -F, '$3 == "recorder" { waits += $NF; for (i = 5; i < NF; i++) others += $i } END { print (waits > 0.5e9 && others < 0.1 * waits) }' "$tmp/out")" \
		1 "$1: and wait"
	"$tracee" runner "$tmp/progress" &
	runner=$!
	until_ok moves
	rm -f "$tmp/p.ktr"
	"$ktranal" record -b "$1" -q -o "$tmp/p.ktr" -p $runner &
	pid=$!
	until_ok test -s "$tmp/p.ktr"
	sleep 1
	until_ok moves
	kill -INT $pid
	wait $pid
	is $? 0 "$1: SIGINT ends -p"
	[ "$(calls_in "$tmp/p.ktr" getppid)" -gt 2 ] && [ "$(calls_in "$tmp/p.ktr" getuid)" -gt 2 ]
	ok $? "$1: calls of both threads are in the trace"
	rm -f "$tmp/p.ktr"
	"$ktranal" record -b "$1" -O no-such -o "$tmp/p.ktr" -p $runner 2>"$tmp/err" &
	pid=$!
	until_ok test -s "$tmp/p.ktr"
	sleep 0.2
	kill -INT $pid
	wait $pid
	is "$? $(grep -c 'named by --only' "$tmp/err") $(grep -c "process $runner (recorder, which --only leaves out) by $1" "$tmp/err")" "1 1 1" \
		"$1: --only of another program than the running one"
	rm -f "$tmp/p.ktr"
	"$ktranal" record -b "$1" -q -o "$tmp/p.ktr" -p $runner &
	pid=$!
	until_ok test -s "$tmp/p.ktr"
	kill -KILL $pid
	wait $pid 2>/dev/null
	until_ok moves
	ok $? "$1: kill -9 of the recorder: the process continues"
	rm -f "$tmp/p.ktr"
	"$ktranal" record -b "$1" -q -o "$tmp/p.ktr" -p $runner &
	pid=$!
	until_ok test -s "$tmp/p.ktr"
	kill -TERM $runner
	wait $runner
	is $? 42 "$1: a recorded process receives its signals"
	wait $pid
	is $? 0 "$1: the recording ends with it"
}
backends=ptrace
ways=--backend=ptrace
for backend in bpf perf; do
	if "$ktranal" record -b $backend -q -o "$tmp/probe.ktr" -- true 2>"$tmp/err"; then
		backends="$backends $backend"
		ways="$ways --backend=$backend"
		[ $backend = perf ] || ways="$ways --aggregate"
		check_stream $backend
	else
		skip "$(head -1 "$tmp/err")"
	fi
done

# Many threads at once, and many processes: each of them and each call is in the trace, or a record is reported as lost.
many() { # many BACKEND SCENARIO HOW_MANY CALLS
	"$ktranal" record -b "$1" -o "$tmp/many.ktr" -- "$tracee" "$2" "$3" 2>"$tmp/err"
	status=$?
	if [ $status -eq 77 ]; then
		skip "$2: so many are not allowed here"
		return
	fi
	got=$("$ktranal" summary --by thread --csv -e getuid "$tmp/many.ktr" |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { rows++; n += $at["ncalls"] } END { print rows + 0, n + 0 }')
	lost=$(sed -n 's/.*[ (]\([0-9]*\) \(records \)*lost.*/\1/p' "$tmp/err")
	rows=${got% *} calls=${got#* } lost=${lost:-0}
	[ $status -eq 0 ] && [ "$rows" -le "$3" ] && [ "$calls" -le "$4" ] &&
		[ $((rows + lost)) -ge "$3" ] && [ $((calls + lost)) -ge "$4" ]
	ok $? "$1: $2: $got threads and calls of $3 and $4, $lost lost"
}
# For an ordinary user, perf events have a tracepoint for each call that exists.
sees_unknown() {
	[ "$1" != perf ] || [ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ]
}
for backend in $backends; do
	threads=1000 forks=10000
	# Each takes ptrace milliseconds, so that an ordinary user makes fewer.
	[ "$(id -u)" = 0 ] || forks=2000
	forks=${FORKS:-$forks}
	# With a tracepoint for each call that exists, each inherits so many events, which takes perf tens of milliseconds.
	sees_unknown "$backend" || threads=100 forks=100
	if sees_unknown "$backend"; then
		"$ktranal" record -b "$backend" -q -o "$tmp/a.ktr" -- "$tracee" unknown
		"$ktranal" summary --csv "$tmp/a.ktr" | awk -F, '$2 ~ /^syscall_(65535|70000|4294967295)$/ { n += $3 } END { print n }' >"$tmp/got"
		is "$(cat "$tmp/got")" 8 "$backend: calls that do not exist"
	fi
	"$ktranal" record -b "$backend" -o "$tmp/a.ktr" -- sh -c 'trap : USR1; kill -USR1 $$; kill -USR1 $$' 2>"$tmp/err"
	is "$(sed -n 's/.*: \([0-9]*\) calls of .*/\1/p' "$tmp/err")" \
		"$("$ktranal" summary "$tmp/a.ktr" 2>/dev/null | sed -n 's/^\([0-9]*\) calls; .*/\1/p')" "$backend: the summary line counts the calls of the trace"
	many "$backend" crowd $threads $((3 * threads))
	many "$backend" forks $forks $forks
done

# Counted in the kernel: the same vector as of a record of each call, but for wake-ups and page faults, from fewer events.
items() {
	"$ktranal" vector -o "$tmp/v.json" "$1" >/dev/null 2>&1
	sed -n '/"(wakeups)"/d; /"(faults)"/d; s/.*\("entry": .*\), "time": .*/\1/p' "$tmp/v.json" | sort
}
if [ "${ways#*--aggregate}" = "$ways" ]; then
	"$ktranal" record --aggregate -o "$tmp/none.ktr" -- true 2>"$tmp/err"
	status=$?
	[ $status -ne 0 ] && [ $status -ne 2 ] && grep -q BPF "$tmp/err" && [ ! -e "$tmp/none.ktr" ]
	ok $? "no BPF, no counts: $(head -1 "$tmp/err")"
else
	cat >"$tmp/job" <<-'end'
		dd if=/dev/zero of=/dev/null bs=100 count=5003 status=none
		dd if=/dev/zero of="$1" bs=700 count=500 status=none
		dd if="$1" of=/dev/null bs=4001 status=none
		ls / /none
	end
	for way in --backend=bpf --aggregate; do
		rm -f "$tmp/file"
		"$ktranal" record "$way" -q -o "$tmp/way.ktr" -- sh "$tmp/job" "$tmp/file" >/dev/null 2>&1
		items "$tmp/way.ktr" >"$tmp/items$way"
		wc -c <"$tmp/way.ktr" >"$tmp/bytes$way"
	done
	[ -s "$tmp/items--aggregate" ] && diff "$tmp/items--backend=bpf" "$tmp/items--aggregate" >"$tmp/diff"
	ok $? "--aggregate: the calls and bytes of each entry are those of a trace"
	sed 's/^/#   /' "$tmp/diff"
	[ "$(cat "$tmp/bytes--aggregate")" -lt $(($(cat "$tmp/bytes--backend=bpf") / 2)) ]
	ok $? "--aggregate: but most calls were only counted"
	"$ktranal" summary "$tmp/way.ktr" | grep -q 'most calls were only counted'
	ok $? "--aggregate: summary says what the percentiles are"
	for view in dump "calls -e read" "vector --from 1s" tree idle breakdown "export --folded"; do
		# shellcheck disable=SC2086
		"$ktranal" $view "$tmp/way.ktr" >"$tmp/out" 2>"$tmp/err"
		is "$? $(wc -c <"$tmp/out") $(grep -c 'was recorded with --aggregate' "$tmp/err")" "3 0 1" \
			"--aggregate: no $view"
	done
	"$tracee" runner &
	runner=$!
	rm -f "$tmp/p.ktr"
	"$ktranal" record -a -q -o "$tmp/p.ktr" -p $runner &
	pid=$!
	until_ok test -s "$tmp/p.ktr"
	sleep 1
	kill -INT $pid
	wait $pid
	[ "$(calls_in "$tmp/p.ktr" getuid)" -gt 100 ]
	ok $? "--aggregate: calls of a process that runs on are counted"
	kill -TERM $runner
	wait $runner
	"$ktranal" import -o "$tmp/copy.ktr" "$tmp/way.ktr" 2>/dev/null
	is "$("$ktranal" summary --csv "$tmp/copy.ktr")" "$("$ktranal" summary --csv "$tmp/way.ktr")" \
		"--aggregate: a copy stands for as many calls"
fi

# A number that no call has, whose lower 16 bits are those of one.
if perl -e 1 2>/dev/null; then
	for backend in $backends; do
		sees_unknown "$backend" || continue
		"$ktranal" record -q -b "$backend" -o "$tmp/far.ktr" -- perl -e 'syscall(65536 + 39) for 1 .. 1009' 2>/dev/null
		called=$(calls_in "$tmp/far.ktr" getpid)
		is "$([ "$called" -lt 1009 ]; echo $?) $("$ktranal" summary --csv "$tmp/far.ktr" | grep -c '^[0-9]*,syscall_[0-9]*,1009,1009,')" \
			"0 1" "$backend: a call that there is not is none of another number"
	done
else
	skip "no perl"
fi

# A control group: who is in it, below it, and who comes into it; and nobody else.
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/osvec.$$
inside() { sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$@"; }
if [ "${backends#*bpf}" = "$backends" ] || ! mkdir -p "$group/below" 2>/dev/null; then
	skip "no BPF, or no control group of version 2 can be made"
else
	sh -c 'echo $$ >"$0/cgroup.procs" && exec sleep 60' "$group" &
	early=$!
	sh -c 'echo $$ >"$0/cgroup.procs" && exec sleep 60' "$group/below" &
	deep=$!
	until_ok grep -qx "$early" "$group/cgroup.procs"
	until_ok grep -qx "$deep" "$group/below/cgroup.procs"
	"$ktranal" record --cgroup "$group" -o "$tmp/g.ktr" 2>"$tmp/err" &
	pid=$!
	until_ok test -s "$tmp/g.ktr"
	sleep 0.2
	# Its group is looked up while it waits for its input.
	sleep 0.5 | inside "$group" sh -c 'true; ls / >/dev/null; read -r x'
	inside "$group/below" cat /dev/null
	ls / >/dev/null
	kill $early $deep
	wait $early $deep 2>/dev/null
	sleep 0.2
	kill -INT $pid
	wait $pid
	is $? 0 "--cgroup: SIGINT ends the recording"
	is "$("$ktranal" dump "$tmp/g.ktr" 2>/dev/null | awk '$4 == 231 { print $1 }' | sort | xargs)" "cat ls sh" \
		"--cgroup: processes that come, those below, their children, and no others"
	grep -q ' of 5 processes' "$tmp/err"
	ok $? "--cgroup: and the processes that were there and below"
	"$ktranal" summary --by cgroup --csv "$tmp/g.ktr" | grep -q "/${group##*/},"
	ok $? "summary --by cgroup"
	(cd "$tmp" && "$ktranal" record --cgroup "$group/" --for 50ms -q)
	[ -s "$tmp/${group##*/}.ktr" ]
	ok $? "--cgroup: the default file is named after the directory"
	rmdir "$group/below" "$group"
	"$ktranal" record --cgroup "$tmp" -o "$tmp/none.ktr" 2>"$tmp/err"
	is "$? $(grep -c 'not the directory of a control group' "$tmp/err") $(find "$tmp" -name none.ktr)" "1 1 " \
		"--cgroup of another directory"
fi

# Operations of io_uring are among the calls of each view that counts, by name, and counted apart below the table.
"$ktranal" record -b bpf -o "$tmp/uring.ktr" -- "$tracee" io_uring 2>"$tmp/err"
if [ $? -eq 0 ] && ! grep -q 'not seen' "$tmp/err"; then
	"$ktranal" summary --csv "$tmp/uring.ktr" 2>/dev/null | awk -F, '$2 ~ /^io_uring_(nop|read|fsync)$/ { print $1 $2, $3, $4 }' | sort >"$tmp/got"
	printf 'io_uring_%s\n' 'fsync 1 1' 'nop 1 0' 'read 1 0' >"$tmp/want"
	same "$tmp/got" "$tmp/want" "summary: operations of io_uring, calls and errors"
	is "$("$ktranal" dump "$tmp/uring.ktr" | grep -c ' io_uring_read([0-9]*<.*>) = 100$')" 1 "dump: with descriptor and result"
	is "$("$ktranal" vector "$tmp/uring.ktr" 2>/dev/null | grep -c '^lat_uring_nop_1 .* io_uring_nop$')" 1 "vector: priced by a rule"
	calls=$("$ktranal" tree --json "$tmp/uring.ktr" | sed -n 's/.*"completeness": {"calls": \([0-9]*\).*/\1/p')
	is "$("$ktranal" summary --json "$tmp/uring.ktr" | sed -n 's/.*"completeness": {"calls": \([0-9]*\).*/\1/p')" "$calls" \
		"they are no calls of the process"
	"$ktranal" summary "$tmp/uring.ktr" | tail -1 | grep -q "^$calls calls; .*; [34] operations of io_uring$"
	ok $? "and counted apart"
else
	skip "operations of io_uring are not seen here: $(tail -1 "$tmp/err")"
fi

# Agreement with another tracer.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	mkdir -p "$tmp/tree/a/b/c" "$tmp/tree/d"
	for i in 1 2 3 4 5 6 7; do : >"$tmp/tree/a/b/$i"; : >"$tmp/tree/d/$i"; done
	# Without the calls whose number depends on the order of execution.
	varying='^(wait4|rt_sigreturn|futex|restart_syscall|sched_yield|exit|exit_group|total) '
	# Not by strace -c, which counts a fork twice that SIGCHLD interrupts and the kernel restarts.
	agrees() {
		strace -f -qq -e signal=none -o "$tmp/strace" -- "$@" >/dev/null 2>&1
		sed -E -e 's/^[0-9]+ +//' -e '/<unfinished \.\.\.>$/d' -e '/= \? ERESTART/d' \
			-e 's/^<\.\.\. ([a-z0-9_]+) resumed.*/\1/' -e 's/\(.*//' "$tmp/strace" |
			sort | uniq -c | awk '{ print $2, $1 }' | grep -Ev "$varying" | sort >"$tmp/want"
		for way in $ways; do
			"$ktranal" record "$way" -q -o "$tmp/agree.ktr" -- "$@" >/dev/null 2>&1
			"$ktranal" summary --csv "$tmp/agree.ktr" | tr -d '"' |
				awk -F, 'NR > 1 { print $2, $3 }' | grep -Ev "$varying" | sort >"$tmp/got"
			[ -s "$tmp/want" ] && diff "$tmp/want" "$tmp/got" >"$tmp/diff"
			ok $? "the counts of strace, by ${way#--backend=}: ${1##*/}"
			sed 's/^/#   /' "$tmp/diff"
		done
	}
	agrees find "$tmp/tree"
	# shellcheck disable=SC2016
	agrees sh -c 'for i in 1 2 3; do /bin/true; cat /dev/null | cat; done'
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o /dev/null "$ktranal" record -b ptrace -o "$tmp/none.ktr" -- true 2>"$tmp/err"
	is "$? $(grep -c 'already traced by process [0-9]* (strace), and a process can have only one tracer' "$tmp/err")" "1 1" \
		"ptrace: of what strace traces"
	# strace sends the signal at the first of these calls, which is made to begin.
	for backend in $backends; do
		call=$backend
		[ "$backend" = perf ] && call=perf_event_open
		sleep 100 &
		pid=$!
		# The leak sanitizer does not work in a program that is traced.
		ASAN_OPTIONS=detect_leaks=0 strace -qq -o /dev/null -e trace=$call -e inject=$call:signal=INT:when=1 \
			"$ktranal" record -b "$backend" -o "$tmp/a.ktr" -p $pid 2>"$tmp/err"
		is "$? $(grep -c "recorded by $backend" "$tmp/err")" "0 1" "$backend: SIGINT while -p begins ends it"
		kill $pid
		strace -qq -o /dev/null -e trace=$call -e inject=$call:signal=TERM:when=1 \
			"$ktranal" record -b "$backend" -o "$tmp/a.ktr" -- sleep 100 2>"$tmp/err"
		is "$? $(grep -c "recorded by $backend" "$tmp/err")" "143 1" "$backend: and a command that begins"
	done
	# The address sanitizer maps memory at random, differently in each run.
	if grep -q __asan_init "$tracee"; then
		skip "the program is built with a sanitizer: no two runs are alike"
	else
		agrees "$tracee" counts
	fi
else
	skip "no strace, or it may not trace"
fi
done_testing
