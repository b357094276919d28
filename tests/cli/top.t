#!/bin/sh
# SPDX-License-Identifier: MIT
# 'ktranal top': the intervals together have every call of a known work, once, by each backend; on a terminal see
# tests/unit/terminal.c.
. "$(dirname "$0")/tap.sh"
ktranal=$build/bin/ktranal

# A sum over the rows of CSV whose column NAME is VALUE: sum COLUMN NAME VALUE.
sum() {
	awk -F, -v what="$1" -v name="$2" -v value="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at[name] == value { n += $at[what] }
		END { print n + 0 }' "$tmp/csv"
}

# One process that goes on over several intervals, and one whose calls fail.
cat >"$tmp/work" <<'X'
for i in 1 2 3 4; do head -c 5000 /dev/zero; sleep 0.15; done | dd bs=1 of=/dev/null status=none
X
cat >"$tmp/failing" <<'X'
i=0
while [ $i -lt 100 ]; do [ -e /none/none ]; i=$((i + 1)); done
X

tried=0
for backend in $("$ktranal" doctor | awk '$2 == "yes" { print $1 }'); do
	"$ktranal" top -b "$backend" -i 0.1 --csv -- sh "$tmp/work" >"$tmp/csv" 2>"$tmp/err" || {
		skip "$backend: $(head -1 "$tmp/err")"
		continue
	}
	tried=$((tried + 1))
	grep '^from\|,dd,' "$tmp/csv" >"$tmp/dd" && cp "$tmp/dd" "$tmp/csv"
	is "$(sum calls call write) $(sum errors call write)" "20000 0" "$backend: exactly 20,000 calls that succeed"
	awk -F, 'NR > 1 { x = $9 * $2 - $6; y = $11 * $2 - $8; if (x * x > 1e-6 || y * y > 1e-9) bad++ }
		END { exit NR < 2 || bad }' "$tmp/csv"
	ok $? "$backend: what is said for a second is that of the interval"
	"$ktranal" top -b "$backend" --csv --by call -- "$build/tests/unit/recorder" alike >"$tmp/csv" 2>"$tmp/err"
	is "$(sum calls call write) $(sum errors call write)" "900 300" "$backend: of many calls that are alike 300 fail"
	"$ktranal" top -b "$backend" --csv -- sh "$tmp/failing" >"$tmp/csv" 2>"$tmp/err"
	is "$(awk -F, 'NR > 1 && $5 ~ /stat/ { n += $7 } END { print n + 0 }' "$tmp/csv")" 100 \
		"$backend: exactly 100 calls that fail"
	"$ktranal" top -b "$backend" -i 0.2 --by call --csv -- "$build/tests/unit/recorder" outlived >"$tmp/csv" 2>"$tmp/err"
	is "$(awk -F, '$3 ~ /sleep/ { n++ } $3 ~ /^exit/ { exits++ } END { print (n > 1), exits + 0 }' "$tmp/csv")" "1 0" \
		"$backend: a thread that has ended is in no call, while others go on" || {
		cat "$tmp/err"
		awk -F, '$3 ~ /sleep|^exit/' "$tmp/csv"
	} >&2
	# A call that returns after several intervals, and one that is killed.
	"$ktranal" top -b "$backend" -i 0.2 --by call --csv -- sh -c 'timeout -s KILL 0.9 sleep 60; exec sleep 0.9' >"$tmp/csv" 2>"$tmp/err"
	is "$(sum calls call clock_nanosleep)" 1 "$backend: one sleep returns"
	awk -F, '$3 ~ /sleep/ { n++; s += $6; if ($6 > $2 * 1.05 + 0.01) late++ } END { exit !(n >= 6 && s > 1.6 && s < 2.4 && !late) }' "$tmp/csv"
	ok $? "$backend: each interval has of the two what passed in it"
	awk -F, '$3 ~ /sleep/ && $4 { ok = $10 > 0.89 } END { exit !ok }' "$tmp/csv"
	ok $? "$backend: the mean is of whole calls"
	[ "$backend" = perf ] || continue # the others count in the kernel, or stop threads
	# shellcheck disable=SC2016
	"$ktranal" top -b perf --csv -- \
		sh -c 'kill -STOP $PPID; dd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null; kill -CONT $PPID; true' \
		>"$tmp/csv" 2>"$tmp/err"
	is "$(sed 's/[1-9][0-9]* records lost$/some/' "$tmp/err")" "ktranal: some" "$backend: CSV: lost records are told"
done
if [ "$tried" -eq 0 ]; then
	done_testing
fi

"$ktranal" top --by call -s calls --head 1 -- dd if=/dev/zero of=/dev/null bs=1 count=30000 status=none \
	>"$tmp/out" 2>"$tmp/err"
is "$? $(grep -c '^[0-9:]* *[0-9]* calls/s' "$tmp/out") $(grep -cE '^(read|write) ' "$tmp/out")" \
	"0 $(grep -c '^CALL ' "$tmp/out") $(grep -c '^CALL ' "$tmp/out")" "without a terminal: a heading and a row for each interval"
"$ktranal" top --by call -i 60 -- sleep 0.2 >"$tmp/out" 2>"$tmp/err"
awk '$1 == "clock_nanosleep" || $1 == "nanosleep" { us = $NF } END { exit !(us >= 200000) }' "$tmp/out"
ok $? "the mean is in microseconds"
grep -q '^[0-9:]* .* errors/s, [0-9.]* s in calls; ' "$tmp/out"
ok $? "the time in calls, of several threads, is no share of the interval"
"$ktranal" top --by process --json -n 1 -i 0.1 -- sleep 0.5 >"$tmp/out" 2>"$tmp/err"
is "$? $(grep -o '"call"' "$tmp/out" | wc -l) $(grep -c '"process":' "$tmp/out")" "0 0 1" \
	"--by process --json -n 1: one interval, no calls by name"
"$ktranal" top -- sh -c 'exit 7' >"$tmp/out" 2>"$tmp/err"
is $? 7 "the exit status is that of the command"
"$ktranal" top -- sh -c 'kill -9 $$' >"$tmp/out" 2>"$tmp/err"
is $? 137 "... or its death"
check 2 "--sort of no column" "$ktranal" top --sort no -- true
says "not calls, errors, time or mean" "... is explained"
check 2 "--by of no word" "$ktranal" top --by no -- true
check 2 "a group and a command" "$ktranal" top --cgroup /tmp -- true
check 1 "a process that does not exist" "$ktranal" top -p 4194303
check 1 "a command that does not exist" "$ktranal" top -- /nonexistent
timeout 20 "$ktranal" top -i 0.1 -- sleep 2 2>"$tmp/err" | head -1 >"$tmp/out"
is "$(wc -l <"$tmp/out")" 1 "it ends when nobody reads"
{ "$ktranal" top -i 0.1 --batch -- sh -c 'sleep 0.5; exit 3' 2>"$tmp/err"; echo $? >"$tmp/out"; } | :
is "$(cat "$tmp/out" "$tmp/err")" 141 "... silently, of SIGPIPE"
if "$ktranal" doctor --json | grep -q '"backend": *"bpf", *"works": *"yes"'; then
	sh -c 'while :; do sleep 0.01; done' &
	pid=$!
	"$ktranal" top -n 2 -i 0.3 --csv >"$tmp/csv" 2>"$tmp/err"
	status=$?
	if [ $status -eq 3 ]; then
		skip "$(head -1 "$tmp/err")"
	else
		[ $status -eq 0 ] && grep -q "^[^,]*,[^,]*,sh,$pid," "$tmp/csv"
		ok $? "the whole system: a process that runs already is there"
	fi
	kill $pid
	wait $pid 2>/dev/null
else
	skip "the whole system: bpf does not work here"
fi
done_testing
