#!/bin/sh
# SPDX-License-Identifier: MIT
# work.t [WORD...]: only the rows that begin with a word.
#
# The system calls of one operation of every benchmark are those of tests/data/work.tsv, no more and
# no fewer.  The recorder counts the calls of a process that makes few operations and of one that
# makes many: the difference is the work, and what setup and harness call does not count.
#
# A row is INVOCATION, CALLS and, where it is not 200, the number of the many operations, separated
# by tabs.  CALLS is "-" or a list like "openat|open 1, read 2-3, sched_yield *": names of which one
# is made, how often per operation (* is any number), preparations and the peer's calls included;
# "..." at the end permits all other calls.  openat{O_CREAT} is those of the calls that ktranal dump
# shows with that text.
. "$(dirname "$0")/tap.sh"
if grep -q __asan_init "$build/bench/lat_syscall"; then
	echo "1..0 # SKIP a sanitizer makes calls and takes time of its own"
	exit 0
fi
ktranal=$build/bin/ktranal
table=$source/tests/data/work.tsv
tab=$(printf '\t')

if ! "$ktranal" record -b ptrace -q -o "$tmp/probe.ktr" -- true 2>"$tmp/err"; then
	echo "1..0 # SKIP $(head -1 "$tmp/err")"
	exit 0
fi

# count N PROGRAM PARAMETERS...: "CALL TIMES" for each call of a process with batches of N
# operations, and "+ N" for what it made of N; returns the status of the program.  Tracing may slow
# down what is subtracted more than the rest, so that there is nothing to report, but to count: then
# the few calls of the report are missing, and "slack N" says how many these may be.
count() {
	operations=$1 program=$2
	shift 2
	timeout 120 "$ktranal" record -b ptrace -q -o "$tmp/work.ktr" -- "$build/bench/$program" -JG \
		-B 1 -N "$operations" -D "$tmp" "$@" >"$tmp/json" 2>"$tmp/err" </dev/null
	status=$?
	if [ $status -eq 1 ] && grep -q 'nothing to report' "$tmp/err"; then
		printf '+ %s\nslack 12\n' "$operations"
	elif [ $status -ne 0 ]; then
		return $status
	else
		sed -n 's/.*"iterations": \([0-9]*\).*/+ \1/p' "$tmp/json"
	fi
	"$ktranal" summary --csv "$tmp/work.ktr" | awk -F, 'NR > 1 { print $2, $3 }'
	case $calls in
	*"{"*) "$ktranal" dump "$tmp/work.ktr" | count_texts ;;
	esac
}

# "CALL{TEXT} TIMES" for those in $calls, from a dump.
count_texts() {
	awk -v calls="$calls" '
	BEGIN { words = split(calls, word, /[ ,|]+/) }
	{
		for (i = 1; i <= words; i++)
			if (split(word[i], part, /[{}]/) > 1 && (at = index($0, " " part[1] "(")))
				made[word[i]] += index(substr($0, at), part[2]) > 0
	}
	END { for (w in made) print w, made[w] }'
}

calls=
# How often the harness runs a batch besides the first: counted with calls that are surely made.
for i in 10 110; do
	count $i lat_syscall getppid | awk '$1 == "getppid" { print $2 }'
done >"$tmp/runs"
runs=$(awk 'NR == 1 { few = $1 } NR == 2 { print ($1 - few) / 100 }' "$tmp/runs")
is "$runs" "${runs%%.*}" "a batch of 100 more calls makes $runs times 100 more"

# What the harness calls once for each call of run(), of which a batch has many when preparations are
# small; getrandom: to name the directories of a batch.
harness="getrusage|clock_gettime|pread64|getrandom"

# member KEY: its number in the JSON object of the program
member() {
	sed -n "s/.*\"$1\": \([^],}]*\).*/\1/p" "$tmp/json"
}

# Compares the counts of few ($tmp/few) and many operations with CALLS, and with the kernel entries that the program
# declares: calls and faults are no fewer.  Exceptions are not counted, with which operations without calls enter it.
judge() {
	awk -v runs="$runs" -v calls="$1" -v harness="^($harness)$" -v entries="$(member kernel_entries)" \
		-v faults="$(member faults)" '
	FNR == 1 { file++ }
	$1 == "slack" { slack = $2; next }
	$1 == "+" { operations += file == 1 ? -runs * $2 : runs * $2; next }
	{ made[$1] += file == 1 ? -$2 : $2 }
	END {
		if (operations <= 0) { print "no more operations"; exit 1 }
		slack /= operations
		for (call in made) all += made[call] / operations
		# Of one call as often as the scheduler makes it necessary (*), there are sometimes fewer.
		if (calls != "-" && calls !~ /^[^ ,]+ [*]$/ && all + faults + 0.1 + slack < entries) {
			print "declares", entries, "kernel entries and makes", all, "calls,", faults, "faults"; wrong = 1
		}
		parts = calls == "-" ? 0 : split(calls, part, /, */)
		for (i = 1; i <= parts; i++) {
			split(part[i], word, " ")
			if (word[1] == "...") { others = 1; continue }
			split(word[2] ~ /-/ ? word[2] : word[2] "-" word[2], bound, "-")
			names = split(word[1], name, "|")
			n = 0
			for (j = 1; j <= names; j++) { n += made[name[j]]; delete made[name[j]] }
			n /= operations
			if (word[2] != "*" && (n < bound[1] - 0.01 - slack || n > bound[2] + 0.01 + slack)) {
				print n, word[1] " per operation, not " word[2]; wrong = 1
			}
		}
		for (call in made)
			if (!others && call !~ harness && made[call] / operations > 0.02 + slack) {
				print made[call] / operations, call " per operation, not listed"; wrong = 1
			}
		exit wrong
	}' "$tmp/few" "$tmp/many" >"$tmp/out"
}

rows=
while IFS=$tab read -r invocation calls many; do
	case $invocation in "#"* | "") continue ;; esac
	rows="$rows ${invocation%% *} "
	chosen "$invocation" "$@" || continue
	many=${many:-200}
	# shellcheck disable=SC2086
	count $((many / 4)) $invocation >"$tmp/few" && count "$many" $invocation >"$tmp/many"
	case $? in
	0) judge "$calls" ;;
	3) skip "$invocation: $(head -1 "$tmp/err")"; continue ;;
	*) false ;;
	esac
	ok $? "$invocation: $calls"
done <"$table"

for program in "$build"/bench/*.o; do
	program=${program##*/}
	case $rows in
	*" ${program%.o} "*) ;;
	*) ok 1 "${program%.o} has a row in tests/data/work.tsv" ;;
	esac
done
done_testing
