#!/bin/sh
# SPDX-License-Identifier: MIT
# What osvec-predict promises: numbers done by hand, exit statuses, messages.
. "$(dirname "$0")/tap.sh"
predict=$build/bin/osvec-predict
data=$PWD/tests/data/predict
app=$data/app.json fast=$data/fast.json slow=$data/slow.json
# No reference platforms but those made here.
mkdir -p "$tmp/share/reference" "$tmp/work"
export OSVEC_SHARE="$tmp/share"

# cell KEY COLUMN: the number in a column of the CSV row whose second or first field is KEY.
cell() {
	awk -F, -v key="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$1 == key || $2 == key { print $at[column]; exit }' "$tmp/out"
}
# near KEY COLUMN WANT: within 1e-8.
near() {
	awk -v a="$(cell "$1" "$2")" -v b="$3" 'BEGIN { d = a - b; if (d < 0) d = -d
		exit !(a != "" && d <= 1e-8 * (b < 0 ? -b : b)) }'
	ok $? "$1 $2 is $3"
}
for command in rank choose explain whatif capacity validate aggregate; do
	check 0 "$command --help" "$predict" $command --help
	check 2 "$command: unknown option" "$predict" $command --nonsense
	check 2 "$command: nothing given" "$predict" $command
done
check 0 "--version" "$predict" --version
check 2 "unknown command" "$predict" rnak
says "did you mean 'rank'" "the nearest command is named"
check 2 "a mistyped option" "$predict" rank -a "$app" --agianst fast "$fast"
says "unknown option --agianst; did you mean --against?" "the nearest is named"
check 2 "with one dash" "$predict" rank -a "$app" -json "$fast"
says "unknown option -s; did you mean --json?" "as well"
check 2 "one that is like none" "$predict" rank -a "$app" --s=1 "$fast"
lacks "did you mean" "nor is one of them named"

# On fast, per request: 10 reads of 100 us, 3 sends of 100 us, 1 of 200 us (half way in the logarithms),
# 10 of 11 switches that no fsync contains, 5 faults of 10 us, 1 ms of user time, 0.1 fsyncs of 10 ms.
check 0 "rank" "$predict" rank -l 0 --no-intervals --csv -a "$app" "$slow" "$fast"
near fast kernel 0.00255
near fast user 0.001
near fast wait 0.001
near fast seconds 0.00455
near slow kernel 0.0122
near slow user 0.003
near slow ratio 3.36263736
[ "$(sed -n 2p "$tmp/out" | cut -d, -f2)" = fast ]; ok $? "the fastest is first"
check 0 "rank per run" "$predict" rank -l 0 --no-intervals --csv -u run -a "$app" "$fast"
near fast seconds 0.455
# A fifth of the kernel part is in user mode on fast, and in the user time.
sed 's/"seconds":/"user": 0.2, "seconds":/' "$fast" >"$tmp/split.json"
check 0 "a machine whose calls take user time" "$predict" rank --no-intervals --csv -a "$app" "$slow" "$tmp/split.json"
near fast user 0.00049
near slow user 0.00147
says "51 % of the user time on the reference is what its calls take in user mode" "which is said"
check 0 "in a choice" "$predict" choose --csv -a "$app" "$slow" "$tmp/split.json"
near slow user 0.00147
# What calls cost more in place on a hosted kernel says nothing of others.
sed 's/"entries": \[/&{"entry": "lat_proc_null_static", "seconds": 1},/' "$fast" >"$tmp/hosted.json"
check 0 "recorded on a hosted kernel" "$predict" rank --no-intervals --csv -a "$app" "$tmp/hosted.json" "$slow"
near fast kernel 0.00255
says "level 0: processes of fast, where it was recorded," "level 2 is not the default"
check 0 "a choice of hosted kernels" "$predict" choose --csv -a "$app" "$tmp/hosted.json"
near fast kernel 0.0028
check 0 "level 2 if asked for" "$predict" rank -l 2 --no-intervals --csv -a "$app" "$tmp/hosted.json" "$slow"
near fast kernel 0.0028
check 2 "rank in an unknown unit" "$predict" rank -u furlong -a "$app" "$fast"

check 0 "choose" "$predict" choose -l 0 --csv -a "$app" "$slow" "$fast"
near fast seconds 0.00455
near fast wait 0.001
near slow ratio 3.36263736
cut -d, -f2 "$tmp/out" | tr '\n' ' ' | grep -q '^machine fast slow $'; ok $? "the fastest is first"
is "$(cut -d, -f8 "$tmp/out" | xargs)" "unit request request" "per request"
check 0 "choose without the reference" "$predict" choose -l 0 -a "$app" "$slow"
says "USER TIME IS NOT SCALED of 1 applications" "is said loudly"
sed 's/"machine": "fast"/"machine": "twin"/' "$fast" >"$tmp/twin.json"
check 0 "choose of two that are alike" "$predict" choose -l 0 --csv --top 1 -a "$app" "$slow" "$tmp/twin.json" "$fast"
[ "$(sed -n 2p "$tmp/out" | cut -d, -f2)" = twin ]; ok $? "the first of them"
check 0 "rank of two that are alike" "$predict" rank -l 0 --no-intervals --csv -a "$app" "$slow" "$tmp/twin.json" "$fast"
is "$(cell twin rank) $(cell fast rank) $(cell slow rank)" "1 1 3" "they share a rank"
for i in 1 2 3 4 5 6 7; do
	sed "s/\"machine\": \"fast\"/\"machine\": \"m$i\"/; s/\"host.name\": \"fast\"/\"host.name\": \"m$i\"/" "$fast" >"$tmp/m$i.json"
done
check 0 "seven that are alike" "$predict" rank -l 0 -a "$app" --reference "$fast" "$tmp"/m[1-7].json
tr -s ' \n' '  ' <"$tmp/out" | grep -q 'not told apart from: m2, m3, m4, m5, m6 and 1 more'; ok $? "five are named"
lacks "of the user time on the reference is what its calls take" "no call works in user mode here"
grep -v 'lat_\(fsync\|read\|send\)' "$fast" | sed 's/\("lat_pagefault".*}\),/\1/' >"$tmp/bare.json"
check 1 "a machine that knows switches and faults alone" "$predict" rank -l 0 --reference "$fast" -a "$app" "$tmp/bare.json"
says "none of the entries that app uses" "was measured by another suite"
check 1 "two machines that are not there" "$predict" rank -a "$app" "$tmp/none1.json" "$tmp/none2.json"
says "none1.json" "the first is named"
mkdir "$tmp/applications"
cp "$app" "$tmp/applications/one.json"
cp "$app" "$tmp/applications/two.json"
check 0 "choose two of three" "$predict" choose -l 0 --csv --top 2 -a "$app" "$slow" "$tmp/twin.json" "$fast"
is "$(sed 1d "$tmp/out" | cut -d, -f2 | xargs)" "twin fast" "of those that take as long the first is first"
check 0 "choose one of two" "$predict" choose -l 0 --csv --top 1 -a "$tmp/applications" -a "$app" "$slow" "$fast"
[ "$(grep -c '^[^,]*,fast,' "$tmp/out")" = 3 ] && ! grep -q ,slow, "$tmp/out"; ok $? "the applications of a directory"
check 2 "choose at level 1" "$predict" choose -l 1 -a "$app" "$slow" "$fast"
check 1 "choose for a missing application" "$predict" choose -a "$tmp/none.json" "$slow"
sed 's/"user": 0.1/"user": 0/; s/"items": \[/&{"entry": "lat_pagefault", "weight": -1, "part": "kernel", "calls": 3, "bytes": 0},/' "$app" >"$tmp/less.json"
check 0 "a call that is subtracted" "$predict" rank -l 0 --top 20 --no-intervals -a "$tmp/less.json" "$fast"
grep -q '^lat_pagefault  *-0.03 .* -300 ns ' "$tmp/out"; ok $? "is listed below what takes no time"
check 0 "rank with intervals" "$predict" rank -l 0 -a "$app" "$slow" "$fast"
grep -Eq '^decision: fast, P\(best\) = (0\.99|1\.00); with probability 0\.9 it is at most 0\.0 % slower than the best$' "$tmp/out"
ok $? "the decision"
! grep -q "not told apart from:" "$tmp/out"; ok $? "nothing rivals it"
grep -Eq '^fast is 3\.36 x \[1\.[67][0-9] - 6\.[0-9]+\] as fast as slow, faster with P = (0\.99|1\.00) for this pair alone$' "$tmp/out"
ok $? "the answer is a ratio"
says "ratio: the time relative to fast, from - to: where the true ratio is with probability 0.9" "and explained"
says "prior, no validation yet" "the model error says where it is from"
says "fast beats slow by 236.3 %: 175.8 from lat_read" "one sentence says why"
awk 'length > 99' "$tmp/out" | grep -q .; [ $? -eq 1 ]; ok $? "no line is longer than 99 columns"
check 0 "intervals as CSV" "$predict" rank --csv -a "$app" "$slow" "$fast"
cp "$tmp/out" "$tmp/first"
low=$(cell fast low) high=$(cell fast high)
check 0 "again" "$predict" rank --csv -a "$app" "$slow" "$fast"
cmp -s "$tmp/out" "$tmp/first"; ok $? "the same seed gives the same answer"
# CSV has no note that prints the seed.
check 0 "another seed" "$predict" rank --csv --seed 2 -a "$app" "$slow" "$fast"
[ "$(cell fast low)" != "$low" ] && [ "$(cell fast high)" != "$high" ]; ok $? "another seed gives other intervals"
check 0 "a narrower interval" "$predict" rank --csv --interval 0.5 -a "$app" "$slow" "$fast"
echo "$low $(cell fast low) 0.00455 $(cell fast high) $high" |
	awk '{ exit !($1 < $2 && $2 < $3 && $3 < $4 && $4 < $5) }'
ok $? "is inside the one of 0.9"
check 0 "ratios" "$predict" rank -l 0 --csv --interval 0.5 -a "$app" "$slow" "$fast"
echo "$(cell slow ratio_low) 3.36263736 $(cell slow ratio_high) $(cell slow slower)" |
	awk '{ exit !($1 > 2.5 && $1 < $2 && $2 < $3 && $3 < 4.5 && $4 > 0.99) }'
ok $? "have an interval around them, and a probability"
is "$(cell fast ratio) $(cell fast ratio_low)$(cell fast slower)" "1 " "except that of the machine compared with"
check 0 "ratios to another" "$predict" rank -l 0 --csv --against slow -a "$app" "$slow" "$fast"
near fast ratio 0.297385621
awk -v p="$(cell fast slower)" -v high="$(cell fast ratio_high)" 'BEGIN { exit !(p < 0.01 && high < 1) }'
ok $? "may be below 1"
check 0 "in words" "$predict" rank -l 0 --against slow -a "$app" "$slow" "$fast"
grep -Eq '^fast is 3\.36 x \[1\.[67][0-9] - 6\.[0-9]+\] as fast as slow, faster with P = (0\.99|1\.00)' "$tmp/out"; ok $? "the other way round"
check 0 "to the third" "$predict" rank -l 0 --against slow -a "$app" "$tmp/twin.json" "$slow" "$fast"
says "twin is 3.36 x" "it is the one that decides"
# A recording while user code took 1.25 times as long as for the vector, and calls 0.8 times.
sed 's/"environment"/"canaries": { "code": [9, 1, 9, 1e-7], "call": [9, 1, 9, 1e-6] }, &/' "$fast" >"$tmp/calm.json"
sed 's/"units"/"canaries": { "code": 1.25e-7, "call": 0.8e-6 }, &/' "$app" >"$tmp/busy.json"
check 0 "a host in another state" "$predict" rank -l 0 --no-intervals --csv -a "$tmp/busy.json" "$tmp/calm.json"
near fast user 0.0008
near fast kernel 0.00255
tr '\n' ' ' <"$tmp/err" | grep -q 'user time was 1.25 and system time 1.00 times as long'; ok $? "is said" || cat "$tmp/err"
sed 's/0.8e-6/0.4e-6/' "$tmp/busy.json" >"$tmp/odd.json"
check 0 "in one that no host has" "$predict" rank -l 0 --no-intervals --csv -a "$tmp/odd.json" "$tmp/calm.json"
near fast user 0.001
tr '\n' ' ' <"$tmp/err" | grep -q 'left as recorded, perhaps on another machine'; ok $? "is said, too" || cat "$tmp/err"
sed 's/1.25e-7/"x"/' "$tmp/busy.json" >"$tmp/odd.json"
check 1 "no number" "$predict" rank -a "$tmp/odd.json" "$tmp/calm.json"
says "odd.json: canaries.code: not a number" "is named"
# What the first ratio is uncertain by: in words, and in parts that a shared host, or one round, change.
check 0 "a machine twice" "$predict" rank -a "$app" "$fast" "$fast"
says "not told apart from: fast#2; they are one" "is one machine"
lacks "fast beats" "and as fast as itself"
sed '$s/$/ /' "$fast" >"$tmp/same-as-fast.json"
check 0 "a machine and a copy of its file" "$predict" rank -a "$app" "$fast" "$tmp/same-as-fast.json"
says "not told apart from: fast#2; they are one" "is one machine"
lacks "can be the one that the application was recorded on" "and one reference"
sed 's/"cpu_int", "seconds": 1e-9/"cpu_int", "seconds": 1.01e-9/' "$fast" >"$tmp/not-fast.json"
check 0 "one of its name and time" "$predict" rank -a "$app" "$fast" "$tmp/not-fast.json"
lacks "they are one" "is another, by its costs"
part() { sed -n "s/^\"ratio_variance_$1\": \(.*\),/\1/p" "$tmp/out"; }
# doubt MEMBER VALUE: of a copy of fast, all of whose entries have that member.
doubt() {
	sed -e "s/, \"$1\": 0//; s/\"seconds\": [0-9.e-]*/&, \"$1\": $2/" -e 's/"fast"/"copy"/' \
		-e "s/\"environment\"/\"canaries\": { \"code\": [2, 1, ${3:-1}], \"call\": [2, 1, ${3:-1}] }, &/" \
		"$fast" >"$tmp/copy.json"
	check 0 "$1 $2 ${3:-}" "$predict" rank --json -a "$app" "$tmp/copy.json" "$fast"
}
doubt error 0.001
model=$(part model) hosts=$(part hosts)
# Each host has moved by 10 % before its vector and by 10 % since.
echo "$model $hosts $(part measured)" | awk '{ d = $2 - 0.04; exit !($1 > 0.02 && d * d < 1e-12 && $3 < 0.001) }'
ok $? "the model and the hosts, by the prior"
doubt error 0.001 4
# Canaries add (ln 4 / 2.5631)^2, once.
echo "$(part hosts) $hosts" | awk '{ d = $1 - $2 - 0.29255; exit !(d * d < 1e-6) }'; ok $? "a host that varied adds that"
[ "$(part model)" = "$model" ]; ok $? "and leaves the model's part"
check 0 "in words" "$predict" rank -a "$app" "$tmp/copy.json" "$fast"
tr '\n' ' ' <"$tmp/out" | grep -q 'variance of the first ratio is due to the state that shared hosts will be in'; ok $? "in words"
doubt error 1
echo "$(part measured) $(part model) $model" | awk '{ exit !($1 > 0.3 && $2 == $3) }'; ok $? "what was measured badly"
check 0 "in words" "$predict" rank -a "$app" "$tmp/copy.json" "$fast"
tr '\n' ' ' <"$tmp/out" | grep -q 'variance of the first ratio is due to measurement: more rounds'; ok $? "in words"

# With the correlation 1 all entries are wrong by one factor, which more rounds of one entry do not tell.
for correlation in 0 1; do
	sed "s/\"created\"/\"correlation\": $correlation, &/" "$tmp/copy.json" >"$tmp/correlated.json"
	check 0 "correlation $correlation" "$predict" rank --measure-next --model-error 0 -a "$app" "$tmp/correlated.json" "$fast"
	grep -q 'all entries, 4 x the rounds  *copy  *75.0 %' "$tmp/out"; ok $? "all entries, to a quarter of the variance"
	grep -c 'lat_.*, 4 x the rounds' "$tmp/out" >"$tmp/entries"
	[ "$(($(cat "$tmp/entries") > 0))" = "$((!correlation))" ]; ok $? "and each by itself, unless they are correlated"
done
# Without a model error, what the machine, the reference, the runs and calls without an entry add is all there is.
next() { check 0 "what to measure next, $1" "$predict" rank --measure-next --model-error 0 -l 0 "$@"; }
next -a "$app" "$tmp/copy.json" "$fast"
says "the application, timed there copy 100.0 %" "a measured time has none of the errors of entries"
sed 's/"error": 0/"error": 0.001/; s/"fast"/"known"/; s/"created"/"correlation": 0, &/' "$fast" >"$tmp/known.json"
sed 's/"created"/"correlation": 0, &/' "$tmp/copy.json" >"$tmp/doubted.json"
next -a "$app" "$tmp/doubted.json" "$tmp/known.json"
says "rounds copy" "entries of the machine that was measured badly are in doubt"
lacks "rounds known" "and none of the other one"
sed 's/"cpu_int", "seconds": 1e-9/"cpu_int", "seconds": 1.5e-9/; s/"copy"/"reference"/' "$tmp/copy.json" >"$tmp/reference.json"
next --reference "$tmp/reference.json" -a "$app" "$slow" "$fast"
says "rounds reference 75.0 %" "the machine that both are relative to"
for run in 7 null; do
	sed "s/\"runs\": \[/& $run,/" "$app" >"$tmp/no-run.json"
	check 1 "a run that is $run" "$predict" rank -a "$tmp/no-run.json" "$fast"
	says "no-run.json: runs[0]: not an object" "is told"
done
sed 's/\("runs": \[ \)\({.*\)/\1{ "user": 0.4, "system": 0.28, "wall": 2, "voluntary": 1100, "involuntary": 0, "minor_faults": 500, "major_faults": 0 }, \2/' \
	"$app" >"$tmp/runs.json"
next -a "$tmp/runs.json" "$slow" "$fast"
says "runs, 4 x as many fast 75.0 %" "the runs, that differ"
# Half of the kernel's time has no entry, and is uncertain by half of itself: a quarter of 2.55 of 4.55 ms, and of 12.2 of 15.3 ms.
sed 's/"mapped_time": 1/"mapped_time": 0.5/' "$app" >"$tmp/half.json"
next -a "$tmp/half.json" "$slow" "$fast"
says "timed there slow 66.9 %" "a measured time has all calls"
check 0 "its parts" "$predict" rank --json --model-error 0 -l 0 -a "$tmp/half.json" "$slow" "$fast"
echo "$(part measured) $(part model)" | awk '{ d = $2 - 0.05937; exit !($1 * $1 < 1e-20 && d * d < 1e-10) }'
ok $? "that of calls without an entry is the model's"
# Student's t with these degrees of freedom has so much more variance than the normal, but not what hosts add: own errors of 0.1
# on each side, hosts of 0.1 twice on each, and a bias in a measured time, which may be worse than what it replaces.
mkdir -p "$tmp/model/conf" "$tmp/model/reference"
for of in '2 3 0.05' '3 3 0.05' '6 1.5 0.05' '6 1.5 1'; do
	set -- $of
	printf 'lines 0\nhost 0.1\nnative 0.1\nfreedom %s\nbias %s\n' "$1" "$3" >"$tmp/model/conf/model.conf"
	check 0 "freedom $1, bias $3" env OSVEC_SHARE="$tmp/model" "$predict" rank --json --measure-next -l 0 -a "$app" "$tmp/doubted.json" "$tmp/known.json"
	share=$(sed -n 's/.*timed there", "machine": "copy", "share": \([^,]*\),.*/\1/p' "$tmp/out")
	echo "$share $(part measured) $(part model) $(part hosts)" | awk -v w="$2" -v bias="$3" '{
		gain = 0.02 + w * (0.01 - bias * bias)
		want = ($2 + (gain > 0 ? gain : 0)) / ($2 + 0.02 * w + 0.04)
		d = $1 - want; model = $3 - 0.02 * w; hosts = $4 - 0.04
		exit !($1 && d * d < 1e-8 && model * model < 1e-12 && hosts * hosts < 1e-12) }'
	ok $? "an application that is timed on one of two"
done
for option in '--samples 500' '--seed 2' '--interval 0.8' '--model-error 0.1'; do
	# shellcheck disable=SC2086
	check 2 "$option of no interval" "$predict" rank --no-intervals $option -a "$app" "$slow" "$fast"
done
# By 2 %, and by 5.5 %; what is certain is apart from 3 % on.
for cost in '1-2 1.09e-4' '1 1.25e-4'; do
	sed "s/\"machine\": \"fast\"/\"machine\": \"near\"/; s/\"lat_read\", \"seconds\": 1e-4/\"lat_read\", \"seconds\": ${cost#* }/" \
		"$fast" >"$tmp/near.json"
	check 0 "a machine that is hardly slower" "$predict" rank -l 0 --csv --model-error 0 --reference "$fast" -a "$app" "$tmp/near.json" "$fast"
	is "$(cell fast rank)" "${cost% *}" "ranks with a read of ${cost#* } s"
done
check 2 "two applications" "$predict" rank -a "$app" -a "$app" "$slow" "$fast"
says "give -a FILE once" "are not one of them"
check 0 "what to measure next" "$predict" rank --measure-next -a "$app" "$slow" "$fast"
awk '/the application, timed there +slow/ { slow = $(NF - 3) } /timed there +fast/ { fast = $(NF - 3) }
	END { exit !(slow > 1.5 * fast && slow > 40 && slow < 50) }' "$tmp/out"
ok $? "most of it is about the machine it was not recorded on, but the application's own error stays"
check 0 "of machines on one host" "$predict" rank --measure-next -a results/applications/files.json results/reference/native \
	results/reference/native-overlay
says "No single measurement takes away half of it; timing the application on both machines takes away all." "it is timing the application on both"
check 2 "what to measure next of one machine" "$predict" rank --measure-next -a "$app" "$fast"
check 2 "without intervals" "$predict" rank --measure-next --no-intervals -a "$app" "$slow" "$fast"
# One host whose vectors saw two states of it, 25 % apart: 5 ms of user time and 5 of calls become those of the mean.
facts='s/"host.name": "[a-z]*", /&"cpu.model": "Z80", /; s/"kernel.release": "[0-9.]*"/"kernel.release": "6.1.0"/'
sed "$facts" "$fast" >"$tmp/quiet.json"
sed "s/\"machine\": \"fast\"/\"machine\": \"busy\"/; s/\"cpu_int\", \"seconds\": 1e-9/\"cpu_int\", \"seconds\": 1.25e-9/" \
	"$tmp/quiet.json" >"$tmp/busy.json"
width() { awk -v low="$(cell "$1" low)" -v high="$(cell "$1" high)" 'BEGIN { print high / low }'; }
both() { check 0 "$1" "$predict" rank --csv -l 0 -a "$app" --reference "$tmp/quiet.json" "$tmp/quiet.json" "$2" $3; }
# Scales are those of the level.
printf 'lines 0\nhost 0\nnative 0.1\nfreedom 1e6\nlevel 0\nnative 0.2\n' >"$tmp/model/conf/model.conf"
check 0 "scales of level 0" env OSVEC_SHARE="$tmp/model" "$predict" rank --json --measure-next -l 0 -a "$app" "$tmp/doubted.json" "$tmp/known.json"
part model | awk '{ d = $1 / 0.08 - 1; exit !(d * d < 1e-6) }'
ok $? "the variance of a ratio is twice their square"
# Two natives on one host share all of their own error but what siblings says, also when its state is not made equal.
for of in 'siblings:0.02 0.0008' '# 0.02'; do
	printf 'lines 0\nhost 0\nnative 0.1\nfreedom 1e6\n%s\n' "$(echo "${of% *}" | tr : ' ')" >"$tmp/model/conf/model.conf"
	for state in '' --vector-state; do
		# shellcheck disable=SC2086
		check 0 "siblings: ${of#* } $state" env OSVEC_SHARE="$tmp/model" "$predict" rank --json --measure-next -l 0 $state -a "$app" \
			--reference "$tmp/quiet.json" "$tmp/quiet.json" "$tmp/busy.json"
		part model | awk -v want="${of#* }" '{ d = $1 / want - 1; exit !(d * d < 1e-6) }'
		ok $? "the variance of their ratio"
	done
done
both "one host in two states" "$tmp/busy.json" --vector-state
quiet=$(cell fast user) busy=$(cell busy user) width=$(width busy)
both "which are taken to one" "$tmp/busy.json"
awk -v q="$quiet" -v b="$busy" -v one="$(cell fast user)" -v two="$(cell busy user)" 'BEGIN {
	s = sqrt(1.25)
	exit !(b / q > 1.249 && b / q < 1.251 && one / q > s - 0.001 && one / q < s + 0.001 && two / one > 0.999 && two / one < 1.001) }'
ok $? "to the geometric mean"
near fast wait 0.001
awk -v a="$width" -v b="$(width busy)" 'BEGIN { exit !(b > a * 1.01) }'
ok $? "and later states are in the interval"
grep -q "these vectors were measured on one host .*: fast x 1.12, busy x 0.89" "$tmp/err"; ok $? "which is said"
sed 's/"environment": {/& "cgroup.cpu_max": "50000 100000",/' "$tmp/busy.json" >"$tmp/half.json"
both "half a CPU" "$tmp/half.json"
half=$(cell busy seconds)
check 0 "choose among them" "$predict" choose --csv -l 0 -a "$app" --reference "$tmp/quiet.json" "$tmp/quiet.json" "$tmp/half.json"
near busy seconds "$half"
sed 's/"fast"/"between"/; s/"host.name": "fast"/"host.name": "between"/; s/"lat_read", "seconds": 1e-4/"lat_read", "seconds": 9.1e-5/' "$fast" >"$tmp/between.json"
check 0 "one between a host as it was, and as it will be" "$predict" choose --csv -l 0 --top 1 -a "$app" \
	--reference "$tmp/quiet.json" "$tmp/between.json" "$tmp/quiet.json" "$tmp/busy.json"
is "$(sed 1d "$tmp/out" | cut -d, -f2)" busy "user time is faster in that state, too"
check 0 "in the state of their vectors" "$predict" choose --csv -l 0 -a "$app" --vector-state --reference "$tmp/quiet.json" "$tmp/quiet.json" "$tmp/busy.json"
near fast user "$quiet"
near busy user "$busy"
sed "s/1.25e-9/1.03e-9/" "$tmp/busy.json" >"$tmp/calm.json"
both "nearly the same state" "$tmp/calm.json"
lacks "vectors of one host" "needs no words"
sed "s/Z80/Z81/" "$tmp/busy.json" >"$tmp/other.json"
both "another processor" "$tmp/other.json"
near busy user "$busy"
# turns MACHINE HOST SECONDS: in three slices of 20 s, of which the first begins that late.
turns() {
	slices=$(awk -v s="$3" 'BEGIN { for (i = 0; i < 3; i++) {
		t = s + i * 60
		printf "%s[\"2026-01-02T03:%02d:%02dZ\", \"2026-01-02T03:%02d:%02dZ\"]", i ? ", " : "", t / 60, t % 60, (t + 20) / 60, (t + 20) % 60 } }')
	sed "s/\"machine\": \"fast\"/\"machine\": \"$1\"/; s/\"host.name\": \"fast\"/\"host.name\": \"$2\"/
		s/\"meta\": {/& \"slices\": [$slices],/" "$fast" >"$tmp/$1.json"
}
turns a one 0; turns b one 21; turns c two 600; turns d two 621
check 0 "two pairs in turns" "$predict" rank -l 0 -a "$app" "$tmp/a.json" "$tmp/c.json" "$tmp/b.json" "$tmp/d.json"
is "$(tr '\n' ' ' <"$tmp/out" | tr -s ' ' | grep -o 'in one state of their host: [a-z], [a-z]' | cut -d: -f2 | tr '\n' ' ')" " a, b  c, d " \
	"a note for each pair"
# An emulator is one by its costs.
sed 's/"machine": "slow"/"machine": "tcg"/; s/"entries": \[/"entries": [ { "entry": "cpu_code", "seconds": 1 },/' "$slow" >"$tmp/tcg.json"
check 0 "a machine that the model serves badly" "$predict" rank -l 0 -a "$app" "$tmp/tcg.json" "$fast"
says "tcg !" "is marked"
says "in one case of ten its time relative to the reference is wrong by more than a factor of 1.5; for the worst machine here, of" "and why"
sed 's/"machine": "fast"/"machine": "like"/' "$fast" >"$tmp/like.json"
check 0 "the same, with ratios to it" "$predict" rank -l 0 --against tcg --reference "$fast" -a "$app" "$tmp/tcg.json" "$tmp/like.json"
says "tcg !" "is still the one"
lacks "like !" "not one that is like the reference"
check 0 "a model that errs, with ratios to slow" "$predict" rank -l 0 --against slow --model-error 0.5 -a "$app" "$slow" "$fast"
says "slow !" "does so relative to the reference"
lacks "fast !" "which is not marked"
check 0 "one that is like the reference, at level 2" "$predict" rank -l 2 --reference "$fast" -a "$app" "$tmp/like.json" "$fast"
lacks "like !" "is served well"
check 0 "without a reference" "$predict" rank -l 0 --model-error 0.25 -a "$app" "$slow"
says "for the worst machine here, of 1.7" "it is the error of a time: exp(0.25 t)"
check 2 "ratios to a machine that is not there" "$predict" rank --against x -a "$app" "$slow" "$fast"
says "--against: 'x' is not one of the machines" "which is said"
check 2 "one that is mistyped" "$predict" rank --against fats -a "$app" "$slow" "$fast"
says "did you mean 'fast'?" "the nearest is named"
check 0 "the same machine twice" "$predict" rank -a "$app" "$fast" "$fast"
says "decision: fast, P(best) = 0." "one of them"
says "for all pairs at once, it is not told apart from: fast#2" "is not better than the other"
check 0 "rank as JSON" "$predict" rank --json -a "$app" "$slow" "$fast"
says '"notes": [' "JSON holds the notes"
check 1 "full disk" full "$predict" rank -a "$app" "$fast"

# Levels.
check 0 "level 1" "$predict" rank --no-intervals --csv --calibrate fast=9.1ms -a "$app" "$slow" "$fast"
near fast seconds 0.0091
near slow seconds 0.0306
check 0 "level 2, the default" "$predict" rank --no-intervals --csv -a "$app" "$slow" "$fast"
near fast kernel 0.0028
near slow user 0.003
# Ten syncs of 20 ms, 1 of them on the CPU, that took 31 ms in the traced run.
sed 's/"items": \[/&{"entry": "lat_sync-cpu", "weight": 1, "part": "kernel", "calls": 10, "bytes": 0, "time": 0.31},\
	{"entry": "lat_sync", "weight": 1, "part": "wait", "calls": 10, "bytes": 0},\
	{"entry": "lat_sync-cpu", "weight": -1, "part": "wait", "calls": 10, "bytes": 0},/' "$app" >"$tmp/syncs.json"
sed 's/"entries": \[/&{"entry": "lat_sync", "seconds": 0.02}, {"entry": "lat_sync-cpu", "seconds": 0.001},/' "$fast" >"$tmp/syncing.json"
check 0 "waits at level 0" "$predict" rank -l 0 --no-intervals --csv -a "$tmp/syncs.json" "$tmp/syncing.json"
near fast wait 0.0029
check 0 "waits at level 2" "$predict" rank --no-intervals --csv -a "$tmp/syncs.json" "$tmp/syncing.json"
near fast wait 0.004
check 0 "waits at a machine without their entries" "$predict" rank -a "$tmp/syncs.json" "$tmp/syncing.json" "$slow"
says "slow did not measure lat_sync-cpu, lat_sync: costs" "each entry is named once"
check 0 "in a choice" "$predict" choose --csv -a "$tmp/syncs.json" "$tmp/syncing.json"
near fast wait 0.004
check 0 "a machine whose time is known" "$predict" rank --csv --calibrate fast=9.1ms -a "$app" "$slow" "$fast"
is "$(cell fast low) $(cell fast high)" "0.0091 0.0091" "has no interval"
check 0 "a machine twice, at level 2" "$predict" rank --csv -a "$app" "$fast" "$fast"
is "$(cell 'fast#2' low) $(cell 'fast#2' high)" "$(cell fast low) $(cell fast high)" "has one interval"
check 1 "level 2 without a reference" "$predict" rank -l 2 -a "$app" "$slow"
check 0 "level 1 of one machine" "$predict" rank --calibrate fast=1us -a "$app" "$fast"
lacks "nan" "what has no width has no share of it"
check 2 "level 1 without a measurement" "$predict" rank -l 1 -a "$app" "$slow"
check 2 "level 3" "$predict" rank -l 3 -a "$app" "$slow"
check 2 "calibration without a time" "$predict" rank --calibrate fast -a "$app" "$fast"
check 2 "two calibrations" "$predict" rank --calibrate slow=1s --calibrate fast=1s -a "$app" "$slow" "$fast"
says "give --calibrate MACHINE=TIME once" "are not one of them"
check 2 "calibration at level 0" "$predict" rank --calibrate fast=1s --level 0 -a "$app" "$fast"
check 2 "calibration of another machine" "$predict" rank --calibrate x=1s -a "$app" "$fast"
check 0 "no reference" "$predict" rank --no-intervals -a "$app" "$slow"
says "USER TIME IS NOT SCALED" "that user time is not scaled is said loudly"
check 0 "a reference beside the list" "$predict" rank --no-intervals --csv --reference "$fast" -a "$app" "$slow"
near slow user 0.003

check 0 "one machine" "$predict" rank -a "$app" "$fast"
grep -Eq '^time: [0-9.]+ ms to [0-9.]+ ms with probability 0.9$' "$tmp/out"
ok $? "has an interval"
sed 's/"machine": "slow"/"machine": "slowest"/; s/"seconds": \([0-9]\)/"seconds": 99\1/' "$slow" >"$tmp/slowest.json"
check 0 "against a machine that is a thousand times slower" "$predict" rank -a "$app" --against slowest "$fast" "$tmp/slowest.json"
grep -Eq '^1 +fast +[^ ]+ ms +0\.0*[1-9][0-9] ' "$tmp/out"
ok $? "a ratio has two digits"

# Capacity: 3.55 ms of CPU time and 1 ms of waiting, on a machine that others do not queue for.
check 0 "capacity" "$predict" capacity -l 0 --csv --rate 100 -a "$app" "$fast" "$slow"
near fast rate 281.690141
near fast utilization 0.355
near fast response 0.00650387597
near slow utilization 1.52
is "$(cell slow response)" "" "no response time of a machine that is too busy"
check 0 "at 71 %" "$predict" capacity -l 0 --csv --rate 200 -a "$app" "$fast"
near fast response 0.0132413793
check 0 "at 81 %" "$predict" capacity -l 0 --csv --rate 228.2 -a "$app" "$fast"
is "$(cell fast response)" "" "a mean says little of response times"
check 0 "again" "$predict" capacity -l 0 --csv --rate 100 -a "$app" "$fast" "$slow"
says "above 80 % utilization" "which is said"
awk -v low="$(cell fast rate_low)" -v high="$(cell fast rate_high)" \
	'BEGIN { exit !(low > 140 && low < 200 && high > 400 && high < 560) }'
ok $? "a capacity has an interval"
width=$(cell fast rate_high)
sed 's/"lat_fsync", "seconds": 1e-2/"lat_fsync", "seconds": 1/' "$fast" >"$tmp/waits.json"
check 0 "a device that is a hundred times slower" "$predict" capacity -l 0 --csv --rate 100 -a "$app" "$tmp/waits.json"
is "$(cell fast rate_high)" "$width" "what it waits for is no part of the interval of the CPU time"
check 0 "in the state of the vectors" "$predict" capacity -l 0 --csv --vector-state -a "$app" "$fast" "$slow"
awk -v high="$(cell fast rate_high)" -v width="$width" 'BEGIN { exit !(high > 300 && high < 0.99 * width) }'
ok $? "it is narrower"
check 0 "of two CPUs" "$predict" capacity -l 0 --csv --rate 200 --cpus 2 -a "$app" "$fast"
near fast rate 563.380282
near fast response 0.00506190108
says "no entry of 2 copies" "what was not measured is said"
low=$(cell fast rate_low)
check 0 "of one CPU" "$predict" capacity -l 0 --csv --rate 200 -a "$app" "$fast"
near fast rate_low "$(echo "$low" | awk '{ printf "%.9g", $1 / 2 }')"
lacks "which have fewer" "how many CPUs a machine has may not be known"
sed 's/"environment": {/& "cpu.count": "4",/' "$fast" >"$tmp/four.json"
sed 's/"machine": "fast"/"machine": "two"/; s/"environment": {/& "cpu.count": "2",/' "$fast" >"$tmp/two.json"
check 0 "of four CPUs" "$predict" capacity -l 0 --csv --cpus 4 -a "$app" "$tmp/four.json" "$tmp/two.json"
says "as if these machines, which have fewer, had 4 CPUs: two" "more CPUs than the machine has"
sed 's/"environment": {/& "cpu.count": "4", "cgroup.cpu_max": "150000 100000",/' "$fast" >"$tmp/limited.json"
check 0 "of two CPUs, where a quota gives one and a half" "$predict" capacity -l 0 --csv --cpus 2 -a "$app" "$tmp/limited.json"
says "as if these machines, which have fewer, had 2 CPUs: fast" "which is said"
check 0 "of one and a half" "$predict" rank --no-intervals -a "$app" "$tmp/limited.json"
lacks "a CPU quota stops" "that does not stop a single thread"
for facts in '"cgroup.cpu_max": "25000 50000"' '"cgroup.cpu_quota_us": "50000"' '"cgroup.cpu_quota_us": "5000", "cgroup.cpu_period_us": "10000"'; do
	sed "s/\"environment\": {/& $facts,/" "$fast" >"$tmp/limited.json"
	check 0 "$facts" "$predict" rank -l 0 --no-intervals --csv -a "$app" "$tmp/limited.json"
	near fast seconds 0.0071
	near fast wait 0
	check 0 "$facts, in words" "$predict" rank --no-intervals -a "$app" "$tmp/limited.json"
	tr -s ' \n' '  ' <"$tmp/out" | grep -q 'a CPU quota stops programs that need more, which their times include: fast (0.5 of a CPU)'; ok $? "is half a CPU"
done
check 0 "requests a second under a quota" "$predict" capacity -l 0 --csv -a "$app" "$tmp/limited.json"
lacks "a CPU quota stops" "the CPU time is not longer"
near fast cpu 0.00355
near fast wait 0.001
sed 's/"environment": {/& "cgroup.cpu_max": "90000 100000",/' "$fast" >"$tmp/limited.json"
check 0 "a quota of nine tenths of a CPU" "$predict" rank -l 0 --no-intervals --csv -a "$app" "$tmp/limited.json"
near fast seconds 0.00455 # of which a fifth is waits
sed 's/"machine": "fast"/"machine": "whole"/; s/"lat_read", "seconds": 1e-4/"lat_read", "seconds": 1.1e-4/' "$fast" >"$tmp/whole.json"
sed 's/"environment": {/& "cgroup.cpu_max": "50000 100000",/' "$fast" >"$tmp/limited.json"
check 0 "a whole CPU, if slower, or half of one" "$predict" choose -l 0 --csv --top 1 -a "$app" "$tmp/limited.json" "$tmp/whole.json"
is "$(sed 1d "$tmp/out" | cut -d, -f2)" whole "is no question"
sed 's/"environment": {/& "cgroup.cpu_max": "90000 100000",/' "$fast" >"$tmp/limited.json"
check 0 "nine tenths, and waits meanwhile" "$predict" choose -l 0 --csv --top 1 -a "$app" "$tmp/whole.json" "$tmp/limited.json"
is "$(sed 1d "$tmp/out" | cut -d, -f2)" fast "which a quota does not make longer"
sed 's/"environment": {/& "cgroup.cpu_max": "50000 100000",/' "$fast" >"$tmp/limited.json"
check 0 "what would help under a quota" "$predict" whatif -l 0 --csv -a "$app" "$tmp/limited.json" --scale user=0.1
near all before 0.0071
near all after 0.0053
check 0 "until it waits longer" "$predict" whatif -l 0 --csv -a "$app" "$tmp/limited.json" --scale user=0.1 --scale lat_read=0.1 \
	--scale 'lat_send_*=0.1' --scale lat_ctx=0.1
near wait after 0.001
near all after 0.0014
for quota in '0 100000' '-1 100000' '50000 0' '-50000 -100000' '1 1e308' 'max 100000' 'none'; do
	sed "s/\"environment\": {/& \"cgroup.cpu_max\": \"$quota\",/" "$fast" >"$tmp/odd.json"
	check 0 "a quota of $quota" "$predict" rank -l 0 --no-intervals --csv -a "$app" "$tmp/odd.json"
	near fast seconds 0.00455 # no kernel has it
done
check 0 "server and client" "$predict" capacity -l 0 --csv -a "$app" -a "$app" "$fast"
near fast cpu 0.0071
near fast wait 0.002
near fast rate 140.845070
awk -v low="$(cell fast rate_low)" -v high="$(cell fast rate_high)" 'BEGIN { exit !(low < 140 && high > 142) }'
ok $? "the interval is that of both"
# Two copies at once, each of which takes half as long again.
sed 's/"entries": \[/"entries": [ { "entry": "lat_readx2", "seconds": 1.5e-4 },/' "$fast" >"$tmp/copies.json"
check 0 "copies that get into each other's way" "$predict" capacity -l 0 --csv --rate 200 --cpus 2 -a "$app" "$tmp/copies.json"
near fast rate 493.827160
near fast response 0.00584464249 # 1 ms of waiting, and 4.05 of work by Erlang's formula at a load of 0.405
near fast cpu 0.00355
# That two copies take little more than half as long for each unit is no state of their host.
sed 's/"entries": \[/&{ "entry": "cpu_intx2", "seconds": 1.2e-9 },/' "$tmp/copies.json" >"$tmp/slower.json"
check 0 "user code that is in its own way" "$predict" capacity -l 0 --csv --cpus 2 -a "$app" "$tmp/slower.json"
rate=$(cell fast rate)
sed 's/"host.name": "fast"/&, "cpu.model": "Xeon"/' "$tmp/slower.json" >"$tmp/hosted.json"
check 0 "the same on a host that is known" "$predict" capacity -l 0 --csv --cpus 2 -a "$app" "$tmp/hosted.json"
near fast rate "$rate"
lacks "in different states" "which is in one state"
# Of one host in two states both can do the same, and two CPUs twice that where copies take no longer.
sed 's/"entries": \[/&{ "entry": "lat_readx2", "seconds": 1e-4 },/; s/"host.name": "fast"/&, "cpu.model": "Xeon"/' "$fast" >"$tmp/calm.json"
awk '{ out = ""; while (match($0, /"seconds": [0-9.e+-]+/)) { v = substr($0, RSTART + 11, RLENGTH - 11); out = out substr($0, 1, RSTART + 10) (v * 1.5); $0 = substr($0, RSTART + RLENGTH) } print out $0 }' "$tmp/calm.json" |
	sed 's/"machine": "fast"/"machine": "busy"/' >"$tmp/busy.json"
check 0 "two states of a host" "$predict" capacity -l 0 --reference "$tmp/calm.json" --csv -a "$app" "$tmp/calm.json" "$tmp/busy.json"
says "in different states" "are seen"
one=$(cell fast rate)
near busy rate "$one"
check 0 "with two CPUs" "$predict" capacity -l 0 --reference "$tmp/calm.json" --csv --cpus 2 -a "$app" "$tmp/calm.json" "$tmp/busy.json"
two=$(echo "$one" | awk '{ printf "%.9g", 2 * $1 }')
near fast rate "$two"
near busy rate "$two"
says "MEASURED WITHOUT COPIES: most entries of fastx2, busyx2; these CPUs may do less together" "most entries have no copies"
check 0 "capacity as JSON" "$predict" capacity --json --rate 100 -a "$app" "$fast"
says '"notes": [' "has notes"
check 2 "capacity of nothing" "$predict" capacity "$fast"
check 2 "at level 1" "$predict" capacity -l 1 -a "$app" "$fast"
check 2 "in two formats" "$predict" capacity --json --csv -a "$app" "$fast"

# Microseconds in a vector.
sed 's/"cpu_int", "seconds": 1e-9/"cpu_int", "seconds": 1e-3/' "$fast" >"$tmp/micro.json"
check 0 "microseconds" "$predict" rank -l 0 --no-intervals -a "$app" "$fast" "$tmp/micro.json"
says "no machine is so slow: $tmp/micro.json has 1.00 ms for cpu_int" "the file and the entry are named"
check 0 "of one machine" "$predict" whatif -l 0 -a "$app" "$tmp/micro.json" --scale lat_read=0.5
is "$(grep -o 'micro.json has' "$tmp/out" | wc -l)" 1 "once where it is read twice"
sed 's/"entries": \[/&{ "entry": "lat_syscall_getppid", "seconds": 2e-3 },/' "$fast" >"$tmp/call.json"
check 0 "a call of 2 ms" "$predict" choose -l 0 -a "$app" "$fast" "$tmp/call.json"
says "no machine is so slow: $tmp/call.json has 2.00 ms for lat_syscall_getppid" "by its null call, and of many"
check 0 "seconds" "$predict" rank -l 0 --no-intervals -a "$app" "$fast" "$slow"
lacks "no machine is so slow" "these are"

# A reference that is not named: among the reference platforms, and of two the one that fits.
mkdir -p "$tmp/share2/reference"
cp "$fast" "$tmp/share2/reference/fast.json"
export OSVEC_SHARE="$tmp/share2"
check 0 "recorded on a reference platform" "$predict" rank --no-intervals --csv -a "$app" "$slow"
near slow user 0.003
says "it was recorded on fast" "which is said"
export OSVEC_SHARE="$tmp/share"
sed 's/"machine": "fast"/"machine": "filter"/; s/"lat_read", "seconds": 1e-4/"lat_read", "seconds": 1e-2/' "$fast" >"$tmp/filter.json"
for first in "$tmp/filter.json" "$fast"; do
	second=$fast
	[ "$first" != "$fast" ] || second=$tmp/filter.json
	check 0 "two that can be the reference" "$predict" rank --no-intervals --csv -a "$app" "$first" "$second"
	says "those where calls cost what they did, fast" "the one whose calls fit, in any order"
	near fast kernel 0.0028
done

sed 's/"name": "app"/"name": "slower"/; s/"system": 0.28/"system": 20.14/' "$app" >"$tmp/slower.json"
check 0 "one recorded on the other of two" "$predict" rank --no-intervals --csv -a "$tmp/slower.json" "$fast" "$tmp/filter.json"
kernel=$(cell fast kernel)
check 0 "beside one recorded on the first" "$predict" choose --csv -a "$app" -a "$tmp/slower.json" "$fast" "$tmp/filter.json"
is "$(grep '^slower,fast,' "$tmp/out" | cut -d, -f5)" "$kernel" "each application has its own reference"
sed 's/2026-11-20/2026-11-19/; s/"lat_read", "seconds": 1e-4/"lat_read", "seconds": 1.1e-4/' "$fast" >"$tmp/before.json"
sed 's/"name"/"created": "2026-11-19T01:00:00Z", "name"/; s/"created": "2026-11-20[^"]*",//' "$app" >"$tmp/nearby.json"
check 0 "two with costs alike" "$predict" rank --no-intervals --csv -a "$tmp/nearby.json" "$fast" "$tmp/before.json"
says "fast#2 was measured nearest in time" "the one measured when it was recorded"
sed 's/2026-11-20/2026-11-19/' "$tmp/filter.json" >"$tmp/then.json"
check 0 "one measured then, with other costs" "$predict" rank --no-intervals --csv -a "$tmp/nearby.json" "$fast" "$tmp/then.json"
says "cost what they did, fast was measured" "is not the one"


# Two of one host, measured together, such as the host and a container.
sed 's/"machine": "fast"/"machine": "box"/; s/"lat_read", "seconds": 1e-4/"lat_read", "seconds": 1.6e-4/' "$fast" >"$tmp/box.json"
check 1 "either can be the reference" "$predict" rank -a "$app" "$fast" "$tmp/box.json"
says "can have been recorded on fast or box, which" "is refused"
sed 's/T00:00/T05:00/' "$tmp/box.json" >"$tmp/later.json"
check 0 "one that was measured hours later is not taken for it" "$predict" rank -a "$app" "$fast" "$tmp/later.json"
mkdir -p "$tmp/share3/reference"
cp "$fast" "$tmp/box.json" "$tmp/share3/reference"
check 1 "and among the reference platforms" env OSVEC_SHARE="$tmp/share3" "$predict" rank -a "$app" "$slow"
check 1 "of many" "$predict" choose -a "$app" "$fast" "$tmp/box.json"
for name in fast box; do
	sed "s/\"host\": \"fast\"/&, \"vector\": \"$name\"/" "$app" >"$tmp/on-$name.json"
	check 0 "recorded on $name" "$predict" rank --no-intervals --csv -a "$tmp/on-$name.json" "$fast" "$tmp/box.json"
	near $name kernel 0.0028
done
# The machine that is named comes before others that it may have been, and is found without being given.
export OSVEC_SHARE="$tmp/share2"
check 0 "recorded on fast, another of its host given" "$predict" rank --no-intervals --csv -a "$tmp/on-fast.json" "$tmp/box.json" "$slow"
says "it was recorded on fast" "the one that is named"
export OSVEC_SHARE="$tmp/share"
check 0 "recorded on a machine that is not known" "$predict" rank --no-intervals --csv -a "$tmp/on-box.json" "$fast" "$slow"
says "taken to be recorded on fast, although it names box" "is said"
check 0 "two applications" "$predict" choose --csv -a "$tmp/on-box.json" -a "$tmp/on-fast.json" "$fast" "$tmp/box.json"
is "$(grep -o ',\(box\|fast\),.*,0.0028[0,]' "$tmp/out" | cut -d, -f2 | xargs)" "box fast" "each with its own reference"
check 0 "two that were recorded elsewhere" "$predict" choose -l 0 --csv -a "$tmp/on-box.json" -a "$tmp/on-fast.json" --reference "$slow" "$slow" "$fast"
is "$(grep -c 'names another host' "$tmp/err")" 1 "which is said once"

# In situ calls cost 2 x on fast.  Virtual time has no caches; a machine without entries inflates alike.
sed 's/"system": [0-9.e-]*/"system": 0.51/' "$app" >"$tmp/insitu.json"
check 0 "calls that cost twice as much in situ" "$predict" rank --no-intervals --csv -a "$tmp/insitu.json" "$fast" "$slow"
near fast kernel 0.0051
near slow kernel 0.0244
sed 's/"error": 0/"error": 1e-6, "n": 15/g' "$slow" >"$tmp/virtual.json"
check 0 "in virtual time" "$predict" rank --no-intervals --csv -a "$tmp/insitu.json" "$fast" "$tmp/virtual.json"
near slow kernel 0.0122
says ",virtual," "is a kind of its own"
sed 's/"error": 0/"error": 1e-6, "n": 15/g' "$fast" >"$tmp/exact.json"
sed 's/"machine": "fast"/"machine": "near"/; s/"lat_read", "seconds": 1e-4/"lat_read", "seconds": 9e-5/' "$fast" >"$tmp/near.json"
check 0 "recorded in virtual time" "$predict" choose --csv --top 1 -a "$tmp/insitu.json" --reference "$tmp/exact.json" \
	"$tmp/exact.json" "$tmp/near.json"
is "$(sed 1d "$tmp/out" | cut -d, -f2)" near "the reference has what its recording had"
sed 's/"machine": "slow"/"machine": "mid"/; s/"lat_read", "seconds": 9e-4/"lat_read", "seconds": 7e-4/' "$slow" >"$tmp/mid.json"
check 0 "virtual time beside machines with caches" "$predict" choose --csv --top 1 -a "$tmp/insitu.json" --reference "$fast" \
	"$tmp/mid.json" "$tmp/virtual.json"
is "$(sed 1d "$tmp/out" | cut -d, -f2)" slow "where nothing costs more inside the application"

# Runs that were timed each and traced once.
tr -d '\n' <"$app" | sed 's/"runs": \[ *\({[^}]*}\)/"runs": [ \1, \1/' >"$tmp/twice.json"
check 0 "two runs of one trace" "$predict" rank -a "$tmp/twice.json" "$fast"
says "traced once: how the calls of its runs differ" "a note says that its calls do not vary"
sed 's/"user": 0.1/"user": 0.3/' "$tmp/twice.json" >"$tmp/differ.json"
check 0 "two that differ" "$predict" rank -l 0 --no-intervals --csv -a "$tmp/differ.json" "$fast"
near fast user 0.002
tr -d '\n' <"$app" | sed 's/"traces": \[ *\(.*\) \] }$/"traces": [ \1, \1 ] }/' >"$tmp/two.json"
check 0 "two runs of two traces" "$predict" rank -a "$tmp/two.json" "$fast"
lacks "traced once" "says nothing"

# What makes an answer uncertain.
sed 's/"user": 0.1/"user": 9/' "$app" >"$tmp/user.json"
check 0 "an application of user time" "$predict" rank --no-intervals -a "$tmp/user.json" "$fast"
says "user time, scaled by the CPU benchmarks, decides this" "says that the OS does not decide"
sed 's/"mapped_calls": 2000/"mapped_calls": 1000/' "$app" >"$tmp/half.json"
check 0 "an application half covered" "$predict" rank --no-intervals -a "$tmp/half.json" "$fast"
says "only 50 % of the application's calls" "says how much is covered"
grep -v lat_read "$slow" >"$tmp/poor.json"
check 0 "a machine without an entry" "$predict" rank --no-intervals --csv -a "$app" "$fast" "$tmp/poor.json"
says "slow did not measure lat_read" "a note names what is borrowed"
says "as little as" "and how little is covered"

# The logarithmic mean leaves no residual: ln(0.0153 / 0.00455).
check 0 "explain" "$predict" explain -l 0 --csv -a "$app" "$slow" "$fast"
near lat_read log_ratio 0.902493466 # 8 / 10.75 of it
awk -F, 'NR > 1 { sum += $5 } END { d = sum - log(0.0153 / 0.00455); exit !(d < 1e-8 && d > -1e-8) }' \
	"$tmp/out"
ok $? "contributions sum to the log ratio"
near lat_read flip_b 11.75
check 2 "explain of one machine" "$predict" explain -a "$app" "$slow"
check 0 "explain by one entry" "$predict" explain -l 0 --top 1 -a "$app" "$slow" "$fast"
grep -q '^the rest  *-  *6.30 ms  *3.55 ms  *+0.3102 ' "$tmp/out"; ok $? "and the rest"
check 0 "for programs, too" "$predict" explain -l 0 --top 1 --csv -a "$app" "$slow" "$fast"
near lat_read log_ratio 0.902493466
grep -q '^the rest,,0.0063,0.00355,0.3102' "$tmp/out"; ok $? "with what is left out"

check 0 "explain in words" "$predict" explain -l 0 -a "$app" "$slow" "$fast"
grep -Eq '^The order flips soonest when .* on fast costs 11\.8 times what it does' "$tmp/out"; ok $? "four entries are as soon, and no other"
sed 's/fast"/near"/; s/"lat_read", "seconds": 1e-4/"lat_read", "seconds": 1.4e-4/; s/"lat_ctx", "seconds": 1e-4/"lat_ctx", "seconds": 9e-5/' \
	"$fast" >"$tmp/near.json"
check 0 "a cheaper entry is as soon as a dearer one" "$predict" explain -l 0 -a "$app" "$tmp/near.json" "$fast"
grep -Eq '^The order flips soonest when lat_read on near costs 0.786 times what it does' "$tmp/out"; ok $? "by the smaller factor"
sed 's/"switches": 10/"switches": 60, "faults": 5/' "$fast" >"$tmp/switching.json"
check 0 "a sync that contains more switches" "$predict" whatif -l 0 --csv -a "$app" "$fast" --replace "lat_fsync=$tmp/switching.json"
near kernel saved 0 # those beside it are as many as on the reference
check 0 "what each entry could bring" "$predict" whatif -l 0 --csv -a "$app" "$fast"
near lat_read elasticity 0.21978022
near lat_read speedup 1.28169014 # 4.55 / 3.55
mkdir "$tmp/no applications"
mkdir "$tmp/[a]" "$tmp/a"
cp "$app" "$tmp/[a]/app.json"
sed 's/"name": "app"/"name": "another"/' "$app" >"$tmp/a/app.json"
for of in "$tmp/[a]" "$tmp/[a]/app.json"; do
	check 0 "choose for ${of##*/}" "$predict" choose -l 0 -a "$of" "$fast"
	lacks "another" "no name is a pattern"
done
check 1 "choose for an empty directory" "$predict" choose -l 0 -a "$tmp/no applications" "$fast"
says "no applications: has no *.json files" "says so"
check 0 "whatif" "$predict" whatif -l 0 "$fast" --csv -a "$app" --scale 'lat_send_*=0.5' --scale user=2
near kernel after 0.0023
near user after 0.002
near all saved -0.00075
check 0 "whatif of the user entries" "$predict" whatif -l 0 "$fast" --csv -a "$app" --scale cpu_int=0.5
near user after 0.0005
check 0 "whatif at level 2" "$predict" whatif "$fast" -l 2 --csv -a "$app" --scale lat_read=0.5
near kernel before 0.0028
near kernel percent "$(awk -v saved="$(cell kernel saved)" -v all="$(cell all before)" 'BEGIN { printf "%.9g", 100 * saved / all }')"
# The sends take 1 ms; what they cost does not change what is borrowed.
check 0 "whatif beside a borrowed entry" "$predict" whatif -l 0 "$tmp/poor.json" --reference "$fast" --csv -a "$app" --scale 'lat_send_*=0.5'
awk -v a="$(cell kernel before)" -v b="$(cell kernel after)" -v s="$(cell kernel saved)" 'BEGIN {
	d = s - 0.0005; exit !(a - b > 0 && d < 1e-8 && d > -1e-8) }'
ok $? "saves half of the sends alone"
lacks "changed" "and notes are about the machine as it is"
check 0 "an entry as on another machine" "$predict" whatif -l 0 "$slow" --reference "$fast" --csv -a "$app" --replace "lat_read=$fast"
near kernel after 0.0042
near all saved 0.008
check 0 "the ideal machine" "$predict" whatif -l 0 "$slow" --reference "$fast" --csv -a "$app" --best-of "$fast"
near all after 0.00365
lacks "not the ideal machine" "it is that"
sed 's/lat_send_4k/lat_send_1k/; s/"size": 4096, "bytes": 4096, "seconds": 4e-4/"size": 1024, "bytes": 1024, "seconds": 1.2e-4/' "$fast" >"$tmp/other-sizes.json"
check 0 "of one with other sizes" "$predict" whatif -l 0 "$slow" --reference "$fast" --csv -a "$app" --best-of "$tmp/other-sizes.json"
says "not the ideal machine: the kernel part of fast alone is" "a size that only one has is estimated"
near kernel after 0.0024856466 # a send of 512 bytes 135.6 us, between 100 at 64 bytes and 184 at 4 KB, which lies on the line from 100 to 120
check 0 "an entry that the other has for less" "$predict" whatif -l 0 "$fast" --csv -a "$app" --best-of "$slow"
near all saved 0.0009
check 0 "which entries changed" "$predict" whatif -l 0 "$slow" --reference "$fast" -a "$app" --replace "lat_read=$fast"
grep -q '^lat_read  *9.00 ms  *1.00 ms  *8.00 ms$' "$tmp/out"; ok $? "is listed"
check 1 "an entry that the other does not have" "$predict" whatif -l 0 "$fast" -a "$app" --replace "lat_read=$tmp/poor.json"
says "--replace lat_read=$tmp/poor.json: slow has none of these entries" "which is said"
for wrong in "lat_read=$tmp/none" "x=$slow"; do
	check 1 "--replace $wrong" "$predict" whatif -l 0 "$fast" -a "$app" --replace "$wrong"
done
check 0 "a group as on another machine" "$predict" whatif -l 0 "$slow" --reference "$fast" --csv -a "$app" \
	--replace "durable=$fast"
near wait after 0.001
near kernel after 0.0122
for file in "$app" "$fast" "$slow"; do
	sed 's/lat_read/lat_dir_read/; s/"lat_dir_read", "seconds": 1e-4,/& "cpu": 5e-5,/' "$file" >"$tmp/waiting-${file##*/}"
done
check 0 "a call that waits there" "$predict" whatif -l 0 "$tmp/waiting-slow.json" --reference "$tmp/waiting-fast.json" --csv \
	-a "$tmp/waiting-app.json" --replace "lat_dir_read=$tmp/waiting-fast.json"
near kernel after 0.0037
near wait before 0.0001
near wait after 0.0006
sed 's/"cpu_int", "seconds": 3e-9,/"cpu_int", "seconds": 6e-9, "cpu": 2e-9,/' "$slow" >"$tmp/stopped.json"
check 0 "user code of a machine whose quota stops it" "$predict" whatif -l 0 "$fast" --csv -a "$app" --replace "cpu_int=$tmp/stopped.json"
near user after 0.002
for m in fast slow; do
	mean=$([ $m = fast ] && echo 2e-2 || echo 5e-3)
	sed "s/\"entry\": \"lat_fsync\",/\"entry\": \"lat-cpu_fsync\", \"seconds\": 1e-5 }, { &  \"mean\": $mean,/" "$data/$m.json" >"$tmp/$m-tail.json"
done
check 0 "another machine's device, whose tail is longer" "$predict" whatif -l 0 "$tmp/slow-tail.json" --reference "$tmp/fast-tail.json" \
	--csv -a "$app" --replace "lat_fsync=$tmp/fast-tail.json"
near wait before 0.0005
near wait after 0.002
check 0 "the device with the shorter tail" "$predict" whatif -l 0 "$tmp/slow-tail.json" --reference "$tmp/fast-tail.json" --csv -a "$app" \
	--best-of "$tmp/fast-tail.json"
near wait after 0.0005
sed 's/"mean": 5e-3/"mean": 1.5e-2/' "$tmp/slow-tail.json" >"$tmp/some-tail.json"
check 0 "where its mean is above the median here" "$predict" whatif -l 0 "$tmp/fast-tail.json" --csv -a "$app" --best-of "$tmp/some-tail.json"
near wait before 0.002
near wait after 0.0015
grep -v lat_fsync "$slow" >"$tmp/lacking.json"
for change in --best-of= --replace=lat_fsync=; do
	check 0 "$change has what this machine has not measured" "$predict" whatif -l 0 "$tmp/lacking.json" --csv -a "$app" "$change$fast"
	near wait after 0.001
done
check 1 "no group" "$predict" whatif -l 0 "$slow" -a "$app" --replace "dura=$fast"
says "nor does 'hbench summary' know such a group" "is said"
check 1 "nor is 'and' one" "$predict" whatif -l 0 "$slow" -a "$app" --replace "and=$fast"
sed 's/"lat_read"/"lat_read@same"/' "$slow" >"$tmp/same.json"
check 0 "one CPU there, two here" "$predict" whatif -l 0 "$tmp/same.json" --reference "$fast" --csv -a "$app" \
	--replace "lat_read*=$fast"
near kernel after 0.0042
check 0 "the best of a machine that knows an entry on one CPU, and of one that does not" \
	"$predict" whatif -l 0 --csv -a "$app" "$fast" --best-of "$tmp/same.json" --best-of "$slow"
near all saved 0.0009
check 0 "all of both, one after the other" "$predict" whatif -l 0 --csv -a "$app" "$fast" --replace "*=$tmp/same.json" --replace "*=$slow"
near all after 0.0153
# What an entry costs more after other data comes along with it: at this footprint, 5 and 50 us.
for m in fast slow; do
	after=$([ $m = fast ] && echo 1.05e-4 || echo 9.5e-4)
	sed "s/\"entries\": \[/\"entries\": [ { \"entry\": \"lat_read@after=1m\", \"footprint\": 1048576, \"seconds\": $after },/" \
		"$data/$m.json" >"$tmp/$m-after.json"
done
"$predict" whatif --csv -a "$app" "$tmp/fast-after.json" >"$tmp/out" 2>"$tmp/err"
tenth=$(cell lat_read saved)
check 0 "what a tenth less of a call saves inside a program" "$predict" whatif --csv -a "$app" "$tmp/fast-after.json" --scale lat_read=0.9
near all saved "$tenth"
check 0 "the best of another is that machine" "$predict" whatif "$tmp/slow-after.json" --reference "$tmp/fast-after.json" --csv \
	-a "$app" --replace "*=$tmp/fast-after.json"
cp "$tmp/out" "$tmp/changed"
check 0 "its own" "$predict" rank --no-intervals --csv -a "$app" "$tmp/fast-after.json"
total=$(cell fast seconds)
cp "$tmp/changed" "$tmp/out"
near all after "$total"
sed 's/: 1.05e-4/: 5.5e-4/;s/"lat_read", "seconds": 1e-4/"lat_read", "seconds": 5e-5/' "$tmp/fast-after.json" >"$tmp/keen.json"
check 0 "the ideal machine has the loop of one, and what it costs more of the other" "$predict" whatif "$tmp/fast-after.json" \
	--csv -a "$app" --best-of "$tmp/keen.json"
near all saved 0.000538461538 # 10 of 50 us, times the 1.08 that no footprint explains
# Costs are lent by what calls cost in programs, too: another machine where that is less than in a loop, by noise, makes none cheaper.
grep -v lat_fsync "$slow" | sed 's/"entries": \[/& { "entry": "lat_read@after=1m", "footprint": 1048576, "seconds": 9e-4 },/' >"$tmp/lender-less.json"
grep -v lat_fsync "$tmp/fast-after.json" | sed 's/: 1.05e-4/: 5e-5/' >"$tmp/noisy.json"
check 0 "calls that cost less than in a loop, by noise" "$predict" whatif -l 0 "$tmp/lender-less.json" \
	--reference "$tmp/fast-after.json" --csv -a "$app" --best-of "$tmp/noisy.json"
near wait saved 0
sed 's/"system": 0.28/"system": 0.257/' "$app" >"$tmp/little.json"
check 0 "a footprint between two" "$predict" rank --no-intervals --csv -a "$tmp/little.json" "$tmp/fast-after.json"
near fast kernel 0.00257
check 0 "a footprint beyond all that were measured" "$predict" rank --no-intervals --json -a "$app" "$tmp/fast-after.json"
says '"footprint": 1048576,' "is the largest"
check 0 "a machine without such entries" "$predict" rank --no-intervals --csv -a "$app" "$tmp/fast-after.json" "$slow"
near slow kernel 0.0133960784
sed 's/"machine": "fast"/"machine": "bare"/; s/"lat_read", "seconds": 1e-4/"lat_read", "seconds": 1.01e-4/' "$fast" >"$tmp/bare.json"
check 0 "a slower one without" "$predict" choose --csv --top 1 --reference "$tmp/fast-after.json" -a "$app" "$tmp/bare.json" "$tmp/fast-after.json"
is "$(sed 1d "$tmp/out" | cut -d, -f2)" fast "is not chosen: calls are not inflated twice"
sed 's/"system": 0.28/"system": 0.14/' "$app" >"$tmp/cheap.json"
check 0 "calls that cost less than in a loop" "$predict" rank --no-intervals --json -a "$tmp/cheap.json" "$tmp/fast-after.json"
says '"footprint": 0,' "have no footprint"
says '"same_cpu": 0,' "where no entry is on one CPU"
for m in fast slow; do
	same=$([ $m = fast ] && echo 7e-5 || echo 4e-4)
	sed "s/\"entries\": \[/\"entries\": [ { \"entry\": \"lat_read@same\", \"seconds\": $same },/" "$data/$m.json" >"$tmp/$m-same.json"
done
sed 's/"system": 0.28/"system": 0.24/' "$app" >"$tmp/half.json"
check 0 "half of the calls on one CPU" "$predict" rank --no-intervals --json -a "$tmp/half.json" "$tmp/fast-same.json" "$tmp/slow-same.json"
grep -Eq '"same_cpu": (0.5|0.49999999[0-9]*|0.50000000[0-9]*),' "$tmp/out"; ok $? "as the system time says"
check 0 "the same" "$predict" rank --no-intervals --csv -a "$tmp/half.json" "$tmp/fast-same.json" "$tmp/slow-same.json"
near fast kernel 0.0024
near slow kernel 0.0097
check 0 "another one lacks these entries" "$predict" rank --no-intervals -a "$tmp/half.json" "$tmp/fast-same.json" "$slow"
tr -s ' \n' '  ' <"$tmp/out" | grep -q 'slow did not measure lat_read@same: costs borrowed'; ok $? "and is lent them"
check 0 "more than one CPU explains" "$predict" rank --no-intervals -a "$tmp/cheap.json" "$tmp/fast-same.json"
tr -s ' \n' '  ' <"$tmp/out" | grep -q 'as if 100 % of the calls between processes were on one CPU'; ok $? "is noted"
check 0 "and carried on" "$predict" rank --no-intervals --csv -a "$tmp/cheap.json" "$tmp/fast-same.json" "$tmp/slow-same.json"
near fast kernel 0.0014
near slow kernel 0.00448
check 0 "the best of many" "$predict" choose --csv "$tmp/fast-same.json" "$tmp/slow-same.json" -a "$tmp/cheap.json"
sed -n '3s/.*,slow,.*,\(0.00448\),.*/\1/p' "$tmp/out" | grep -q .; ok $? "is priced so, too"
sed 's/"lost": 0/"asleep": 0.5, "lost": 0/' "$app" >"$tmp/sleeper.json"
check 0 "a program that sleeps" "$predict" rank -l 0 --no-intervals --csv -a "$tmp/sleeper.json" "$fast" "$slow"
near fast wait 0.006
near slow wait 0.0051
check 0 "no machine sleeps for a tenth less" "$predict" whatif -l 0 --csv -a "$tmp/sleeper.json" "$slow" --reference "$fast"
lacks asleep "so that it saves nothing"
sed 's/, "error": 0//' "$fast" >"$tmp/unsure.json"
check 0 "entries without errors" "$predict" rank -a "$app" "$tmp/unsure.json" "$slow"
tr -s ' \n' '  ' <"$tmp/out" | grep -q 'MEASURED BY ONE PROCESS, or without errors: most entries of fast;'; ok $? "are no sure ones"
check 0 "entries without errors" "$predict" rank -l 0 --csv -a "$app" "$tmp/unsure.json" "$slow"
awk -v low="$(cell fast measured_low)" -v high="$(cell fast measured_high)" 'BEGIN { exit !(low < 0.0043 && high > 0.0048 && high < 0.0052) }'
ok $? "each is off by a tenth"
sed 's/"error": 0/"error": 0.01, "n": 9/' "$fast" >"$tmp/sure.json"
check 0 "those with errors" "$predict" rank -a "$app" "$tmp/sure.json"
lacks "MEASURED BY ONE" "are"
sed 's/"error": 0.01, "n": 9/"n": 1/' "$tmp/sure.json" >"$tmp/lone.json"
check 0 "one process each" "$predict" rank -a "$app" "$tmp/lone.json"
says "MEASURED BY ONE" "knows no error"
lacks DISTURBED "by itself"
sed 's/"error": 0.01, "n": 9/&, "flags": ["FEW", "DISTURBED"]/' "$tmp/sure.json" >"$tmp/disturbed.json"
check 0 "while others had the CPU" "$predict" rank -a "$app" "$tmp/disturbed.json" "$slow"
tr -s ' \n' '  ' <"$tmp/out" | grep -q 'DISTURBED: most entries of fast; others had the CPU'; ok $? "which is said"
check 0 "page faults of one kind" "$predict" rank --no-intervals -a results/applications/shell.json \
	results/reference/native results/reference/zen4-gvisor results/reference/epyc-zen4
tr -s ' \n' '  ' <"$tmp/out" | grep -q 'page faults of one kind: on zen4-gvisor those of files may cost'; ok $? "are noted on a hosted kernel"
check 0 "of several kinds" "$predict" rank --no-intervals -a results/rotated/applications/shell.json \
	results/reference/epyc-zen4 results/reference/zen4-gvisor
lacks "page faults of one kind" "need no note"
sed '/lat_pagefault_around/d' results/reference/zen4-gvisor/osvec.json >"$tmp/unaware.json"
check 0 "a machine that did not measure them" "$predict" rank --no-intervals -a results/applications/shell.json \
	results/reference/native "$tmp/unaware.json"
lacks "page faults of one kind" "cannot tell"
check 0 "few of one kind" "$predict" rank --no-intervals -a results/applications/control.json \
	results/reference/native results/reference/zen4-gvisor
lacks "page faults of one kind" "need none either"
for system in 0.01 2.5 20; do
	sed "s/\"system\": 0.28/\"system\": $system/" "$app" >"$tmp/unlike.json"
	check 0 "a system time of $system s" "$predict" rank --no-intervals -a "$tmp/unlike.json" "$fast"
	case $system in 2.5) lacks "DOES NOT FIT" "is high" ;; *) says "SYSTEM TIME DOES NOT FIT" "is another's" ;; esac
done
check 0 "a reference of another host" "$predict" rank --no-intervals -a "$app" --reference "$slow" "$fast"
tr -s ' \n' '  ' <"$tmp/out" | grep -q 'the application names another host, kernel or processor'; ok $? "is noted"
check 0 "the right one" "$predict" rank --no-intervals -a "$app" --reference "$fast" "$slow"
lacks "names another host" "is not"
sed 's/"name": "[^"]*"/"name": ""/' "$app" >"$tmp/nameless.json"
check 1 "an application without a name" "$predict" rank -a "$tmp/nameless.json" "$fast"
says "name: empty" "which is said"
sed 's/"lat_read"/"lat_other"/' "$slow" >"$tmp/poor.json"
check 0 "a machine that lacks an entry" "$predict" rank --no-intervals -a "$app" "$fast" "$tmp/poor.json"
says "slow did not measure lat_read" "which is said"
tr -s ' \n' '  ' <"$tmp/out" | grep -Eq 'slow: as little as [0-9]+ % of the kernel part is priced with entries measured there'
ok $? "and how much is measured there"
check 2 "--replace without a machine" "$predict" whatif -l 0 "$fast" -a "$app" --replace lat_read=
check 1 "whatif of an entry that is not there" "$predict" whatif -l 0 "$fast" -a "$app" --scale x=2
for scale in lat_read lat_read= =2 lat_read=0 lat_read=-1 lat_read=nan; do
	check 2 "--scale $scale" "$predict" whatif -l 0 "$fast" -a "$app" --scale "$scale"
done

# Half-harmonic: two of the same halve every cost.
check 0 "aggregate" "$predict" aggregate "$slow" "$slow" -m two -o "$tmp/two.json"
check 0 "rank the aggregate" "$predict" rank --no-intervals --csv -a "$app" "$tmp/two.json"
near two kernel 0.0061
sed 's/"host.name": "slow"/&, "cpu.count": "2"/' "$slow" >"$tmp/pair.json"
check 0 "aggregate of a machine with two CPUs" "$predict" aggregate "$slow" "$tmp/pair.json" -o "$tmp/three.json"
says "slow has 2 CPUs; this counts each vector as that of one CPU" "is told"
check 2 "aggregate of the copies of two" "$predict" aggregate -c 2 "$slow" "$fast" -o "$tmp/none.json"
check 2 "aggregate over what it is made of" "$predict" aggregate "$tmp/two.json" "$slow" -o "$tmp/two.json"
check 2 "aggregate without a name" "$predict" aggregate "$slow" "$slow" -m '' -o "$tmp/nameless.json"
check 1 "aggregate to no place" "$predict" aggregate "$slow" "$slow" -o "$tmp/none/two.json"

# Directories: the newest vector of each machine; names; the default.
mkdir -p "$tmp/results/fast/1" "$tmp/results/fast/2" "$tmp/results/slow/1"
sed 's/"created": "2026/"created": "2025/; s/1e-4/9e-4/' "$fast" >"$tmp/results/fast/2/osvec.json"
cp "$fast" "$tmp/results/fast/1/osvec.json"
cp "$slow" "$tmp/results/slow/1/osvec.json"
cp "$slow" "$tmp/share/reference/snail.json"
check 0 "a directory of results" "$predict" rank -l 0 --no-intervals --csv -a "$app" "$tmp/results"
near fast seconds 0.00455
[ "$(wc -l <"$tmp/out")" -eq 3 ]; ok $? "each machine once"
check 0 "the directory of a machine" "$predict" rank -l 0 --no-intervals --csv -a "$app" "$tmp/results/fast"
near fast seconds 0.00455
cp -r "$tmp/results/fast" "$tmp/[f]*?"
check 0 "a directory whose name looks like a pattern" "$predict" rank -l 0 --no-intervals --csv -a "$app" "$tmp/[f]*?"
check 0 "the directory of a run" "$predict" rank -l 0 --no-intervals --csv -a "$app" "$tmp/results/fast/2"
check 0 "a reference platform by name" "$predict" rank --no-intervals --csv -a "$app" snail
near slow kernel 0.0122
cp -r "$tmp/results" "$tmp/work"
cd "$tmp/work" || exit 1
check 0 "no machine named" "$predict" rank --no-intervals --csv -a "$app"
[ "$(wc -l <"$tmp/out")" -eq 3 ]; ok $? "reference platforms and ./results"
check 1 "explain of a directory of several" "$predict" explain -a "$app" "$tmp/results" nowhere
mkdir "$tmp/empty"
check 1 "an empty directory" "$predict" rank -a "$app" "$tmp/empty"
cd "$tmp/empty" || exit 1
OSVEC_SHARE="$tmp/none" check 1 "no machine anywhere" "$predict" rank -a "$app"

# Bad input is refused by name, and never yields a number.
check 1 "no such application" "$predict" rank -a "$tmp/none.json" "$fast"
says none.json "it is named"
check 1 "no name of an application" "$predict" rank -a '' "$fast"
says "a file without a name: No such file" "is said"
check 1 "no such machine" "$predict" rank -a "$app" "$tmp/none.json"
check 1 "a vector as application" "$predict" rank -a "$fast" "$fast"
check 1 "an application as vector" "$predict" rank -a "$app" "$app"
bad() {
	what=$1 file=$2
	shift 2
	sed "$@" "$file" >"$tmp/bad.json"
	if [ "$file" = "$app" ]; then
		check 1 "application: $what" "$predict" rank --no-intervals -a "$tmp/bad.json" "$fast"
	else
		check 1 "vector: $what" "$predict" rank --no-intervals -a "$app" "$tmp/bad.json" "$slow"
	fi
	says bad.json "it is named"
}
bad "a negative cost" "$fast" 's/1e-9/-1e-9/'
bad "a mean beyond all times" "$fast" 's/"seconds": 1e-9/& , "mean": 1e300/'
bad "no unit" "$app" 's/"unit": "request"/"unit": ""/'
bad "a user entry twice" "$app" 's/"user_entries": \[/&"cpu_int", "cpu_int", /'
bad "no units" "$app" 's/"units": 100/"units": 0/'
bad "another schema" "$app" 's,osvec-application/1,osvec-application/2,'
bad "a negative count" "$app" 's/"calls": 1000/"calls": -1000/'
bad "cut short" "$app" '$d'
tr -d '\n' <"$app" | sed 's/"traces".*/"traces": [] }/' >"$tmp/bad.json"
check 1 "application without traces" "$predict" rank -a "$tmp/bad.json" "$fast"
sed 's/"entry": "/&other_/; s/"curve": "/&other_/' "$fast" >"$tmp/bad.json"
check 1 "no entry in common" "$predict" rank -a "$app" "$tmp/bad.json"
says "none of the entries" "says so"
printf '%s' '{ "schema": "osvec-application/1", "name": "idle", "units": 1, "runs": [], "traces": [ {
	"processes": 1, "threads": 1, "calls": 0, "mapped_calls": 0, "lost": 0, "unfinished": 0,
	"items": [] } ] }' >"$tmp/idle.json"
check 1 "an application that does nothing" "$predict" rank -a "$tmp/idle.json" "$fast"
says "the application vector is empty" "says so"
for member in 's/"name": "app"/"name": "\\u001b[2J"/' 's/"unit": "request"/"unit": "\\u001b[2J"/' 's/"lat_read"/"lat_\\u001b[2J"/'; do
	sed "$member" "$app" >"$tmp/bad.json"
	check 0 "control characters: $member" "$predict" rank -l 0 -a "$tmp/bad.json" "$fast"
	! grep -q "$(printf '\033')" "$tmp/out"; ok $? "do not reach the terminal"
done
sed 's/"weight": 1/"weight": -9/' "$app" >"$tmp/bad.json"
check 1 "calls that weigh less than none" "$predict" rank -l 0 -a "$tmp/bad.json" "$fast"
says "the application vector takes away more than it has" "says so"
done_testing
