#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/workload with its applications, scripts/fleet and scripts/remote; programs that are missing are skipped.
. "$(dirname "$0")/tap.sh"
export TMPDIR="$tmp"
chmod 755 "$tmp"	# for the user that Apache becomes

# ---- workload: one line says what the units took, and no file remains ----

took='^workload: 37 units in [0-9.e+-]* s, CPU \([0-9.e+-]*\|-\) s$'
mkdir "$tmp/a place"
for file in scripts/applications/[!R]*; do
	app=${file##*/}
	TMPDIR=$tmp/a\ place scripts/workload "$app" 37 >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	if [ $status = 3 ]; then
		skip "$(tail -1 "$tmp/err")"
		continue
	fi
	is $status 0 "workload $app"
	[ ! -s "$tmp/out" ] && [ "$(tail -1 "$tmp/err" | grep -c "$took")" = 1 ]
	ok $? "workload $app: the line about 37 units"
done
is "$(find "$tmp" -name 'osvec-*')" "" "workload leaves no file behind"
# Between two bounds: it waits 0.3 s of a second that is not measured.
mkdir "$tmp/mine"
cat >"$tmp/mine/nap" <<'X'
work() {
	serve sleep 100
	sleep 0.7
	begin
	sleep 0.3
	end
}
X
check 0 "workload nap" scripts/workload -w "$tmp/mine" nap 5
sed -n 's/^workload: 5 units in \([0-9.]*\) s, CPU - s$/\1/p' "$tmp/err" | awk '{ ok = $1 > 0.25 } END { exit !ok }'
ok $? "workload: the wait is measured, and no CPU time"
# What a client saw is taken: 5 units at 4 a second.
sed 's/^	end$/	end 4/' "$tmp/mine/nap" >"$tmp/mine/rate"
check 0 "workload rate" scripts/workload -w "$tmp/mine" rate 5
grep -q '^workload: 5 units in 1.25 s, ' "$tmp/err"; ok $? "workload: the rate that a client saw"
if strace -f -o /dev/null true 2>/dev/null; then
	check 0 "workload: under a tracer" strace -f -o /dev/null scripts/workload shell 5
	grep -q ', CPU - s$' "$tmp/err"
	ok $? "workload: its time is not the program's"
fi
check 2 "workload: no units" scripts/workload shell 0
check 2 "workload: too many" scripts/workload shell 9999999999999
check 2 "workload: no folder" scripts/workload -w "$tmp/nowhere" shell 5
says "there is no such folder" "workload: it is named"
check 2 "workload: unknown application" scripts/workload shells 5
check 2 "workload: a path as application" scripts/workload ../validate 5
mkdir "$tmp/yours"
echo 'needs=no-such-program:its-package; work() { :; }' >"$tmp/yours/needy"
echo 'work() { echo "did $n" >&2; }' >"$tmp/yours/shell"
check 3 "workload: a program is missing" scripts/workload -w "$tmp/yours" needy 5
says "needy needs no-such-program: install the package its-package" "says what to install"
check 0 "workload: yours instead of ours" scripts/workload -w "$tmp/yours" shell 5
says "did 5" "is run"

# An empty name would stand for the folder of all platforms.
check 2 "reference: a platform without a name" scripts/reference "" hbench /work quick -- env
check 2 "reference: a name that is a path" scripts/reference "a/b" hbench /work quick -- env

# ---- fleet: every host is measured; one that fails is tried again, and named if it always does ----

mkdir -p "$tmp/a fleet/scripts"
cp scripts/fleet "$tmp/a fleet/scripts"
cat >"$tmp/a fleet/scripts/reference" <<'X'
#!/bin/sh
echo "$*" >>"$CALLS"
[ "$1" != hangs ] || exec sleep 100
[ "$1" != killed ] || kill -9 $$
[ "$1" != always ] && { [ "$1" != once ] || [ "$(grep -c '^once ' "$CALLS")" -gt 1 ]; }
X
chmod +x "$tmp/a fleet/scripts/reference"
export CALLS="$tmp/tries"
fleet="$tmp/a fleet/scripts/fleet"
if parallel --version 2>/dev/null | grep -q '^GNU'; then
	check 0 "fleet" "$fleet" -l "$tmp/log" -j 2 -r 'env at={} sh' '/a b/hbench' /work quick --budget=9s -- well once
	is "$(sort "$CALLS" | tr '\n' ';')" "once /a b/hbench /work quick -q --budget=9s -- env at=once sh;once /a b/hbench /work quick -q --budget=9s -- env at=once sh;well /a b/hbench /work quick -q --budget=9s -- env at=well sh;" \
		"fleet: a host that failed once was measured again, with the arguments of scripts/reference"
	check 2 "fleet: no tries" "$fleet" -l "$tmp/log" -t 0 hbench /work quick -- well
	check 2 "fleet: a host twice" "$fleet" -l "$tmp/log" hbench /work quick -- well once well
	check 1 "fleet: a host always fails" "$fleet" -l "$tmp/log" -t 2 hbench /work quick -- 'well there' always
	says "fleet: always was not measured" "fleet names it"
	lacks "well was not" "and no other"
	is "$(grep -c '^always ' "$CALLS")" "2" "fleet: as many tries as were asked for"
	check 1 "fleet: a host that hangs" "$fleet" -l "$tmp/log" -t 1 -T 2 hbench /work quick -- hangs
	says "fleet: hangs was not measured" "fleet gives up on it"
	check 1 "fleet: a host whose runner is killed" "$fleet" -l "$tmp/log" -t 1 hbench /work quick -- killed
	says "fleet: killed was not measured" "fleet names it"
	check 1 "fleet: a log that cannot be" "$fleet" -l "$tmp/none/log" hbench /work quick -- well
	mkdir "$tmp/few"
	for program in sh sed dirname grep sort uniq; do ln -s "$(command -v $program)" "$tmp/few"; done
	PATH=$tmp/few check 3 "fleet without GNU parallel" "$fleet" hbench /work quick -- well
	says "GNU parallel is missing" "fleet says what is missing"
else
	skip "GNU parallel is missing"
fi
for script in demo fleet reference turns workload; do
	for option in -h --help; do
		check 0 "$script $option" "scripts/$script" $option
		says "$script" "says what it does"
	done
done
check 2 "demo of something" scripts/demo strange
check 2 "fleet without hosts" "$fleet" hbench /work quick --
check 2 "fleet without a suite" "$fleet" hbench /work -- host

# ---- turns: a slice of each platform, until all are measured; then their vectors are fetched ----

mkdir -p "$tmp/turns/scripts" "$tmp/turns/work"
cp scripts/turns scripts/reference "$tmp/turns/scripts"
cat >"$tmp/turns/hbench" <<'X'
#!/bin/sh
for word; do
	[ "$last" != -o ] || out=$word
	[ "$last" != -m ] || name=$word
	last=$word
done
echo "${out##*.} $*" | sed "s|$out|OUT|g" >>"$CALLS"
mkdir -p "$out/run/1"
[ "$name" = stuck ] || echo '{}' >>"$out/run/1/runs.jsonl"
echo "$name" >>"$out/run/meta.json"
echo '{}' >"$out/run/osvec.json"
[ "$name" != broken ] || exit 1
[ "$(wc -l <"$out/run/meta.json")" -ge "$(cat "$out/wanted" 2>/dev/null || echo 3)" ] || exit 130
X
chmod +x "$tmp/turns/hbench"
: >"$CALLS"
# runs OPTIONS: where turns keeps the runs of that suite and these options.
runs() { echo "$tmp/turns/work/osvec-turns.$(echo "$tmp/turns/hbench quick $1" | cksum | cut -d' ' -f1)"; }
mkdir "$(runs --seed=7).b"
echo 2 >"$(runs --seed=7).b/wanted"
check 0 "turns" "$tmp/turns/scripts/turns" -t 5 -o --seed=7 "$tmp/turns/hbench" "$tmp/turns/work" quick a=env b='env X=1'
is "$(cut -d' ' -f1 "$CALLS" | tr -d '\n')" ababa "turns: each in turn, until it is done"
is "$(sed -n 1p "$CALLS")" "a run -q -S quick -m a -D $tmp/turns/work --seed=7 -o OUT" "turns: the first slice begins the run"
is "$(sed -n 3p "$CALLS")" "a run -q --resume -o OUT" "turns: others go on"
is "$(cat "$tmp/turns/results/reference/a/osvec.json") $(wc -l <"$tmp/turns/results/reference/a/meta.json" | tr -d ' ')" "{} 3" \
	"turns: the vector is where scripts/reference leaves it"
[ -s "$tmp/turns/results/reference/b/osvec.json" ] && [ -z "$(ls "$tmp/turns/work")" ]
ok $? "turns: that of the other too, and nothing is left there"
mkdir "$tmp/turns/results/reference/a.new"
check 0 "turns: again" "$tmp/turns/scripts/turns" -t 5 "$tmp/turns/hbench" "$tmp/turns/work" quick a=env b=env
[ -d "$tmp/turns/results/reference/a.new" ]; ok $? "reference: a platform with a name like another's stays"
: >"$CALLS"
for i in 1 2; do
	check 1 "reference: try $i fails" "$tmp/turns/scripts/reference" f "$tmp/turns/hbench" "$tmp/turns/work" my/quick --seed=7 -- env
	says "goes on with what it measured, if anything, in $tmp/turns/work/osvec-reference.f." "reference: nothing is lost"
done
check 0 "reference: the third does not" "$tmp/turns/scripts/reference" f "$tmp/turns/hbench" "$tmp/turns/work" my/quick --seed=7 -- env
is "$(cut -d' ' -f2- "$CALLS" | tr '\n' ' ')" "run -S my/quick -m f -D $tmp/turns/work --seed=7 -o OUT run --resume -o OUT run --resume -o OUT " \
	"reference: each goes on where the one before stopped"
[ -s "$tmp/turns/results/reference/f/osvec.json" ] && [ -z "$(ls "$tmp/turns/work")" ]
ok $? "reference: the vector is kept, and nothing left there"
check 1 "reference: a run that fails" "$tmp/turns/scripts/reference" g "$tmp/turns/hbench" "$tmp/turns/work" quick -- env
: >"$(echo "$tmp/turns/work"/osvec-reference.g.*)/run/1/runs.jsonl"
check 1 "reference: after one that measured nothing" "$tmp/turns/scripts/reference" g "$tmp/turns/hbench" "$tmp/turns/work" quick -- env
is "$(tail -1 "$CALLS" | cut -d' ' -f2-)" "run -S quick -m g -D $tmp/turns/work -o OUT" "reference: nothing is left to go on with"
check 1 "reference: with other options" "$tmp/turns/scripts/reference" g "$tmp/turns/hbench" "$tmp/turns/work" quick --seed=8 -- env
is "$(tail -1 "$CALLS" | cut -d' ' -f2-)" "run -S quick -m g -D $tmp/turns/work --seed=8 -o OUT" "reference: the run begins anew"
mkdir "$tmp/turns/ended"
echo '{}' >"$tmp/turns/ended/osvec.json"
echo '{ "status": "interrupted" }' >"$tmp/turns/ended/meta.json"
check 1 "reference: an interrupted run" "$tmp/turns/scripts/reference" g "$tmp/turns/ended" "$tmp/turns/work" quick --seed=8 -- env
says "$tmp/turns/ended holds a run that has not ended" "reference: is none"
echo '{ "status": "budget" }' >"$tmp/turns/ended/meta.json"
: >"$tmp/turns/ended/runs.jsonl"
left=$(find "$tmp/turns/work" | sort)
check 0 "reference: a run that has ended" "$tmp/turns/scripts/reference" g "$tmp/turns/ended" "$tmp/turns/work" quick --seed=8 -- env
is "$(find "$tmp/turns/work" | sort)" "$left" "reference: others stay where they are"
is "$(ls "$tmp/turns/results/reference/g" | xargs)" "meta.json osvec.json" "reference: the records of single processes are not kept"
cp -r "$tmp/turns/ended" "$tmp/turns/second"
mv "$tmp/turns/second" "$tmp/turns/ended"
check 1 "reference: two runs" "$tmp/turns/scripts/reference" g "$tmp/turns/ended" "$tmp/turns/work" quick -- env
says "has not one osvec.json but" "reference: are not one"
rm -r "$tmp/turns/ended/second"
: >"$tmp/turns/ended/osvec.json"
check 1 "reference: an empty vector" "$tmp/turns/scripts/reference" g "$tmp/turns/ended" "$tmp/turns/work" quick -- env
[ -s "$tmp/turns/results/reference/g/osvec.json" ]; ok $? "reference: leaves that from before"
check 2 "reference: no directory to work in" "$tmp/turns/scripts/reference" g "$tmp/turns/hbench" "" quick -- env
rm -r "$tmp/turns/work"/osvec-reference.g.* "$tmp/turns/results/reference/g"
check 2 "turns: of one" "$tmp/turns/scripts/turns" "$tmp/turns/hbench" "$tmp/turns/work" quick a=env
says "turns: one platform takes no turns" "turns: why not"
check 2 "turns: one twice" "$tmp/turns/scripts/turns" "$tmp/turns/hbench" "$tmp/turns/work" quick a=env a=env
says "turns: a is given twice" "turns: it is named"
check 2 "turns: no seconds" "$tmp/turns/scripts/turns" -t abc "$tmp/turns/hbench" "$tmp/turns/work" quick a=env b=env
says "turns: -t abc: not a number" "turns: as is this"
check 1 "turns: a platform cannot be measured" "$tmp/turns/scripts/turns" "$tmp/turns/hbench" "$tmp/turns/work" quick a=env broken=env
says "turns: broken: hbench or its runner failed: exit status 1" "turns: it is named"
check 1 "turns: slices that are too short" "$tmp/turns/scripts/turns" -t 5 "$tmp/turns/hbench" "$tmp/turns/work" slow a=env stuck=env
says "turns: stuck: nothing was measured in 5 seconds: choose longer slices by -t" "turns: they end"
mkdir -p "$(runs).c/run"
echo '{}' | tee "$(runs).c/run/meta.json" >"$(runs).c/run/osvec.json"
: >"$(runs).c/ended"
: >"$CALLS"
check 0 "turns: after a call that was interrupted" "$tmp/turns/scripts/turns" "$tmp/turns/hbench" "$tmp/turns/work" quick c=env d=env
is "$(cut -d' ' -f1 "$CALLS" | tr -d '\n')" ddd "turns: what is done is not done again"
[ -s "$tmp/turns/results/reference/c/osvec.json" ]; ok $? "turns: but kept"
cat >"$tmp/turns/forgetful" <<'X'
#!/bin/sh
rm -rf "$FORGOTTEN"
exec "$@"
X
chmod +x "$tmp/turns/forgetful"
FORGOTTEN=$(runs).e
export FORGOTTEN
rm -rf "$tmp/turns/results/reference/d"
PATH=$tmp/turns:$PATH check 1 "turns: no directory that lasts" timeout 60 "$tmp/turns/scripts/turns" "$tmp/turns/hbench" "$tmp/turns/work" quick d=env e=forgetful
says "turns: e: $FORGOTTEN, which an earlier turn wrote, is gone" "turns: it is named"
[ -s "$tmp/turns/results/reference/d/osvec.json" ] && [ ! -e "$tmp/turns/results/reference/e" ]; ok $? "turns: the other one is measured"
check 2 "turns: one platform" scripts/turns hbench /work quick a=env
check 2 "turns: no slice" scripts/turns -t 0 hbench /work quick a=env b=env
check 2 "turns: no runner" scripts/turns hbench /work quick a=env b

# ---- remote: arguments arrive unchanged ----

cat >"$tmp/ssh" <<'X'
#!/bin/sh
[ "$1" = host ] || exit 99
shift
exec sh -c "$*"
X
chmod +x "$tmp/ssh"
export SSH="$tmp/ssh"
check 7 "remote: the status" scripts/remote host sh -c 'echo failed >&2; exit 7'
# shellcheck disable=SC2016
check 0 "remote" scripts/remote host printf '<%s>\n' "it's" '$HOME `id`' 'a  "b" \' '' '*'
# shellcheck disable=SC2016
printf '<%s>\n' "it's" '$HOME `id`' 'a  "b" \' '' '*' | cmp -s - "$tmp/out"
ok $? "remote: the arguments"
done_testing
