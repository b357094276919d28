#!/bin/sh
# SPDX-License-Identifier: MIT
# What osvec-predict validate promises: scores done by hand, what it leaves out, what it refuses.
. "$(dirname "$0")/tap.sh"
predict=$build/bin/osvec-predict
cd "$tmp" || exit 1
export OSVEC_SHARE="$tmp/share"

# cell MACHINE COLUMN WANT: within 1e-8, or the same word, in the CSV printed last.
cell() {
	awk -F, -v key="$1" -v column="$2" -v want="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$1 == key { got = $at[column]; d = got - want; good = got == want ||
			(got + 0 != 0 && want + 0 != 0 && d * d <= 1e-16 * want * want); exit }
		END { exit !good }' "$tmp/out"
	ok $? "$1 $2 is $3"
}
validate() { "$predict" validate -l 0 --measured measured.tsv -a app.json "$@"; }
# machine NAME CPU READ NULL: relative costs; per request, 1 ms of user time times CPU and 10 reads of
# 100 us times READ.
machine() {
	cat >"$1.json" <<-END
	{ "schema": "osvec/1", "machine": "$1", "created": "2026-11-20T00:00:00Z",
	  "meta": { "environment": { "host.name": "$1", "kernel.release": "6.1.0" } },
	  "entries": [ { "entry": "cpu_int", "seconds": $2e-9 }, { "entry": "lat_fsync", "seconds": 1e-2 },
		{ "entry": "lat_read", "seconds": $3e-4 },
		{ "entry": "lat_syscall_getppid", "seconds": $4e-7 } ] }
	END
}
application() {
	cat >"$1.json" <<-END
	{ "schema": "osvec-application/1", "name": "$1", "machine": { "host": "a", "kernel": "6.1.0" },
	  "units": 100, "unit": "request", "user_entries": ["cpu_int"],
	  "runs": [ { "user": 0.1, "system": 0.2, "wall": 2 } ],
	  "traces": [ { "trace": "x.ktr", "processes": 1, "threads": 1, "calls": 1000, "call_time": 1, "mapped_calls": 1000,
		"mapped_time": 1, "lost": 0, "unfinished": 0, "items": [
		{ "entry": "lat_read", "weight": 1, "part": "kernel", "calls": $2, "bytes": 0, "from": "read" },
		{ "entry": "lat_fsync", "weight": 1, "part": "wait", "calls": 10, "bytes": 0, "from": "fsync" }
		] } ] }
	END
}
machine a 1 1 5
machine b 1 2 4
machine c 1 3 3
machine d 1 4 2
machine e 1 5 1
application app 1000
# measured LINE...: application, machine, kind and seconds, with blanks that become tabs.
measured() { printf '%s\n' "$@" | tr ' ' '\t' >measured.tsv; }

check 0 "validate --help" "$predict" validate --help
check 2 "unknown option" "$predict" validate --nonsense
check 2 "no measured times" "$predict" validate -a app.json a.json
check 2 "no application" "$predict" validate --measured measured.tsv a.json
measured '# a comment' '' 'app a cpu 0.0022 0.0020 0.0019' 'app b cpu 0.0029' 'app c cpu 0.0044' \
	'app d cpu 0.0042' 'app e cpu 0.006'
check 2 "two formats" validate --json --csv ?.json

# Predicted 2, 3, 4, 5 and 6 ms against 2, 2.9, 4.4, 4.2 and 6; c and d are less than 5 % apart.
check 0 "five machines" validate ?.json
cp out first
says "a * 2.00 ms" "the reference is marked"
says "2.00 ms 1.90 ms 2.20 ms 1 1.00 yes" "the median of repetitions and their range"
says "osvec-predict no 0.80 9/9 3.4 % 13.4 % 9.8 % 1.02 5/5 yes 0.0 %" "its scores"
says "cpu_int no - 0/9 - 50.0 % 42.3 %" "those of one CPU benchmark that is equal everywhere"
says "null call no -0.80 0/9 - 87.5 % 103.5 %" "those of the null call"
says "geometric mean no 0.22 4/9 - 50.0 % 41.9 %" "those of all entries"
lacks "AS WELL OR BETTER" "no guess is better"
lacks "1/M!" "five machines can show skill"
lacks "left out" "nothing is left out"
awk 'length > 99' out | grep -q .; [ $? -eq 1 ]; ok $? "no line is longer than 99 columns"
check 0 "again" validate ?.json
cmp -s out first; ok $? "the same seed gives the same answer"
sed -i 's/$/\r/; 1s/^/\xef\xbb\xbf/' measured.tsv
check 0 "a byte order mark, and lines that end in CR LF" validate ?.json
cmp -s out first; ok $? "are as good"
# CSV has no note that prints the seed.
bounds() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == "b" { print $at["low"], $at["high"] }' out; }
check 0 "another seed" validate --csv --seed 2 ?.json
seed2=$(bounds)
check 0 "a narrower interval" validate --csv --interval 0.5 ?.json
narrow=$(bounds)
check 0 "as CSV" validate --csv ?.json
wide=$(bounds)
[ -n "$wide" ] && [ "$seed2" != "$wide" ]
ok $? "another seed gives other intervals"
echo "${wide% *} $narrow ${wide#* }" | awk '{ exit !(NF == 4 && $1 < $2 && $2 < $3 && $3 < $4) }'
ok $? "the interval of 0.5 is inside the one of 0.9"
cell a predicted 0.002
cell c predicted 0.004
cell c measured 0.0044
cell c ratio 0.909090909
cell c predicted_rank 3
cell c measured_rank 4
cell c inside yes
cell a reference yes
cell c reference no
cell a repetitions 3
[ "$(wc -l <out)" -eq 6 ]; ok $? "one heading and a row per machine"
check 1 "full disk" full validate ?.json

# Levels: the time measured on the reference as the one known run; its system time, twice what is predicted.
measured 'app a cpu 0.004' 'app b cpu 0.006' 'app c cpu 0.007'
check 0 "level 1" validate -l 1 --csv a.json b.json c.json
cell b predicted 0.006
cell a calibrated yes
cell a inside ""
check 0 "level 1 for people" validate -l 1 a.json b.json c.json
says "osvec-predict yes 1.00 3/3 7.1 %" "what was calibrated does not count as right"
says "1/M!" "three machines cannot show skill"
check 0 "level 2" validate -l 2 --csv a.json b.json c.json
cell b predicted 0.005
check 1 "level 1 without the reference" validate -l 1 b.json c.json
says "level 1 needs the time measured" "says so"
check 0 "a reference beside the list" validate --reference a.json -l 2 --csv b.json c.json
cell b predicted 0.005
check 2 "level 3" validate -l 3 a.json

# What clients see has an order, and nothing else that is predicted.
measured 'app a rate 0.5' 'app b rate 0.9'
check 0 "rates" validate a.json b.json
says "osvec-predict yes 1.00 1/1 - - - - -" "a rate is ordered and not compared"
lacks "Off by more" "so that nothing is off"

application more 2000
measured 'app a rate 0.5' 'app b rate 0.9' 'more a rate 0.5' 'more b rate 0.9'
check 0 "rates of two applications" validate -a more.json a.json b.json
says "more rate yes 1.00 1/1" "each has its order"
lacks "nan" "and no error, for there is none"
check 0 "the same as JSON" validate --json -a more.json a.json b.json
lacks '"scaled_error": 0' "an error that is not known is not 0"

# c is off by a factor of 20 in one application.  Who has not seen that expects no such error beyond those of lines.
measured 'app a cpu 0.00202' 'app b cpu 0.003' 'app c cpu 0.00396' \
	'more a cpu 0.003' 'more b cpu 0.0051' 'more c cpu 0.14'
check 0 "who is left out" validate -a more.json a.json b.json c.json
says "left out of it: inside 3 of 4 when each machine is, 3 of 4 when each family of applications is" \
	"neither the machine nor the application is foreseen" \
	"logarithm of the likelihood of a pair: -" "and so it is unlikely"

# c is off by a factor of 5 in both, one way and the other: who has seen one of them, on c, expects as much, and who has not
# seen c does not.
measured 'app a cpu 0.002' 'app b cpu 0.003' 'app c cpu 0.02' 'more a cpu 0.003' 'more b cpu 0.005' 'more c cpu 0.0014'
check 0 "a machine of which all is off" validate -a more.json a.json b.json c.json
says "left out of it: inside 2 of 4 when each machine is, 4 of 4 when each family of applications is" \
	"is foreseen by its errors in other applications alone"

# Waiting is part of wall time alone.
measured 'app a wall 0.003' 'app a cpu 0.001' 'app b cpu 0.003'
check 0 "both kinds" validate a.json b.json
says "a * 3.00 ms" "wall time has the wait"
says "a * 2.00 ms" "CPU time has not"
says "a 2.00 lat_read 1.00 ms 50.0 %" "an entry to blame for what is far off"
says "one machine has no order" "one machine has no order"
says "their wall time was not measured: b" "a machine without measured time is named"

# A guess that is as good.
machine f 2 1 1
measured 'app a cpu 0.002' 'app f cpu 0.004'
check 0 "CPUs decide" validate a.json f.json
says "THE cpu_int ALONE ORDERS AS WELL OR BETTER: 1 of 1" "a guess that orders as well is named"
says "THE cpu_int ALONE COMES AS CLOSE OR CLOSER" "and one that is closer"
grep -v getppid a.json | sed 's/1e-4 },/1e-4 } ] }/' >poor.json
check 0 "a machine without the null call" validate poor.json f.json
says "null call is not scored" "says so"
sed 's/"entries": \[/& { "entry": "lat_other", "seconds": 1 },/' a.json >more-a.json
check 0 "an entry that one machine alone has" validate more-a.json f.json
says "geometric mean no -1.00 0/1 - 43.1 %" "is in no mean: (1 - x) / (1 + x) with x = (2/5)^(1/4) / 2"

# Several applications; what is left out is reported.
application more 2000
measured 'app a cpu 0.002' 'app b cpu 0.003' 'more a cpu 0.003' 'more b cpu 0.006' 'more z cpu 1' 'gone a cpu 1'
check 0 "two applications" validate -a more.json a.json b.json c.json
says "more cpu yes 1.00 1/1" "each in the table of all"
says "all 2 8.3 % 8.3 % - 9.1 % 1.00 100.0 % 0.0 % 0.0 %" "and both together"
says "measured, but not among the machines: z" "a measured machine that is not given"
says "measured, but not given with -a: gone" "a measured application that is not given"
check 0 "as JSON" validate --json -a more.json a.json b.json c.json
says '"mean_deficiency": 0' "both in JSON"
if command -v python3 >/dev/null; then
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1]))
assert [x["application"] for x in d["applications"]] == ["app", "more"]
assert d["applications"][1]["scores"][0]["tau_b"] == 1
assert "gone" in d["notes"][0]' out
	ok $? "is JSON"
else
	skip "no python3"
fi

# By class, by hand: app is off by a fifth on c alone; the reference, a, does not count.
measured 'app a cpu 0.002' 'app b cpu 0.003' 'app c cpu 0.005' 'more a cpu 0.003' 'more b cpu 0.005' 'more c cpu 0.007'
printf '# sets\n\napplication more sealed\napplication\tapp\tdevelopment\nmachine b development\n' >sets
check 0 "classes" validate --sets sets -a more.json a.json b.json c.json
says "all 4 0.0 % 5.0 % 0.112 11.1 % 1.00 100.0 % 0.0 % 0.0 %" "all cells, each once"
says "development 1 0.0 %" "what was known"
says "held-out 1 20.0 %" "what is not named is held out"
says "sealed 2 0.0 %" "what was sealed is nothing else"
lacks "sealed, not translated" "and has no second row where none is translated"
says "held-out 1/1 1/1" "one interval of a time, one of a ratio"
says "always the reference 4 48.6 % 47.6 %" "all are as fast as the reference"
says "others' mean 4 8.6 % 8.7 %" "what other families were measured to take"
says "wrong application 4 10.6 % 10.5 %" "what is predicted for another"
says "osvec-predict 4 0.0 % 5.0 %" "and the prediction, all relative to the reference"
says "known one: error 6.3 % in the median, 12.5 % at most (c)" "every other machine as the known one"
lacks "in --sets, but not given" "all of the sets is given"
printf 'application mroe sealed\napplication\tapp\tdevelopment\nmachine bb development\nmachine a held-out\n' >sets
check 0 "names that are mistyped" validate --sets sets -a more.json a.json b.json c.json
says "in --sets, but not given: application mroe, machine bb" "are named"
check 1 "an application twice" validate -a more.json -a more.json a.json b.json c.json
says "more.json: an application of that name was given before" "is no other one"
application app-two 1000
measured 'app a cpu 0.002' 'app b cpu 0.003' 'app-two a cpu 0.003' 'app-two b cpu 0.005'
check 0 "two of a family" validate -a app-two.json a.json b.json
says "app-two cpu" "both are scored"
lacks "others' mean" "are no others"
measured 'app a cpu 0.002' 'app a wall 0.003' 'app b cpu 0.003' 'app b wall 0.004' 'more a cpu 0.003' 'more b cpu 0.0005'
check 0 "CPU and wall time" validate -a more.json a.json b.json
says "all 2 450.0 % 450.0 %" "are one cell, by its wall time"
says "others' mean 1 800.0 %" "of which CPU time says nothing"
says "all 1/2 1/2" "and the pairs"
measured 'app a cpu 0.002' 'app b cpu 0.003' 'more a cpu 0.003' 'more b cpu 0.005'
check 0 "narrow intervals" validate --model-error 0.02 -a more.json a.json b.json
grep -q '^all  *2/2  *2/2 .* 2/2  *0$' out
ok $? "two pairs are told apart"
says "all 4/4 2/2 2/2 0 2/2" "all ranks are in their sets, and both slower machines are not the first"
lacks "in the wrong order" "rightly"
# doubt: the shares of the model, the hosts and the entries in the width of ratios.
doubt() { awk '/^doubt/ { on = 1 } on && $1 == "all" { print $2, $4, $6; exit }' out; }
narrow=$(doubt)
check 0 "wider intervals" validate --model-error 0.2 -a more.json a.json b.json
says "all 4/4 2/2 0/2 0 2/2" "which leave the order open"
wide=$(doubt)
echo "$narrow $wide" | awk '{ exit !($1 < 50 && $4 > 50 && !$2 && !$5 && $1 + $3 == 100 && $4 + $6 == 100) }'
ok $? "the model's share in what makes them wide grows from $narrow to $wide"
measured 'app a cpu 0.004' 'app b cpu 0.002' 'more a cpu 0.003' 'more b cpu 0.005'
check 0 "narrow intervals, one wrong" validate --model-error 0.02 -a more.json a.json b.json
grep -q '^all  *1/2  *1/2 .* 2/2  *1$' out
ok $? "two pairs are told apart, one of them wrongly"
says "all 2/4 1/2 1/2 1 1/2" "the fastest is not the first of its set"
grep -Eq '^app cpu  +a  +b  +0\.[0-9]+  +0\.67  +0\.[0-9]+  +2\.00$' out
ok $? "which is named"
says "- 50.0 % 0.00 50.0 % 50.0 % 100.0 %" "whose best takes twice as long as the best, which is the worst of both"
check 0 "as JSON" validate --json --model-error 0.02 -a more.json a.json b.json
tr -d ' \n' <out | grep -q '"told_wrongly":\[{"application":"appcpu","machine":"a","other":"b",'; ok $? "in JSON, too"
measured 'app a cpu 0.004' 'app b cpu 0.002' 'app a wall 0.004' 'app b wall 0.002' 'more a cpu 0.003' 'more b cpu 0.005'
check 0 "wrong by CPU and wall time" validate --model-error 0.02 -a more.json a.json b.json
is "$(sed -n '/^in the wrong/,$p' out | grep -c '^app')" 1 "which is one pair"
measured 'app a cpu 0.00206' 'app b cpu 0.002' 'more a cpu 0.003' 'more b cpu 0.005'
check 0 "wrong by 3 %" validate --json --model-error 0.02 -a more.json a.json b.json
tr -d ' \n' <out | grep -q '"told_wrongly":\[\]'; ok $? "which is not told apart"
tr -d ' \n' <out | grep -q '"ranks_inside":1,"applications_inside":1,"not_first":1,"not_first_wrongly":0,"loss_inside":0.5}'
ok $? "and shares the ranks"
measured 'app a cpu 0.002' 'app b cpu 0.003' 'app c cpu 0.005' 'more a cpu 0.003' 'more b cpu 0.005'
check 0 "a machine of one application alone" validate -a more.json a.json b.json c.json
says "others' mean 2 10.6 % 10.6 % - 5.3 % 1.00 100.0 % 0.0 % 0.0 %" "of which the other one knows nothing"
for m in a:6 b:25; do
	sed "s/\"kernel.release\"/\"cpu.model\": \"Z80\", \"cpu.family\": \"${m#*:}\", &/" ${m%:*}.json >family-${m%:*}.json
done
check 0 "processors of one name and two families" validate -a more.json family-a.json family-b.json c.json
says "other processors 2 0.0 %" "are two, and what is not known is not another one"
printf 'application app sealed\nmachine a sealed\napplication app development\n' >sets
check 1 "two sets for one application" validate --sets sets -a more.json a.json b.json
says "sets:3: application app is in set sealed by a line before" "file and line are named"
for row in 'application' 'application app' 'thing app sealed' 'machine a old' 'machine a sealed native'; do
	printf '#\n%s\n' "$row" >sets
	check 1 "sets: $row" validate --sets sets -a more.json a.json b.json
	says "sets:2: " "file and line are named"
done
rm sets
check 1 "no sets" validate --sets sets a.json

# What is filed is what is printed today, and counts when all else has changed.
check 2 "to file, and to score" "$predict" validate --file --measured measured.tsv -a app.json a.json
for option in --json --csv '--filed measured.tsv' '--sets sets'; do
	# shellcheck disable=SC2086
	check 2 "to file, and $option" "$predict" validate --file $option -a app.json a.json
done
check 0 "file" "$predict" validate -l 0 --file -a app.json a.json b.json
is "$(cut -f1-3 out | xargs)" \
	"app a cpu app b cpu app a/b cpu app a wall app b wall app a/b wall app a rate app b rate" "application, machine, kind"
is "$(awk '$2 == "b" && $3 == "cpu" { print ($4 < $5 && $5 < $6), $5 }' out)" "1 0.003" "the prediction in its interval"
is "$(awk '$2 == "a/b" && $3 == "cpu" { print ($4 < $5 && $5 < $6), $5 }' out)" "1 0.666667" "and a ratio"
grep -v 'wall' out >filed
measured 'app a cpu 0.002' 'app b cpu 0.003' 'app c cpu 0.004' 'app c wall 0.004'
machine b 2 9 4
check 0 "filed" validate --filed filed a.json b.json c.json
says "b 3.00 ms" "the prediction of that time"
lacks "c 4.00 ms" "what was not filed is not scored"
says "app, wall, is left out: nothing was filed" "nor what no machine has"
check 0 "not filed" validate a.json b.json
says "b 11.0 ms" "today's is another"
machine b 1 2 4
"$predict" validate -l 0 --vector-state --file -a app.json -a more.json a.json b.json | grep cpu >filed
measured 'app a cpu 0.002' 'app b cpu 0.003' 'more a cpu 0.003' 'more b cpu 0.005'
# intervals FILED WANT WHAT: times inside, ratios inside, told apart, wrongly.
intervals() {
	check 0 "$3" validate --filed "$1" -a more.json a.json b.json
	is "$(awk '/^intervals/ { on = 1 } on && $1 == "all" { print $2, $3, $5, $6; exit }' out)" "$2" "$3: what intervals hold"
}
intervals filed '2/2 2/2 1/2 0' "filed ratios"
for turn in 'print $1, $2, $3, $6, $5, $4' 'print $1, $2, $3, $5'; do
	awk -F '\t' -v OFS='\t' "NR < 5 { print; next } { $turn }" filed >turned
	check 1 "bounds in another order, or none" "$predict" validate --measured measured.tsv --filed turned -a more.json a.json b.json
	says "turned:5: more on b" "are named"
done
sed 's,a/b,b/a,' filed >turned
intervals turned '2/2 0/2 1/2 1' "filed the other way around, which is wrong"
grep -v '^more.*a/b' filed >some
intervals some '2/2 1/1 0/1 0' "one ratio was not filed"
measured 'app a cpu 0.002' 'app b cpu 0.003' 'more a cpu 0.003' 'more b cpu 0.0031'
intervals filed '2/2 1/2 0/1 0' "a pair that is 3 % apart"
rm turned some
check 1 "filed: no such file" validate --filed none a.json

# Each note once, at the end, with the applications that it is about.
once() {
	[ "$(tr -s ' \n' '  ' <out | grep -o -F -e "$1" | wc -l)" -eq 1 ]
	ok $? "$2"
}
measured 'app a cpu 0.002' 'app b cpu 0.003' 'app a wall 0.003' 'app b wall 0.004' 'more a cpu 0.003' \
	'more b cpu 0.006' 'more a wall 0.004' 'more b wall 0.006' 'more z cpu 1'
check 0 "two applications, both kinds" validate -a more.json a.json b.json c.json
once "note: wall time is compared" "a note of two applications is printed once"
once "one thing happens after the other (app wall, more wall)" "and names them"
once "note: intervals should contain" "and one of all"
once "2 machines: an order is exact by chance once in 2 (1/M!), which cannot show skill; take 5 or more note:" \
	"without a list when it is all"
once "not among the machines: z (more cpu)" "a note of one application names it"
grep '^note:' out | tail -1 | grep -q '^note: intervals'
ok $? "the intervals are last"

# Twelve machines with names of 24 and of 40 characters, that differ at their ends.
set -- a
for i in 01 02 03 04 05 06 07 08 09 10 11; do
	name=machine-of-24-columns-$i
	[ $i -ne 11 ] || name=machine-whose-name-is-40-columns-long-$i
	machine $name 9.9 $((4000 + ${i#0})) 1
	set -- "$@" $name
done
for m; do echo "app $m cpu 0.00123456"; done | tr ' ' '\t' >measured.tsv
for m; do set -- "$@" "$m.json"; shift; done
check 0 "long names" validate "$@"
awk 'length > 100' out | grep -q .; [ $? -eq 1 ]; ok $? "no line is longer than 100 columns"
[ "$(sed '/^Off by/,$d' out | awk '/^ma.*..-[01][0-9] /{ print $1 }' | sort -u | wc -l)" -eq 11 ]
ok $? "and all are distinguished"
check 0 "long names as CSV" validate --csv "$@"
says "machine-whose-name-is-40-columns-long-11," "programs get them whole"

tr -d '\n' <app.json | sed 's/{ "entry": "lat_read"[^}]*},//; s/"user": 0.1/"user": 0/' >waits.json
measured 'app a cpu 0.002'
check 1 "CPU time of what only waits" "$predict" validate -l 0 --measured measured.tsv -a waits.json a.json
says "takes no CPU time on a: it only waits" "is not predicted"
measured 'gone a cpu 1'
check 1 "nothing to score" validate a.json
says "nothing in it could be scored" "says so"
says "left out" "and why"

# Bad tables of measured times.
bad() {
	what=$1
	shift
	measured 'app a cpu 1' "$@"
	check 1 "measured: $what" validate a.json
	says "measured.tsv:2: " "file and line are named"
}
for time in 0 -1 nan inf 1e999 1s x '' '1 ' '1 0'; do bad "time '$time'" "app b cpu $time"; done
bad "no time" 'app b cpu'
bad "one column" 'app'
bad "no application" ' b cpu 1'
bad "no machine" 'app  cpu 1'
bad "unknown kind" 'app b user 1'
bad "the same again" 'app a cpu 2'
bad "carriage return" "$(printf 'app b cpu 1\r1')"
printf 'app\ta\tcpu\t1\n\0\n' >measured.tsv
check 1 "measured: zeros" validate a.json
rm measured.tsv
check 1 "no such table" validate a.json
says measured.tsv "it is named"

# Three applications of a family are off by factors that the fourth does not show: left out with its family, each has
# intervals as narrow as that one's, which hold nothing; left out by itself, all hold.
set -- 'one a cpu 0.0020' 'one b cpu 0.0030' 'one c cpu 0.0040' 'one d cpu 0.0050' 'one e cpu 0.006'
for name in one fam-a fam-b fam-c; do
	application $name 1000
	[ $name = one ] || set -- "$@" "$name a cpu 0.0020" "$name b cpu 0.0010" "$name c cpu 0.0120" \
		"$name d cpu 0.0020" "$name e cpu 0.02"
done
measured "$@"
check 0 "a family of three" "$predict" validate -l 0 --json --measured measured.tsv -a one.json -a fam-a.json -a fam-b.json \
	-a fam-c.json a.json b.json c.json d.json e.json
grep -q '^"inside_without_family": 4,$' out; ok $? "a family is left out as one"
done_testing
