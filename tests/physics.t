#!/bin/sh
# SPDX-License-Identifier: MIT
# Bounds that physics, arithmetic or another measurement sets to what the benchmarks report.  Nothing
# here depends on how fast or how busy the machine is: noise only adds, so the least batch of a few
# processes is compared, and only where the work of one thing contains the work of the other.
bin=${O:-build}/bench
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

# member KEY: its value in the JSON object on stdin
member() {
	sed -n "s/.*\"$1\": \([^],}]*\).*/\1/p"
}

# measure PROGRAM [OPTIONS] PARAMETERS...: seconds per operation of the fastest batch of 3 processes;
# "unsupported" when the program says so, nothing when it fails
measure() {
	program=$1
	shift
	for _ in 1 2 3; do
		"$bin/$program" -J -B 10 -D "$tmp" "$@" 2>/dev/null || break
	done >"$tmp/measured"
	if grep -q '"unsupported"' "$tmp/measured"; then
		echo unsupported
	else
		member minimum <"$tmp/measured" | sort -g | head -1
	fi
}

# scale K X: their product, or X when that is no number
scale() {
	case $2 in
	"" | unsupported) echo "$2" ;;
	*) awk "BEGIN { print $1 * $2 }" ;;
	esac
}

# below A B WHAT: A < B
below() {
	n=$((n + 1))
	if [ "$1" = unsupported ] || [ "$2" = unsupported ]; then
		echo "ok $n - $3 # SKIP not supported here"
	elif [ -n "$1" ] && [ -n "$2" ] && awk "BEGIN { exit !($1 < $2) }"; then
		echo "ok $n - $3: $1 < $2"
	else
		echo "not ok $n - $3: $1 is not below $2"
	fi
}

cycle=1.5e-10	# no processor has reached 6.7 GHz outside of record attempts

null=$(measure lat_syscall getppid)
read=$(measure lat_syscall read)
dup=$(measure lat_syscall dup)
pipe=$(measure lat_pipe)
large=$(measure lat_pipe 64k)
handle=$(measure lat_sig handle)
coarse=$(measure lat_clock coarse)
below "$(scale 20 $cycle)" "$null" "a null call takes 20 cycles"
below "$null" 1e-3 "and less than a millisecond"
below "$null" "$dup" "dup and close are two calls"
below "$(scale 2 "$null")" "$pipe" "a round trip enters the kernel twice at least"
below "$pipe" "$large" "64 KB travel longer than 1 byte"
below "$(scale 131072 1e-12)" "$large" "and at less than 1 TB/s"
below "$(scale 100 $cycle)" "$handle" "a signal takes 100 cycles"
below "$(scale 2 $cycle)" "$coarse" "a clock takes 2 cycles"
below "$(scale 20 $cycle)" "$read" "a read takes 20 cycles"
below "$(scale 100 $cycle)" "$(measure lat_ctx 0 2)" "a switch takes 100 cycles"
below "$(scale 10 $cycle)" "$(measure cpu_int)" "ten digits take 10 cycles"
below "$(scale 10 $cycle)" "$(measure cpu_branch)" "20 bytes take 10 cycles"
below "$(scale 4 $cycle)" "$(measure cpu_fp)" "a division takes 4 cycles"
below "$(scale 8 $cycle)" "$(measure cpu_hash)" "8 dependent multiplications take 8 cycles"

# The time of a fixed number of operations fits into what the process used, and is most of it.
"$bin/lat_syscall" -J -B 1 -N 1000000 getppid >"$tmp/fixed"
total=$(scale 1e6 "$(member seconds <"$tmp/fixed")")
below "$total" "$(member wall <"$tmp/fixed")" "a million calls fit into the process"
n=$((n + 1))
[ "$(member iterations <"$tmp/fixed")" = 1000000 ] || printf 'not '
echo "ok $n - and are a million"

# The same operation by two clocks.
"$bin/lat_syscall" -J -C clock getppid | member clock >"$tmp/clock"
n=$((n + 1))
grep -q clock "$tmp/clock" || printf 'not '
echo "ok $n - -C clock times by the system's clock"
by_clock=$(measure lat_syscall -C clock getppid)
below "$(scale 0.25 "$by_clock")" "$null" "the counter is not four times as fast as the clock"
below "$null" "$(scale 4 "$by_clock")" "nor a quarter as fast"
echo "1..$n"
