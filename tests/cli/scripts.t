#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/workload, scripts/measured and scripts/remote; applications that are missing are skipped.
. "$(dirname "$0")/tap.sh"
export TMPDIR="$tmp"

# rows TEXT WHAT: what was printed, in the escapes of printf.
rows() {
	printf '%b\n' "$1" | cmp -s - "$tmp/out"
	ok $? "$2"
}

# ---- workload: one line says what the units took, and no file remains ----

took='^workload: 37 units in [0-9.e+-]* s, CPU \([0-9.e+-]*\|-\) s$'
for app in redis-set:redis-benchmark redis-get:redis-benchmark redis-getp:redis-benchmark nginx-keep:ab nginx-close:ab \
	   sqlite-bulk:sqlite3 sqlite-journal:sqlite3 sqlite-wal:sqlite3 shell:true files:tar; do
	if ! command -v "${app#*:}" >/dev/null; then
		skip "${app#*:} is missing"
		continue
	fi
	app=${app%:*}
	check 0 "workload $app" scripts/workload "$app" 37
	[ ! -s "$tmp/out" ] && [ "$(tail -1 "$tmp/err" | grep -c "$took")" = 1 ]
	ok $? "workload $app: the line about 37 units"
done
is "$(find "$tmp" -name 'osvec-*')" "" "workload leaves no file behind"
check 2 "workload: no units" scripts/workload shell 0
check 2 "workload: unknown application" scripts/workload shells 5

# ---- fleet: every host is measured; one that fails is tried again, and named if it always does ----

mkdir -p "$tmp/a fleet/scripts"
cp scripts/fleet "$tmp/a fleet/scripts"
cat >"$tmp/a fleet/scripts/reference" <<'X'
#!/bin/sh
echo "$*" >>"$CALLS"
[ "$1" != always ] && { [ "$1" != once ] || [ "$(grep -c '^once ' "$CALLS")" -gt 1 ]; }
X
chmod +x "$tmp/a fleet/scripts/reference"
export CALLS="$tmp/tries"
fleet="$tmp/a fleet/scripts/fleet"
if parallel --version 2>/dev/null | grep -q '^GNU'; then
	check 0 "fleet" "$fleet" -l "$tmp/log" -j 2 -r 'env at={} sh' '/a b/hbench' /work quick --budget=9s -- well once
	is "$(sort "$CALLS" | tr '\n' ';')" "once /a b/hbench /work quick --budget=9s -- env at=once sh;once /a b/hbench /work quick --budget=9s -- env at=once sh;well /a b/hbench /work quick --budget=9s -- env at=well sh;" \
		"fleet: a host that failed once was measured again, with the arguments of scripts/reference"
	check 1 "fleet: a host always fails" "$fleet" -l "$tmp/log" -t 2 hbench /work quick -- well always
	says "fleet: always was not measured" "fleet names it"
	lacks "well was not" "and no other"
	is "$(grep -c '^always ' "$CALLS")" "2" "fleet: as many tries as were asked for"
else
	skip "GNU parallel is missing"
fi
check 2 "fleet without hosts" "$fleet" hbench /work quick --
check 2 "fleet without a suite" "$fleet" hbench /work -- host

# ---- measured: the format, with an invented workload whose units take 4 ms, 2 of them on a CPU ----

mkdir "$tmp/scripts"
cp scripts/measured "$tmp/scripts"
cat >"$tmp/scripts/workload" <<'X'
[ "$1" != broken ] || { echo "cannot" >&2; exit 3; }
[ "$1" != silent ] || exit 0
echo "$1 $2" >>"$CALLS"
awk -v n="$2" 'BEGIN { printf "workload: %d units in %.6g s, CPU %s s\n", n, n * 0.004, n * 0.002 }' >&2
X
export CALLS="$tmp/calls"
measured=$tmp/scripts/measured

check 0 "measured" "$measured" box -r 3 -a shell -a files -- env
rows 'files\tbox\tcpu\t0.002\t0.002\t0.002\nfiles\tbox\twall\t0.004\t0.004\t0.004\nshell\tbox\tcpu\t0.002\t0.002\t0.002\nshell\tbox\twall\t0.004\t0.004\t0.004' \
	"measured: seconds a unit, cpu and wall"
is "$(sort "$CALLS" | uniq -c | xargs)" "3 files 2000 9 shell 300" "measured: runs are repeated up to 1.5 s of CPU time"
check 0 "measured --no-cpu" "$measured" box --no-cpu -r 1 -a files -- env
rows 'files\tbox\twall\t0.004' "measured --no-cpu: wall alone"
for app in broken silent; do
	"$measured" box -r 1 -a $app -a files -- env >"$tmp/out" 2>"$tmp/err"
	is $? 1 "measured, the application is $app: status 1"
	rows 'files\tbox\tcpu\t0.002\nfiles\tbox\twall\t0.004' "measured, the application is $app: the others are there"
	says "$app: left out" "measured, the application is $app: a message"
done
check 1 "measured by a runner that fails" "$measured" box -r 1 -a files -- false
check 2 "measured without a runner" "$measured" box -r 1
check 2 "measured: no runs" "$measured" box -r 0 -- env
check 0 "measured in a directory" "$measured" box -r 1 -n 0.001 -a files -D "$tmp" -- env
check 1 "measured in a directory that is missing" "$measured" box -r 1 -a files -D "$tmp/none" -- env

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
check 0 "measured by ssh" "$measured" box -r 1 -a files -- scripts/remote host
rows 'files\tbox\tcpu\t0.002\nfiles\tbox\twall\t0.004' "measured by ssh: the same"
done_testing
