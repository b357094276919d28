#!/bin/sh
# SPDX-License-Identifier: MIT
# What people read: hbench summary and compare of three invented machines, to the letter.
. "$(dirname "$0")/tap.sh"
hbench=$build/bin/hbench
data=tests/data/hbench

# prints FILE WHAT COMMAND...: the command succeeds and prints what is in tests/data/hbench/FILE.
prints() {
	file=$1 what=$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" && diff "$data/$file" "$tmp/out" >"$tmp/err"
	ok $? "$what"
}

prints one.txt "one machine: groups, units, rates, flags explained once" "$hbench" summary $data/fast.json
prints three.txt "three machines: the best marked, what differs alone" \
	"$hbench" summary $data/fast.json $data/slow.json $data/third.json
prints all.txt "--all: the rest unmarked" "$hbench" summary --all $data/fast.json $data/slow.json $data/third.json
prints rows.csv "--csv: a row for each entry and machine" \
	"$hbench" summary --csv $data/fast.json $data/slow.json $data/third.json
prints compare.txt "compare: what changed first, environments short" \
	"$hbench" compare $data/fast.json $data/slow.json $data/third.json
prints compare.csv "compare --csv: everything, with p" "$hbench" compare --csv $data/fast.json $data/slow.json
prints environment.txt "compare --environment: in full" \
	"$hbench" compare --environment $data/slow.json $data/third.json

# Machines with long names get letters; a narrow terminal gets more pages.
for m in fast slow third; do
	sed "s/\"machine\": \"$m\"/\"machine\": \"$m-with-a-name-that-is-long\"/" $data/$m.json >"$tmp/$m.json"
done
"$hbench" summary "$tmp/fast.json" "$tmp/slow.json" "$tmp/third.json" >"$tmp/out"
grep -q '^B  slow-with-a-name-that-is-long ' "$tmp/out" && grep -q '^entry  *A  *B  *C$' "$tmp/out"
ok $? "long names become letters"
"$hbench" summary $data/fast.json $data/slow.json $data/fast.json >"$tmp/out"
grep -q '^C  fast ' "$tmp/out"
ok $? "so do two runs of one machine"

"$hbench" summary results/reference/native/osvec.json results/reference/zen4-uml/osvec.json \
	results/reference/zen4-gvisor/osvec.json | sed 's/ *$//' >"$tmp/out"
awk '/^```$/ { code = !code; on = 0; next } code && /^entry .*gvisor/ { on = 1 } on && code && NF' README.md >"$tmp/readme"
[ -s "$tmp/readme" ] && ! grep -Fxvq -f "$tmp/out" "$tmp/readme"
ok $? "README.md shows lines of this page"

# -- the exit status of --fail-above: an entry is slower by more than that, beyond its interval
# above STATUS LIMIT A B
above() {
	"$hbench" compare --fail-above "$2" $data/"$3".json $data/"$4".json >"$tmp/out" 2>"$tmp/err"
	is $? "$1" "--fail-above $2 $3 $4: status $1"
}
above 4 4% fast slow
says "bw_mem_rd_16k is slower by 100 % (97.2 to 103), allowed are 4 %" "the entry is named"
lacks "lat_proc_null_static is slower" "one whose interval begins at 2.7 % is not"
above 4 2.7% fast slow
says "lat_proc_null_static is slower by 5 %" "with --fail-above 2.7% it is"
above 0 98% fast slow
above 4 97 fast slow
above 0 190% fast third
above 4 180% fast third
above 0 0 third fast
above 2 -1 fast slow
above 2 x% fast slow
above 1 5% single fast
says "nothing to judge" "one process an entry: which is said"

"$hbench" list --csv | grep ',others$' >"$tmp/out"
[ ! -s "$tmp/out" ]
ok $? "every benchmark program is in a group: add those above to driver/group.c"

# -- the mistakes of new users
check 1 "--estimator of a vector" "$hbench" summary --estimator mean $data/fast.json
says "a vector alone" "the reason"
check 1 "vector of a vector" "$hbench" vector $data/fast.json
for command in summary compare; do
	"$hbench" $command --csv results/reference/native results/reference/zen4-uml | sed s,results/reference/,, >"$tmp/want"
	check 0 "$command of reference platforms" "$hbench" $command --csv native zen4-uml
	cmp -s "$tmp/want" "$tmp/out"
	ok $? "by name"
	check 1 "$command of an unknown one" "$hbench" $command native nowhere
	says "nowhere: neither a file nor a directory, nor a reference platform" "is an error"
done
check 0 "a reference of few processes an entry" "$hbench" summary zen4-tcg-x86
says "precision: none, too few processes for an interval" "has no precision"
check 2 "an operand that an unset variable made" "$hbench" run -o "$tmp/unset" ''
says "an empty operand" "is named"
for command in summary vector compare analyze; do
	check 2 "$command of an empty operand" "$hbench" $command ''
done
check 2 "vector of a reference platform" "$hbench" vector native
says "native is a reference platform: name a file by -o" "is not written over"
check 2 "compare of one" "$hbench" compare $data/fast.json
check 1 "summary of a file that is none" "$hbench" summary $data/one.txt
check 1 "summary of nothing" "$hbench" summary "$tmp/none"
done_testing
