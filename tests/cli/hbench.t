#!/bin/sh
# SPDX-License-Identifier: MIT
# hbench from end to end, with a fake benchmark program (tests/fake) where numbers matter.
. "$(dirname "$0")/tap.sh"
hbench=$build/bin/hbench

# has FILE PATTERN WHAT
has() {
	grep -q -e "$2" "$1"
	ok $? "$3" || sed "s/^/#   $1: /" "$1"
}

cd "$tmp" || exit 1
mkdir state
export FAKE_STATE=$tmp/state OSVEC_LIBEXEC=$source/tests/fake OSVEC_LOCK=$tmp/lock

# suite NAME LINE...: writes NAME.suite.
suite() { name=$1; shift; printf '%s\n' "$@" >"$name.suite"; }
# run NAME [OPTION...]: runs NAME.suite with fresh counters into results NAME; sets $status and $dir.
run() {
	name=$1
	shift
	rm -rf state/*
	"$hbench" run -S ./"$name".suite -o "$name" -m box "$@" >out 2>err
	status=$?
	dir=$(echo "$name"/box/*)
}
lines() { wc -l <"$1" | tr -d ' '; }

# -- what every command promises
for command in run list check summary compare analyze vector; do
	"$hbench" $command --help >out 2>err && grep -q '^usage: hbench' out && grep -q '^example: ' out
	ok $? "$command --help explains itself with an example"
	"$hbench" $command --bogus >out 2>err
	is $? 2 "$command: an unknown option is bad usage"
done
# -- a run
suite plain '# a comment' 'set processes 15 60' 'lat_fake steady' 'lat_fake noisy' 'lat_fake bimodal'
run plain --seed 7
is $status 0 "a run ends"
is "$(lines "$dir/lat_fake_steady")" 15 "a steady entry has 15 processes"
is "$(lines "$dir/lat_fake_noisy")" 60 "one that stays wide has 60"
case $(lines "$dir/lat_fake_bimodal") in 30|45|60) true ;; *) false ;; esac
ok $? "one with two modes goes on to 30 at least"
! grep -vqx '[0-9.e-]*' "$dir/lat_fake_steady"
ok $? "a file of an entry holds numbers, nothing else"
is "$(lines "$dir/runs.jsonl")" "$(cat "$dir"/lat_fake_* | wc -l | tr -d ' ')" "every process is in runs.jsonl"
has "$dir/meta.json" '"status": "complete"' "meta.json says how it ended"
has "$dir/meta.json" '"seed": "7"' "with which seed"
has "$dir/meta.json" '"kernel.release"' "where"
has "$dir/meta.json" '"lat_fake": "[0-9a-f]\{64\}"' "and with which programs"
has "$dir/summary.tsv" '^lat_fake_steady	1.00[0-9]e-06	.*	10	' "summary.tsv"
has "$dir/osvec.json" '"schema": "osvec/1"' "osvec.json"
has "$dir/osvec.json" 'lat_fake_bimodal.*"BIMODAL"' "flags an entry with two modes"
has out '^  WIDE  *2  ' "wide ones are flagged"
has out '^lat_fake_steady  *1.00 us  0.[0-9]%  1.00 us  *-  10$' "and the run ends with numbers"
has err '^round 1: 3/45 processes, 0/3 entries, about .* left$' "without a terminal a round is a line"
has err '^round 60: [0-9]*/[0-9]* processes, 3/3 entries, about 0 s left$' "to the end"

# order FILE ROUND: the entries of a round.
order() { sed -n "s/.*\"entry\": \"\([^\"]*\)\".*\"round\": $2,.*/\1/p" "$1"; }
is "$(order "$dir/runs.jsonl" 3 | sort | tr '\n' ' ')" "lat_fake_bimodal lat_fake_noisy lat_fake_steady " \
	"a round holds every entry once"
for i in 0 1 2 3 4 5; do order "$dir/runs.jsonl" $i; done >first
run plain --seed 7
dir=$(ls -d plain/box/* | tail -1)
for i in 0 1 2 3 4 5; do order "$dir/runs.jsonl" $i; done >second
cmp -s first second
ok $? "the same seed gives the same order"
run plain --seed 8
dir=$(ls -d plain/box/* | tail -1)
for i in 0 1 2 3 4 5; do order "$dir/runs.jsonl" $i; done >second
! cmp -s first second
ok $? "another seed another one"
"$hbench" summary plain --csv >out
has out "^lat_fake_steady,1.00.*e-06,.*,10," "summary --csv, options behind the operand"
"$hbench" summary plain --estimator mean >out && grep -q lat_fake_steady out
ok $? "summary with another estimator"
"$hbench" summary --estimator best plain 2>err
is $? 2 "an estimator that does not exist"
"$hbench" vector plain -o v.json && grep -q '"machine": "box"' v.json
ok $? "vector -o"

cp "$dir/meta.json" kept
for f in meta.json lat_fake_steady runs.jsonl; do
	"$hbench" vector plain -o "$dir/$f" 2>err
	is $? 2 "vector -o never overwrites $f of a run"
done
cmp -s kept "$dir/meta.json"
ok $? "which is unchanged"
ln -s "$dir/meta.json" link
"$hbench" vector plain -o link 2>err
is $? 2 "not through a link either"
"$hbench" summary plain >out && ! grep -q NOLOG out
ok $? "a whole log: no NOLOG"
head -n 30 "$dir/runs.jsonl" >cut && cp cut "$dir/runs.jsonl"
"$hbench" summary plain >out
has out '^  NOLOG  *3  ' "a log cut short is told"
"$hbench" vector plain && grep -q '"lat_fake_steady".*"NOLOG"' "$dir/osvec.json"
ok $? "in the vector, too"
for fact in '"cgroup.cpu_max": "50000 100000"' '"cgroup.cpu_quota_us": "5000"' '"cgroup.cpu_period_us": "10000"'; do
	sed -i "s/\"environment\": {/& $fact,/" "$dir/meta.json"
	"$hbench" vector plain
	has "$dir/osvec.json" "$fact" "which has the CPU quota: $fact"
done
has "$dir/osvec.json" '"cpu.usable": "[1-9]' "and how many CPUs could be used"

"$hbench" vector plain --state plain -o v.json 2>err
is $? 1 "vector --state needs canaries"
has err "reference loops" "and says so"

# -- what cannot be measured ends as a reason
suite bad 'set processes 6' 'set timeout 5s' 'lat_fake steady' 'lat_fake unsupported' 'lat_fake fails' \
	'lat_fake flaky' 'lat_fake usage' 'lat_fake dies' 'lat_fake hangs' 'lat_fake rubbish' \
	'lat_fake negative' 'lat_fake zero' 'lat_fake other' 'lat_nothing' 'lat_fake leaves' 'lat_fake member'
run bad
is $status 0 "a run with much that fails"
is "$(lines "$dir/lat_fake_steady")" 6 "measures the rest"
is "$(lines "$dir/lat_fake_flaky")" 6 "a process that fails once is repeated"
is "$(cut -f1 "$dir/skipped" | sort | tr '\n' ' ')" \
	"lat_fake_dies lat_fake_fails lat_fake_hangs lat_fake_member lat_fake_negative lat_fake_other lat_fake_rubbish lat_fake_unsupported lat_fake_usage lat_fake_zero lat_nothing " \
	"everything else is in skipped"
has "$dir/skipped" '^lat_fake_unsupported	.*the moon is not full' "with the program's reason"
has "$dir/skipped" '^lat_fake_fails	.*it broke' "with its message"
has "$dir/skipped" '^lat_fake_dies	ended by signal 11' "with its signal"
has "$dir/skipped" '^lat_fake_hangs	killed after 5 s' "with its time"
has "$dir/skipped" '^lat_fake_other	.*lat_fake_renamed.*line 13' "with the line of the suite"
has "$dir/skipped" '^lat_nothing	.*No such file' "or because there is no such program"
has "$dir/skipped" '^lat_fake_member	lat_fake: mean' "or with the member that no reader would take"
"$hbench" summary bad >out 2>err
is $? 0 "so that the run can be read"
is "$(grep -c '"lat_fake_fails".*"failed"' "$dir/runs.jsonl")" 2 "a failure is tried twice"
is "$(grep -c '"lat_fake_hangs".*"failed"' "$dir/runs.jsonl")" 1 "a hang once"
nobody() { ! env -u FAKE_STATE grep -qsF "FAKE_STATE=$tmp/state" /proc/[0-9]*/environ; }
until_ok nobody
ok $? "nothing is left behind"
suite none 'lat_fake fails'
run none
is $status 1 "nothing measured at all: exit status 1"

# -- disturbance, copies, placement, control, canary
suite roles 'set processes 8' 'set canary lat_fake_steady' 'set control lat_fake_steady' \
	'lat_fake steady' 'lat_fake steady x3' 'lat_fake steady @other' 'lat_fake cold @cold' 'lat_fake steady @after=4096' 'lat_fake read_disk' \
	'lat_fake disturbed' 'lat_fake interrupted' 'lat_fake usually'
run roles
is $status 0 "a run with all roles"
is "$(grep -c '"lat_fake_read_disk".*faults that read a disk".*"disturbed"}' "$dir/runs.jsonl")" 3 "reading a disk disturbs"
is "$(lines "$dir/lat_fake_read_disk")" 8 "and is repeated"
is "$(grep -c 9e-06 "$dir/lat_fake_read_disk")" 0 "what was disturbed does not count"
is "$(grep -c '"lat_fake_disturbed".*"disturbed"}' "$dir/runs.jsonl")" 3 "so does what a program flags"
is "$(grep -c 9e-06 "$dir/lat_fake_disturbed")" 0 "and it does not count either"
is "$(grep -c '"lat_fake_interrupted"' "$dir/runs.jsonl")" 8 "interruptions that it left out are fine"
is "$(grep -c '"lat_fake_usually"' "$dir/runs.jsonl")" 12 "what is always disturbed is repeated three times in ten"
is "$(grep -c '"lat_fake_steadyx3"' "$dir/runs.jsonl")" 8 "three copies are one process for hbench"
is "$(lines "$dir/lat_fake_steadyx3")" 8 "and one value a round"
is "$(lines "$dir/lat_fake_steady@other")" 8 "a placement is an entry of its own"
is "$(lines "$dir/lat_fake_cold@cold")" 8 "so are cold caches"
is "$(lines "$dir/lat_fake_steady@after=4k")" 8 "and what was touched before"
is "$(lines "$dir/control_lat_fake_steady")" 8 "a control too"
has out 'control: lat_fake_steady measured twice differs' "and is reported"
has out '^drift: lat_fake_steady in 0 of 8 rounds' "so is the canary entry"

# -- choosing
run roles 'lat_fake_st*' --precision 5 -q -D "$tmp"
dir=$(ls -d roles/box/* | tail -1)
is "$status$(cat err)" 0 "a quiet run of some entries"
has "$dir/meta.json" '"precision": 0.05\(0*,\|0*$\)' "--precision is in percent"
has "$dir/meta.json" "^ *[\"]${tmp##*/}[\"],*$" "the command is stored without private paths"
[ ! -e "$dir/lat_fake_disturbed" ] && [ -e "$dir/control_lat_fake_steady" ]
ok $? "a pattern chooses entries, and controls go with them"
"$hbench" run -S ./roles.suite -o none2 nothing_like_it 2>err
is $? 1 "a pattern that matches nothing"
has err nothing_like_it "is named"
[ ! -e none2 ]
ok $? "before anything is written"
suite wrong 'lat_fake steady' 'lat_fake steady'
run wrong
is $status 1 "a suite with a mistake"
has err 'wrong.suite:2: ' "is reported with file and line"
"$hbench" run -S ./roles.suite -o none3 --cpu 1, 2>err
is "$? $(ls -d none3 2>/dev/null)" "2 " "a list of CPUs that ends early"
"$hbench" list -S ./roles.suite --csv >out
has out '^lat_fake_steadyx3,lat_fake steady x3,,others$' "list -S shows entries and invocations"
has out '^control_lat_fake_steady,lat_fake steady,control,others$' "and roles"
suite lists 'set processes 6' 'lat_fake * x1,x2' 'lat_fake steady_a,steady_b @other'
"$hbench" list -S ./lists.suite --csv | sed '1d; s/,.*//' | tr '\n' ' ' >out
is "$(cat out)" "lat_fake_steady lat_fake_steadyx2 lat_fake_steady_a@other lat_fake_steady_b@other " \
	"'*' and lists stand for every combination of their values"
run lists
is "$status $(ls "$dir" | grep -c '^lat_fake')" "0 4" "which is measured"
has "$dir/meta.json" 'lat_fake steady x2\\nlat_fake steady_a @other\\n' "and stored entry by entry"
suite asked 'lat_fake steady' 'lat_nothing *'
"$hbench" list -S ./asked.suite 2>err
is $? 1 "a program that cannot be asked for its values"
has err '^hbench: ./asked.suite:2: cannot ask lat_nothing what .* stands for: .*lat_nothing' "is reported with the line"
"$hbench" list --json >out
has out '"program": "lat_fake", "parameters": "what steady"' "list shows the descriptions that programs print"

# -- lines, suites and patterns as operands
suite budget 'set processes 15' 'lat_fake slow_a' 'lat_fake slow_b' 'lat_fake slow_c'
rm -rf state/*
"$hbench" run -o adhoc -m box 'set processes 6' 'lat_fake steady' 'lat_fake steady_b x2' >out 2>err
is "$? $(ls adhoc/box/* | grep '^lat_fake' | tr '\n' ' ')" "0 lat_fake_steady lat_fake_steady_bx2 " \
	"lines on the command line are a suite, settings too"
has adhoc/box/*/meta.json '"name": "command line"' "which is stored"
"$hbench" run -o alone -m box lat_fake --budget 1ms >out 2>err
is "$? $(ls alone/box/* | grep '^lat_fake')" "0 lat_fake_steady" "a program alone: all values that it declares"
"$hbench" run -o none4 'lat_fale steady' 2>err
is "$? $(ls -d none4 2>/dev/null)" "2 " "a misspelt program is no run"
has err "no benchmark program 'lat_fale'; did you mean 'lat_fake'?" "but the nearest is named"
"$hbench" run -o none4 'lat_fake steady' 'lat_*' 2>err
is $? 2 "lines and patterns do not mix"
"$hbench" run -o none4 'lat_fake steady zzz,' 2>err
has err '^hbench: command line:1: ' "a mistake in a line"
"$hbench" run -o none4 -S ./plain.suite lat_fake_stedy 2>err
has err "no entry matches 'lat_fake_stedy'; did you mean 'lat_fake_steady'?" "a misspelt entry"
"$hbench" run -o operand -m box ./budget.suite --budget 1ms '*_a' >out 2>err
is "$? $(ls operand/box/* | grep '^lat_fake')" "0 lat_fake_slow_a" "a suite as an operand, and a pattern behind it"
(unset OSVEC_LIBEXEC; "$hbench" run -o lmbench -m box -q 'set processes 2' 'set batch 1us' 'lat_pipe 8k') >out 2>err
is "$? $(ls lmbench/box/* | grep '^lat_')" "0 lat_roundtrip_pipe_8k" "lmbench's name of a program"
spelt=" bw_file_read_1k control_lat_path_open_1 lat_path_open_1 lat_roundtrip_pipe_8k "
(unset OSVEC_LIBEXEC; "$hbench" run -o spelt -m box -q 'set processes 1' 'set control lat_path_open' 'lat_path open' \
	'lat_roundtrip pipe 8192 @same' 'bw_file read 1k 4m') >out 2>err
is "$? $(ls spelt/box/* | grep '_' | tr '\n' ' ')" "0$spelt" "programs spell the entries of lines, and fill in what is left out"
suite spelt 'set processes 1' 'set control lat_path_open_1' 'lat_path open' 'lat_roundtrip pipe 8192 @same' 'bw_file read 1k 4m'
(unset OSVEC_LIBEXEC; "$hbench" run -S ./spelt.suite -o spelt2 -m box -q) >out 2>err
is "$? $(ls spelt2/box/* | grep '_' | tr '\n' ' ')" "0$spelt" "of a file as of the command line"
(unset OSVEC_LIBEXEC; "$hbench" list -S ./spelt.suite --csv) >out 2>err
has out '^lat_roundtrip_pipe_8k,lat_roundtrip pipe 8k,,' "list -S shows them so"
for line in 'lat_pipe 8q' 'cpu_int 3' 'cpu_int @apart' 'bw_mem_rd llc 3'; do
	(unset OSVEC_LIBEXEC; "$hbench" run -o none6 'lat_path open' "$line") 2>err
	is "$? $(ls -d none6 2>/dev/null)" "2 " "'$line' is no run"
	has err '^hbench: command line:2: [a-z_]*: .*--help' "but a message of the program"
done
suite refused 'lat_path open' 'cpu_int 3'
(unset OSVEC_LIBEXEC; "$hbench" run -S ./refused.suite -o none6) 2>err
is "$? $(ls -d none6 2>/dev/null)" "1 " "nor is it in a file"
has err '^hbench: ./refused.suite:2: cpu_int: .*--help' "which is named with the line"
(unset OSVEC_LIBEXEC; "$hbench" run -o none6 'lat_path open' 'lat_path open 1') 2>err
has err '^hbench: command line:2: duplicate entry lat_path_open_1$' "one entry under two spellings"

# -- copies
suite copies 'set processes 6' 'set control lat_fake_steady' 'lat_fake steady' 'lat_fake steady x3' 'lat_fake noisy @other'
run copies --copies 2
is "$status $(ls "$dir" | grep lat_ | tr '\n' ' ')" \
	"0 control_lat_fake_steady lat_fake_noisy@other lat_fake_noisy@otherx2 lat_fake_steady lat_fake_steadyx2 lat_fake_steadyx3 " \
	"--copies: of every entry but those with copies, beside them"
is "$(grep -c '"lat_fake_steadyx2"' "$dir/runs.jsonl") $(lines "$dir/lat_fake_steadyx2")" "6 6" "one process a value"
has "$dir/meta.json" 'lat_fake noisy @other\\nlat_fake steady x2\\nlat_fake noisy @other x2\\nset control lat_fake_steady' "stored for --resume"
for count in 0 x 2000; do
	"$hbench" run -S ./copies.suite -o none5 --copies $count 2>err
	is "$? $(ls -d none5 2>/dev/null)" "2 " "--copies $count"
done
"$hbench" run -q -S ./copies.suite -o allcpus -m box --copies all >out 2>err
is "$(ls allcpus/box/* | grep -c "steadyx$(nproc)\$")" "$([ "$(nproc)" -gt 1 ] && echo 1 || echo 0)" "--copies all: one per CPU"

# -- list
"$hbench" list -S ./copies.suite >out
has out '^      4  in all$' "list -S counts entries"

# -- budget
run budget --budget 1s
is $status 0 "a budget"
has "$dir/meta.json" '"status": "budget"' "ends the run"
is "$(lines "$dir/lat_fake_slow_a") $(lines "$dir/lat_fake_slow_b")" \
	"$(lines "$dir/lat_fake_slow_c") $(lines "$dir/lat_fake_slow_c")" "after whole rounds"
[ "$(lines "$dir/lat_fake_slow_a")" -lt 15 ]
ok $? "before the wanted number of processes"
has out '^  FEW  *3  ' "which is flagged"

# -- killed and resumed
suite killed 'set processes 15' 'lat_fake slow_a' 'lat_fake slow_b' 'lat_fake slow_c'
measured() { [ "$(cat "$1"/box/*/runs.jsonl | wc -l)" -ge 8 ]; }
# start RESULTS: begins a run in the background and waits until it has measured something.
start() {
	rm -rf state/*
	"$hbench" run -S ./killed.suite -o "$1" -m box >out 2>err &
	pid=$!
	until_ok measured "$1"
	dir=$(echo "$1"/box/*)
}
start killed
kill -STOP $pid
"$hbench" run -S ./plain.suite -o locked 2>err2
is $? 1 "a second hbench is refused"
has err2 "process $pid" "with the process that measures"
"$hbench" run -S ./plain.suite -o locked lat_fale 2>err2
has err2 "no entry matches 'lat_fale'" "after its arguments have been checked"
[ ! -e locked ]
ok $? "and has made nothing"
"$hbench" summary killed | grep -q '^3 entries, .* running$'
ok $? "the run goes on"
"$hbench" check --csv >out2
is "$? $(grep '^red,other hbench,1,' out2 | wc -l | tr -d ' ')" "1 1" "check sees it, too"
OSVEC_LOCK=$tmp/lock2 "$hbench" run --resume -o killed 2>err2
is $? 1 "a run that goes on is not resumed by a second hbench with another lock"
has err2 'another hbench is measuring this run' "which says so"
mkfifo fifo
OSVEC_LOCK=$tmp/fifo timeout 20 "$hbench" run -S ./plain.suite -o locked 2>err2
is $? 1 "a lock that is no file is refused"
has err2 'fifo: not a regular file' "by its name"
kill -9 $pid
wait $pid 2>/dev/null
has "$dir/meta.json" '"status": "running"' "killed: the run has no end"
"$hbench" summary killed >out
has out '^3 entries, .* killed$' "and is not said to go on"
has out "^'hbench run --resume -o $dir' goes on" "unless somebody resumes it"
for f in "$dir"/lat_fake_*; do cat "$f"; done >before
printf '{"entry": "lat_fake_slow_a", "rou' >>"$dir/runs.jsonl"
printf '1.0' >>"$dir/lat_fake_slow_a"
printf 'lat_fake_torn\tno su' >"$dir/skipped"
"$hbench" run --resume -o killed >out 2>err
is $? 0 "resumed with torn lines in its files"
has "$dir/meta.json" '"status": "complete"' "it ends"
slices=$(tr -d ' \n' <"$dir/meta.json" | sed 's/.*"slices":\[\(.*\]\)\],"seed.*/\1/')
is "$(echo "$slices" | grep -o '"20[^"]*Z"' | wc -l | tr -d ' ') $(echo "$slices" | grep -c '^[^,]*,null\],')" "3 1" \
	"two slices: the killed one has no end"
grep -q '"slices":' "$dir/osvec.json"
ok $? "the vector has them"
is "$(cat "$dir/skipped")" "" "a torn reason is cut off"
is "$(cat "$dir"/lat_fake_slow_? | wc -l | tr -d ' ')" 45 "with the wanted number of processes"
is "$(sed -n 's/.*"entry": "\([^"]*\)".*"round": \([0-9]*\),.*/\1 \2/p' "$dir/runs.jsonl" | sort | uniq -d)" "" \
	"no process was measured twice in a round"
is "$(grep -c '"round": 14,' "$dir/runs.jsonl") $(grep -c '"round": 15,' "$dir/runs.jsonl")" "3 0" \
	"there were fifteen rounds: the one in which it was killed went on"
"$hbench" run --resume -o killed 2>err
is $? 1 "what has ended cannot be resumed"
"$hbench" run --resume -S ./killed.suite 2>err
is $? 2 "nor given another suite"

# Ctrl-Z: a program whose time is over while hbench does not run has not been too slow.
suite stopped 'set processes 10' 'set timeout 2s' 'lat_fake slow_a'
"$hbench" run -S ./stopped.suite -o stopped -m box >out 2>err &
pid=$!
in_process() { pgrep -P $pid >/dev/null; }
until_ok in_process
kill -STOP $pid
sleep 3
kill -CONT $pid
wait $pid
is "$? $(lines stopped/box/*/lat_fake_slow_a)" "0 10" "a run that was stopped for a while loses nothing"

start interrupted
kill -INT $pid
wait $pid
is $? 130 "interrupted: exit status 130"
has "$dir/meta.json" '"status": "interrupted"' "it says so"
[ -s "$dir/summary.tsv" ] && [ -s "$dir/osvec.json" ]
ok $? "with a partial summary and vector"
has err 'run --resume' "and how to go on"
cp -r interrupted late
sed -i 's/"wall": [^,}]*/"wall": 1000/' late/box/*/runs.jsonl
"$hbench" run --resume -o late --budget 500s >out 2>err
is $? 0 "resumed after more than its budget"
has late/box/*/meta.json '"status": "budget"' "it has none left"
cp -r interrupted moved
sed -i 's/"kernel.release": "[^"]*"/"kernel.release": "6.0-other"/' moved/box/*/meta.json
"$hbench" run --resume -o moved 2>err
is $? 1 "not under another kernel"
has err 'under another kernel: start a new one' "with the reason"
"$hbench" run --resume -o "$dir" --budget 0.2s >out 2>err
is $? 0 "resumed by its own directory, with a budget"
mkdir -p torn/box/1 && echo '{' >torn/box/1/meta.json
"$hbench" run --resume -o torn >out 2>err
is "$? $(grep -c '^hbench: torn/box/1/meta.json: invalid JSON' err)" "1 1" "a torn meta.json is named, once"
# what killed processes leave, but not what is in use or belongs to others
mkdir -p work/osvec-backup work/osvec-abcdef/osvec-abcdeg
(cd work && exec "$build/bench/lat_fs" -T 20s create 0) >/dev/null 2>&1 &
used=$!
(cd work && exec "$build/bench/lat_fs" -T 20s create 0) >/dev/null 2>&1 &
pid=$!
until_ok eval '[ "$(ls -d work/osvec-??????/osvec-?????? | wc -l)" = 3 ]'
ok $? "two benchmarks have directories"
kill -9 $pid
wait $pid 2>/dev/null
"$hbench" run -D work -o swept -m box --budget 1ms lat_fake >out 2>err
is "$(ls -d work/osvec-??????/osvec-?????? | wc -l)" 2 "hbench run removes that of the killed one"
has err "^removed 1 directory that killed benchmarks left in .*/work$" "and says so"
[ -d work/osvec-backup ] && [ -d work/osvec-abcdef/osvec-abcdeg ] && kill -TERM $used
ok $? "and nothing else"
wait $used 2>/dev/null
is "$(ls work | tr '\n' ' ')" "osvec-abcdef osvec-backup " "the other one removes its own"

start terminated
kill -TERM $pid
wait $pid
is $? 143 "terminated: exit status 143"

# -- a full disk
suite full 'set processes 60' 'lat_fake steady_a' 'lat_fake steady_b' 'lat_fake steady_c'
(ulimit -f 64; trap '' XFSZ 2>/dev/null; "$hbench" run -S ./full.suite -o full -m box >out 2>err)
is $? 1 "a full disk (a file size limit) ends the run"
dir=$(echo full/box/*)
has err "runs.jsonl: .*what was measured.*--resume -o $dir'" "with the file and what to do"
is "$(tail -c1 "$dir/runs.jsonl" | od -An -c | tr -d ' ')" '\n' "the last line is whole"
"$hbench" summary full >out
ok $? "what was measured can be read"
"$hbench" run --resume -o full >out 2>err && [ "$(lines "$dir/lat_fake_steady_a")" = 60 ]
ok $? "and the run goes on when there is space"

# -- comparing
suite a 'set processes 15' 'lat_fake steady' 'lat_fake steady_b' 'lat_fake steady_only_a'
suite b 'set processes 15' 'lat_fake steady' 'lat_fake steady_b'
run a
run b
"$hbench" compare a b --csv >out
has out '^lat_fake_steady,.*,1,.*,alike,1,no,b,no$' "alike: no difference"
sed -i 's/^1/2/' b/box/*/lat_fake_steady
"$hbench" compare --csv a b >out
has out '^lat_fake_steady,.*,slower,.*,yes,b,no$' "twice as slow: a difference"
"$hbench" compare --csv --equivalence 150 a b >out2
has out2 '^lat_fake_steady,.*,alike,.*,yes,b,no$' "--equivalence 150 lets twice pass"
awk '{ print $1 * 1.004 }' b/box/*/lat_fake_steady_b >shifted && cp shifted b/box/*/lat_fake_steady_b
"$hbench" compare --csv a b >out2
has out2 '^lat_fake_steady_b,.*,alike,0.0[^,]*,yes,b,no$' "slower by 0.4 %: a difference at the usual rate"
"$hbench" compare --csv --rate 0.1 a b >out2
has out2 '^lat_fake_steady_b,.*,alike,0.0[^,]*,no,b,no$' "and none when one report in 1000 may be false"
is "$(sed -n 2p out | cut -d, -f1)" lat_fake_steady "the greatest change stands first"
is "$(sed -n 2p out | cut -d, -f4 | cut -c1-4)" 1.99 "its ratio"
"$hbench" compare a b >out
is "$(tail -1 out)" 'environment: alike' "the environment comes last"
has out '^A        lat_fake_steady_only_a' "what is missing is reported"
has out '^2 entries in both: 1 slower in B, 0 faster, 1 alike within 3 %, 0 unresolved' "and counted"
sed -i 's/"kernel.release": "[^"]*"/"kernel.release": "0.0"/' b/box/*/meta.json
"$hbench" compare a b >out
has out '^kernel.release ' "a different kernel is shown"
"$hbench" compare a b/box/*/osvec.json >out
ok $? "a vector will do as well"
escape=$(printf '\033')
sed 's/"machine": "box"/"machine": "b\\u001b[31mx"/; s/"cpu.model": "/&\\u001b[31m/' b/box/*/osvec.json >escapes.json
{
	"$hbench" summary escapes.json && "$hbench" summary a escapes.json && "$hbench" compare a escapes.json &&
		"$hbench" analyze escapes.json && "$hbench" analyze native escapes.json
} >out 2>err && ! grep -q "$escape" out err && grep -q 'b?\[31mx' out
ok $? "escape characters in names do not reach the terminal"

# -- this machine
"$hbench" check --json >out
[ $? -le 1 ] && grep -q '"light": "green"' out
ok $? "check has lights"
has out '"what": "programs", "found": "1"' "it counts programs"
mkdir -p empty
OSVEC_LIBEXEC=$tmp/empty "$hbench" check --csv >out
is "$? $(grep -c '^red,programs,0,build' out)" "1 1" "none is red, and the exit status 1"
has out '^green,other hbench,0,$' "no other hbench is green"
if [ "$(stat -f -c %T /dev/shm)" = tmpfs ]; then
	"$hbench" check -D /dev/shm --csv >out
	has out '^yellow,file system,tmpfs,file entries' "a file system in memory is yellow"
fi
# What another program knows: CPUs that may be used, and the load.
has out "^[a-z]*,CPUs,$(nproc) allowed," "the CPUs"
unset OSVEC_LIBEXEC
suite real 'set processes 3' 'lat_syscall getppid' 'cpu_int'
run real
is $status 0 "a real run"
awk '!($1 > 1e-9 && $1 < 1e-3) { bad = 1 } END { exit bad || NR != 3 }' "$dir/lat_syscall_getppid"
ok $? "has three credible times of a null call"

# -- runs compared in one state of the host
suite follows 'set processes 30' 'lat_fake follows'
FAKE_SWING=40 OSVEC_LIBEXEC=$source/tests/fake run follows
mv follows idle
has out 'reference loop "call" took 1[0-9] % longer .*: BUSY' "how busy the host was"
FAKE_LOAD=1700 OSVEC_LIBEXEC=$source/tests/fake run follows
mv follows far
has out 'reference loop "call" took 0 % longer than in its calmest tenth$' "or how calm"
FAKE_LOAD=1200 FAKE_SWING=20 OSVEC_LIBEXEC=$source/tests/fake run follows
"$hbench" compare --state none idle follows >out
has out 'lat_fake_follows .* 1\.1.* slower' "a busier host makes an entry slower"
"$hbench" compare --all --fail-above 5% idle follows >out
is $? 0 "which is no regression"
has out 'lat_fake_follows .* 1\.00.* alike' "for it is adjusted to the state of the other run"
has out 'reference loop "call" took 1\.1' "which canaries tell"
has out '^B is adjusted' "as is said"
"$hbench" compare --csv idle follows >out
has out ',yes$' "in CSV as well"
"$hbench" compare --fail-above 5% idle far >out 2>err
is $? 4 "a canary that costs what it never cost during A is no state of the host"
lacks 'B is adjusted' "and nothing is adjusted"
sed -i 's/"cpu.model": "/&Not the /' follows/*/*/meta.json
"$hbench" compare idle follows >out
has out 'lat_fake_follows .* 1\.1.* slower' "a run of another processor is not adjusted"
has out 'reference loop "call" took 1\.1.* compare .* by --state' "unless that is asked for"
"$hbench" compare --state idle --all idle follows >out
has out 'lat_fake_follows .* 1\.00.* alike' "as here"
"$hbench" compare --state plain idle follows >out 2>err
is $? 1 "a run without canaries"
has err 'state: plain: no entry depends on reference loops of both' "has no state"
mkdir -p old/box
cp -r idle/*/* old/box/a-name-that-is-no-time
cp -r follows/*/* old/box/0
sed -i 's/"run": "2/"run": "3/' old/box/0/meta.json
"$hbench" summary old >out
has out '^old/box/0$' "the newest run is the one that began last, whatever it is called"
for run in idle/*/*; do head -20 "$run/lat_fake_follows" >lost && cp lost "$run/lat_fake_follows"; done
"$hbench" summary idle >out
has out 'NOLOG' "values that are lost are told"
"$hbench" vector -o v.json idle
sed 's/"canaries": {/"others": {/' v.json >w.json
"$hbench" compare v.json w.json >out 2>err
lacks "reference loop" "a vector without their times tells no state"
"$hbench" compare --state idle idle v.json >out 2>err
is $? 1 "a vector alone"
has err 'v.json: a vector without its run' "cannot be moved"

# -- levels of the memory hierarchy: 16k, 256k, 4m and memory, by a fake lat_mem_rd
mkdir fakes
ln -s "$source/tests/fake/lat_fake" fakes/lat_fake
cat >fakes/lat_mem_rd <<'EOF'
#!/bin/sh
for word; do case $word in [0-9]*k|[0-9]*m) size=${size:-$word} ;; esac; done
echo x >>"$FAKE_STATE/loads"
case $size in
4k|8k|16k) echo '{"minimum": 1e-09}' ;;
32k|64k|128k|256k) echo '{"minimum": 4e-09}' ;;
512k|1m|2m|4m) echo '{"minimum": 2e-08}' ;;
*) echo '{"minimum": 1e-07}' ;;
esac
EOF
chmod +x fakes/lat_mem_rd
suite levels 'set processes 2' 'lat_fake llc,ram' 'lat_fake steady_a'
OSVEC_LIBEXEC=$tmp/fakes run levels
is $status 0 "a suite that names levels runs"
has "$dir/meta.json" '"level.l1": "8k"' "the levels are facts"
has "$dir/meta.json" '"level.l2": "128k"' "all"
has "$dir/meta.json" '"level.source": "measured"' "that were measured"
has "$dir/osvec.json" '\["lat_fake_llc",.* null, 2097152\]' "the vector has the name and the size"
is "$(lines "$dir/lat_fake_ram")" 2 "memory, too"
loads=$(lines state/loads)
[ "$loads" -ge 30 ] && [ "$loads" -le 60 ]
ok $? "the levels are measured once, $loads loads"
: >state/loads
sed -i 's/"complete"/"running"/' "$dir/meta.json"
sed -i '$d' "$dir/lat_fake_llc"
sed -i '/lat_fake_llc.*"round": 1,/d' "$dir/runs.jsonl"
OSVEC_LIBEXEC=$tmp/fakes "$hbench" run -q --resume -o levels >out 2>err
is $? 0 "a resumed run"
is "$(lines state/loads)" 0 "knows the levels"
has "$dir/osvec.json" '\["lat_fake_llc",.* null, 2097152\]' "as before"
sed -i '/512k/d' fakes/lat_mem_rd
rm -rf levels
OSVEC_LIBEXEC=$tmp/fakes run levels
has "$dir/skipped" '^lat_fake_llc	no llc: this machine has fewer levels' "a level that is not there is skipped"

done_testing
