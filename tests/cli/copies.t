#!/bin/sh
# SPDX-License-Identifier: MIT
# Several copies of a benchmark at once: what they share, what they report, what they leave.
. "$(dirname "$0")/tap.sh"
bin=$build/bench
mkdir "$tmp/dir"
quick="-T 10us -B 2 -D $tmp/dir"

# entry, number KEY, count KEY: of the last JSON.
entry() { sed -n 's/^{"entry": "\([^"]*\)".*/\1/p' "$tmp/out"; }
number() { sed -n 's/.*"'"$1"'": \([0-9.e-]*\).*/\1/p' "$tmp/out"; }
elements() { sed -n 's/.*"'"$1"'": \[\([^]]*\)\].*/\1/p' "$tmp/out" | tr ',' '\n' | grep -c '[0-9]'; }

# -- names, what is shared
while IFS=: read -r entry shared options; do
	# shellcheck disable=SC2086
	check 0 "lat_syscall $options fstat" "$bin/lat_syscall" -J $quick $options fstat
	is "$(entry)" "lat_syscall_fstat$entry" "is an entry of its own"
	says "\"shared\": $shared" "and says what is shared"
done <<END
x2:null:-X 2
@sharedx3:"the open file":-X 3 -S
@threadedx2:null:-X 2 -M
@threaded@sharedx3:"the open file":-X 3 -M -S
END
is "$(number copies) $(elements copy_seconds)" "3 3" "each copy has a time"
says '"threaded": true' "threads are reported"
[ "$(nproc)" -ge 3 ] || says '"CROWDED"' "so are copies without a CPU of their own"

# While they run, there are as many files as copies, or one.  The batches are long enough to look.
# files OPTION...: the most files of lat_path seen, until the program ends.
files() {
	timeout 60 "$bin/lat_path" -D "$tmp/dir" -N 20000 -B 20 "$@" open 2 >/dev/null 2>&1 &
	most=0
	while kill -0 $! 2>/dev/null; do
		now=$(find "$tmp/dir" -name f 2>/dev/null | wc -l)
		[ "$now" -le "$most" ] || most=$now
	done
	wait $!
	echo $((most))
}
is "$(files -X 3)" 3 "processes with files of their own"
is "$(files -X 3 -S)" 1 "processes on one file"
is "$(files -X 3 -M)" 3 "threads with files of their own"
is "$(files -X 3 -M -S)" 1 "threads on one file"
is "$(ls "$tmp/dir")" "" "nothing is left of them"

# Each in a part of the object of its own: another's would fail their checks.
while read -r arguments; do
	# shellcheck disable=SC2086
	check 0 "$arguments" "$bin/${arguments%% *}" $quick ${arguments#* }
done <<END
lat_dir -X 3 -S create 10
lat_dir -X 3 -S unlink 10
bw_file -X 3 -S write 64k
bw_file -X 3 -S -M write 64k
bw_file_log -X 3 -S 4k
bw_file_log -X 3 -S -M 4k
bw_file_log -X 3 -M 4k
END

# -- what cannot be
for arguments in "-S getppid" "-MS getppid" "-S gettid" "-1 getppid"; do
	# shellcheck disable=SC2086
	check 3 "lat_syscall -X 2 $arguments" "$bin/lat_syscall" -X 2 $arguments
done
check 3 "threads share only what they can" "$bin/cpu_int" -X 2 -M
check 3 "placements have names of their own" "$bin/lat_roundtrip" -X 2 -P other pipe 1
check 2 "sharing alone" "$bin/lat_syscall" -S fstat
check 2 "no copies" "$bin/lat_syscall" -X 0 fstat
"$bin/lat_syscall" -J -X 2 -S getppid >"$tmp/out" 2>/dev/null
says '"unsupported": "there is nothing that its copies could share"' "the reason is in the object"

# -- known work: the CPU time of an operation is that of one copy.  The least of five each, by turns: a
# hypervisor may give a CPU to others without saying so, which then seems used here, and threads of a core
# slow each other down.
for _ in 1 2 3 4 5; do
	for copies in 1 4; do
		"$bin/cpu_int" -J -X $copies >"$tmp/out" && number cpu_seconds | grep . >>"$tmp/of$copies"
	done
done
one=$(sort -g "$tmp/of1" | head -1)
four=$(sort -g "$tmp/of4" | head -1)
awk "BEGIN { exit !($four > $one / 2.5 && $four < $one * 2.5) }"
ok $? "the CPU time is per operation of one copy" || echo "#   of four: $four, of one: $one"
# What is subtracted is subtracted of each copy: here it is longer than what is left.
check 0 "two mixtures of calls" "$bin/mix_files" -J -X 2 -D "$tmp/dir" 256k
rest=$(sed -n 's/.*"copy_seconds": \[\([^]]*\)\].*/\1/p' "$tmp/out" |
	tr ',' '\n' | awk '{ sum += $1 } END { print sum / NR }')
awk "BEGIN { exit !($rest < $(number seconds) + $(number overhead) / 2) }"
ok $? "the program's own work is in the time of no copy" || echo "#   $rest of $(number seconds) + $(number overhead)"
copies=$((4 * $(nproc)))
check 0 "four to a CPU" "$bin/lat_syscall" -J -X $copies -B 3 getppid
awk "BEGIN { exit !($(number seconds) > 3 * $(number cpu_seconds)) }"
ok $? "copies that share a CPU wait for it" || echo "#   $(number seconds) s, CPU $(number cpu_seconds) s"
is "$(elements copy_seconds)" $copies "all of them"

# -- the first is killed: the others remove their files and end.
"$bin/lat_path" -D "$tmp/dir" -X 3 -T 1s -B 100 open 2 >/dev/null 2>&1 &
first=$!
has_files() { [ "$(find "$tmp/dir" -name f 2>/dev/null | wc -l)" -eq "$1" ]; }
until_ok has_files 3
{ kill -KILL $first && wait $first; } 2>/dev/null
until_ok has_files 1
ok $? "only the files of the killed one are left"
done_testing
