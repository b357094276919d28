#!/bin/sh
# SPDX-License-Identifier: MIT
# 'ktranal doctor': which backend records, and why no better one, is what 'ktranal record' does.
. "$(dirname "$0")/tap.sh"
ktranal=$build/bin/ktranal

if ! "$ktranal" record -b ptrace -q -o /dev/null -- true 2>"$tmp/err"; then
	echo "1..0 # SKIP $(head -1 "$tmp/err")"
	exit 0
fi

# The one that is chosen is the one that doctor names.
"$ktranal" doctor >"$tmp/out" 2>"$tmp/err"
is "$? $(wc -c <"$tmp/err") $(awk '$3 ~ /^(yes|no)$/ { print $1 }' "$tmp/out" | xargs)" "0 0 bpf perf ptrace" \
	"doctor shows all backends, the best first"
used=$(awk '$3 == "yes" && $2 == "yes" { print $1 }' "$tmp/out")
"$ktranal" record -o "$tmp/a.ktr" -- true 2>"$tmp/err"
is "$(grep -c "recorded by $used" "$tmp/err")" 1 "and which of them record uses: $used"
for backend in $(awk '$2 == "no" && $3 == "no" { print $1 }' "$tmp/out"); do
	"$ktranal" record -b "$backend" -o "$tmp/none.ktr" -- true 2>"$tmp/err"
	reason=$(sed 's/^ktranal: //' "$tmp/err")
	"$ktranal" doctor --json | grep -qF "$reason"
	ok $? "doctor has the reason that record gives: $reason"
done
"$ktranal" doctor --json | grep -q '"backend": *"ptrace", *"works": *"yes"'
ok $? "doctor --json"

# A better one is passed over that cannot be probed, or started, in an environment that sh(1) makes.
passes_over() { # passes_over WHAT REASON COMMAND...
	what=$1 reason=$2
	shift 2
	if ! "$@" "$ktranal" record -b ptrace -q -o /dev/null -- true 2>"$tmp/err" ||
		"$@" "$ktranal" record -b bpf -q -o /dev/null -- true 2>"$tmp/err"; then
		skip "$what: cannot be had: $(head -1 "$tmp/err")"
		return 1
	fi
	is "$(wc -l <"$tmp/err") $(grep -c "$reason" "$tmp/err")" "1 1" "$what: no BPF: $(cat "$tmp/err")"
	"$@" "$ktranal" record -o "$tmp/a.ktr" -- true 2>"$tmp/err"
	is "$? $(grep -c "recorded by perf ($reason\|recorded by ptrace ($reason" "$tmp/err") $("$ktranal" dump "$tmp/a.ktr" | grep -c exit_group)" "0 1 1" \
		"$what: another one records, and it is said why"
	"$@" "$ktranal" doctor >"$tmp/out"
	is "$(awk '$1 == "bpf" { print $2, $3 }' "$tmp/out") $(grep -c "^$reason" "$tmp/out")" "no no 1" "$what: doctor says so, too"
}
if [ "$used" != bpf ]; then
	skip "BPF does not work here"
else
	# shellcheck disable=SC2016
	passes_over "no BTF" "BPF: the kernel has no type information" \
		unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh
	# shellcheck disable=SC2016
	if passes_over "no room for the rings" "BPF: no memory for the rings: Cannot allocate memory (ulimit -v)" \
		sh -c 'ulimit -v 60000 && exec "$@"' sh; then
		(ulimit -v 60000 && "$ktranal" time -o "$tmp/a.time" -- true) 2>"$tmp/err"
		is "$? $(grep -c ' 1 process, 1 thread$' "$tmp/err")" "0 1" "no room for the rings: time measures in another way"
	fi
fi

# An ordinary user who may lock no memory has what the kernel grants all users for events, and one recorder can use that up.
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
cp "$ktranal" "$tmp/ktranal" && chmod 755 "$tmp" "$tmp/ktranal"
# shellcheck disable=SC2016
locked='ulimit -l 0 && exec "$@"'
if [ "$(id -u)" != 0 ] || ! $nobody sh -c "$locked" sh "$tmp/ktranal" record -b perf -q -o /dev/null -- true 2>"$tmp/err"; then
	skip "not root, or no perf for an ordinary user without locked memory: $(head -1 "$tmp/err")"
else
	$nobody sleep 60 &
	pid=$!
	$nobody sh -c "$locked" sh "$tmp/ktranal" record -b perf -o /dev/null -p $pid 2>"$tmp/begun" &
	first=$!
	until_ok grep -q 'recording process' "$tmp/begun"
	if $nobody sh -c "$locked" sh "$tmp/ktranal" record -b perf -q -o /dev/null -- true 2>"$tmp/err"; then
		skip "there is enough for two"
	else
		is "$(wc -l <"$tmp/err") $(grep -c 'perf: no memory for the rings: .* (ulimit -l, kernel.perf_event_mlock_kb)$' "$tmp/err")" "1 1" \
			"no locked memory is left: $(cat "$tmp/err")"
		$nobody sh -c "$locked" sh "$tmp/ktranal" record -o /dev/null -- true 2>"$tmp/err"
		is "$? $(grep -c 'recorded by ptrace' "$tmp/err")" "0 1" "no locked memory is left: another one records"
	fi
	kill -INT $first
	wait $first
	kill $pid
	wait $pid 2>/dev/null
fi
done_testing
