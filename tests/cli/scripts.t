#!/bin/sh
# SPDX-License-Identifier: MIT
# What scripts/workload, scripts/truth and scripts/remote promise; applications that are missing are skipped.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR="$tmp"
n=0

result() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		sed 's/^/#   /' "$tmp/out" "$tmp/err"
	fi
}
skip() { n=$((n + 1)); echo "ok $n # SKIP $1"; }
# check STATUS WHAT COMMAND...: ends with STATUS.
check() {
	want=$1 what=$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ $got -eq "$want" ] || echo "#   status $got"
	[ $got -eq "$want" ]
	result $? "$what"
}

# ---- workload: one line says what the load took, and nothing is left behind ----

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
	result $? "workload $app: what it took"
done
[ -z "$(find "$tmp" -name 'osvec-*')" ]
result $? "workload leaves nothing behind"
check 2 "workload of nothing" scripts/workload shell 0
check 2 "workload: unknown" scripts/workload shells 5

# ---- truth: the format, one value a run; exact ones for a workload that takes what we say ----

mkdir "$tmp/scripts"
cp scripts/truth "$tmp/scripts"
cat >"$tmp/scripts/workload" <<'X'
[ "$1" != broken ] || { echo "cannot" >&2; exit 3; }
echo "$1 $2" >>"$CALLS"
awk -v n="$2" 'BEGIN { printf "workload: %d units in %.6g s, CPU %s s\n", n, n * 0.004, n < 100 ? "-" : n * 0.002 }' >&2
X
export CALLS="$tmp/calls"
# rows TEXT WHAT: what came out, in the escapes of printf.
rows() { printf '%b\n' "$1" | cmp -s - "$tmp/out"; result $? "$2"; }
check 0 "truth" "$tmp/scripts/truth" box -r 3 -a shell -a files -- env
rows 'files\tbox\tcpu\t0.002\t0.002\t0.002\nfiles\tbox\twall\t0.004\t0.004\t0.004\nshell\tbox\tcpu\t0.002\t0.002\t0.002\nshell\tbox\twall\t0.004\t0.004\t0.004' \
	"truth: seconds a unit, cpu and wall"
awk '$1 == "files" && $2 != 2000 { bad = 1 }
     $1 == "shell" { runs[$2]++ }
     END { exit bad || runs[750] != 3 }' "$CALLS"
result $? "truth: files are always 2000; the others run for 1.5 s"
check 0 "truth --no-cpu" "$tmp/scripts/truth" box --no-cpu -r 1 -a files -- env
rows 'files\tbox\twall\t0.004' "truth --no-cpu: wall alone"
check 1 "truth of a broken application" "$tmp/scripts/truth" box -r 1 -a broken -a files -- env
rows 'files\tbox\tcpu\t0.002\nfiles\tbox\twall\t0.004' "truth: the others are there"
grep -q 'broken: cannot' "$tmp/err" && grep -q 'broken: left out' "$tmp/err"
result $? "truth: says what is not"
check 1 "truth by a runner that fails" "$tmp/scripts/truth" box -r 1 -a files -- false
check 2 "truth without a runner" "$tmp/scripts/truth" box -r 1
check 2 "truth: no runs" "$tmp/scripts/truth" box -r 0 -- env
check 0 "truth in a directory" "$tmp/scripts/truth" box -r 1 -n 0.001 -a files -D "$tmp" -- env
check 1 "truth in none" "$tmp/scripts/truth" box -r 1 -a files -D "$tmp/none" -- env

# ---- remote: the arguments arrive as they are ----

cat >"$tmp/ssh" <<'X'
#!/bin/sh
[ "$1" = host ] || exit 99
shift
exec sh -c "$*"
X
chmod +x "$tmp/ssh"
SSH="$tmp/ssh" check 7 "remote: the status" scripts/remote host sh -c 'exit 7'
# shellcheck disable=SC2016
SSH="$tmp/ssh" scripts/remote host printf '<%s>\n' "it's" '$HOME `id`' 'a  "b" \' '' '*' >"$tmp/out" 2>"$tmp/err"
# shellcheck disable=SC2016
printf '<%s>\n' "it's" '$HOME `id`' 'a  "b" \' '' '*' | cmp -s - "$tmp/out"
result $? "remote: the arguments"
SSH="$tmp/ssh" check 0 "truth by ssh" "$tmp/scripts/truth" box -r 1 -a files -- scripts/remote host
rows 'files\tbox\tcpu\t0.002\nfiles\tbox\twall\t0.004' "truth by ssh: the same"

echo "1..$n"
