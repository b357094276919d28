#!/bin/sh
# SPDX-License-Identifier: MIT
# Records a program whose calls are known, maps and prices them: the predicted time is exact.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
export PATH="$build/bin:$PATH"

if ! ktranal record -q -o probe.ktr -- true 2>err; then
	echo "1..0 # SKIP $(head -1 err)"
	exit 0
fi
cat >machine.json <<'X'
{ "schema": "osvec/1", "machine": "known", "entries": [
  { "entry": "lat_syscall_getppid", "seconds": 1e-9 },
  { "entry": "lat_syscall_write", "seconds": 10e-6 },
  { "entry": "bw_file_read_1", "seconds": 1e-6, "curve": "bw_file_read_*", "size": 1, "bytes": 1 },
  { "entry": "bw_file_read_4k", "seconds": 100e-6, "curve": "bw_file_read_*", "size": 4096, "bytes": 4096 },
  { "entry": "lat_path_stat_3", "seconds": 1e-6, "curve": "lat_path_stat_*", "size": 3 },
  { "entry": "lat_path_enoent_3", "seconds": 7e-6, "curve": "lat_path_enoent_*", "size": 3 } ] }
X
head -c 500000 /dev/zero >data
# Without reference platforms, one of which may be this machine and would lend what "known" lacks.
mkdir -p share/reference

# kernel COMMAND...: predicted microseconds in the kernel.
kernel() {
	ktranal record -q -o app.ktr -- "$@" 2>err &&
		ktranal vector -o app.json app.ktr >out 2>err &&
		OSVEC_SHARE="$tmp/share" osvec-predict rank --no-intervals --csv -a app.json machine.json 2>err >table || return
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "kernel") column = i }
		NR == 2 { printf "%.0f\n", $column * 1e6 }' table
}
for case in "1 $((1 + 10))" "4096 $((100 + 10))"; do
	size=${case% *} each=${case#* }
	few=$(kernel dd if=data of=/dev/null bs="$size" count=3) && many=$(kernel dd if=data of=/dev/null bs="$size" count=100)
	ok $? "blocks of $size bytes: recorded, mapped, priced"
	awk -v got="$((many - few))" -v want="$((97 * each))" 'BEGIN { exit !(got > want - 10 && got < want + 10) }'
	ok $? "97 more blocks of $size bytes cost $((97 * each)) us" || echo "#   predicted $((many - few)) us"
done

# Names that are there, and names that are not.
for case in "/usr/bin/env 1" "/usr/bin/osvec-none 7" "/usr/bin/env/none 7"; do
	name=${case% *} each=${case#* }
	# shellcheck disable=SC2016
	loop='i=0; while [ $i -lt $1 ]; do [ -e "$0" ]; i=$((i + 1)); done'
	few=$(kernel sh -c "$loop; :" "$name" 3) && many=$(kernel sh -c "$loop; :" "$name" 103)
	is "$((many - few))" "$((100 * each))" "100 more looks at $name cost $each us each"
done

# What is done for each unit, and what once: a run of 103 units and one of 3.
names=/usr/bin/osvec-none
for units in 3 103; do
	# shellcheck disable=SC2016
	ktranal record -q -o $units.ktr -- sh -c 'i=0; while [ $i -lt $1 ]; do [ -e "$0" ]; i=$((i + 1)); done; :' $names $units
done
ktranal vector -n 3 -u look -o 3.json 3.ktr >out 2>err &&
	ktranal vector -n 103 -u look -o 103.json 103.ktr >out 2>err &&
	ktranal vector -n 103 -u look --fewer 3.json -o apart.json 103.ktr >out 2>err && grep -q '^the start is apart: [1-9]' out
ok $? "the start is kept apart"
# timed CODE CALL USER SYSTEM: a run in that state of the host.
timed() {
	cat <<-X
	{ "schema": "osvec-time/2", "command": "sh", "created": "", "host": "", "kernel": "", "host_id": "", "cpu": "",
	  "method": "wait", "canaries": { "code": $1, "call": $2 }, "runs": [ { "user": $3, "system": $4, "wall": 9, "status": 0,
	  "processes": 1, "threads": 1, "complete": true, "voluntary": 0, "involuntary": 0, "minor_faults": 0,
	  "major_faults": 0, "programs": [] } ] }
	X
}
# 1.07 s of user time once and 10 ms for each look; the shorter run while everything took 1.5 times as long.
timed 1.5e-7 1.5e-6 1.65 0.165 >3.time
timed 1e-7 1e-6 2.1 0.21 >103.time
ktranal vector -n 3 -u look -t 3.time -o 3t.json 3.ktr >out 2>err &&
	ktranal vector -n 103 -u look -t 103.time --fewer 3t.json -o timed.json 103.ktr >out 2>err
ok $? "and timed" || cat err
is "$(grep -o '"\(user\|system\)": [0-9.e-]*' timed.json | head -2 | awk '{ printf "%.6g ", $2 }')" "1.03 0.103 " "in one state of the host"
printf '1.0,5150,,%s,500,100.00,,\n' cycles instructions >counts.csv
ktranal vector -n 103 -u look --counts counts.csv 103.ktr >out 2>err && grep -q '^counted: 50.0 instructions, 50.0 cycles per look$' out &&
	ktranal vector -n 103 -u look --counts counts.csv --fewer 3.json 103.ktr >out 2>err &&
	grep -q '^counted: 5.15 k instructions, 5.15 k cycles per run, its start included$' out
ok $? "not that of counted events"
# cost FILE [OPTION...]: nanoseconds in the kernel
cost() {
	file=$1
	shift
	OSVEC_SHARE="$tmp/share" osvec-predict rank --no-intervals --csv -a "$file" "$@" machine.json 2>notes |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "kernel") column = i } NR == 2 { printf "%.0f\n", $column * 1e9 }'
}
is "$(cost apart.json)" 7000 "a unit takes what it does, nothing of the start"
grep -q 'the start of a run is not in these times' notes
ok $? "which is said"
# Faults, of which runs have not always as many, cost 1 ns here.
difference=$(($(cost 103.json -u run) - 103 * 7000 - $(cost apart.json -u start)))
[ "$difference" -ge -200 ] && [ "$difference" -le 200 ]
ok $? "-u start: the start, but for $difference ns"
difference=$(($(cost 103.json -u run) - $(cost apart.json -u run)))
[ "$difference" -ge -1 ] && [ "$difference" -le 1 ]
ok $? "-u run: both, but for rounding"
ktranal vector -n 5 -u look --fewer 3.json -o no.json 103.ktr >out 2>err
is "$? $(grep -c 'at most half' err) $(ls no.json 2>/dev/null)" "1 1 " "runs that are too much alike are refused"
done_testing
