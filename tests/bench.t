#!/bin/sh
# SPDX-License-Identifier: MIT
# What every benchmark program promises: exit statuses and messages.  tests/programs.c reads the JSON.
bin=${O:-build}/bench
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

# check STATUS WHAT COMMAND...: the command ends with STATUS; bad usage is told on stderr alone.
check() {
	want=$1 what=$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err"
	got=$?
	n=$((n + 1))
	if [ $got -ne "$want" ]; then
		echo "not ok $n - $what"
		echo "#   status $got, want $want: $(head -1 "$tmp/err")"
	elif [ "$want" -eq 2 ] && { [ -s "$tmp/out" ] || [ ! -s "$tmp/err" ]; }; then
		echo "not ok $n - $what: no message, or not on stderr"
	else
		echo "ok $n - $what"
	fi
}

full() {
	"$@" >/dev/full
}

for program in "$bin"/*; do
	case $program in *.o | *.d) continue ;; esac
	[ -x "$program" ] && [ -f "$program" ] || continue
	name=${program##*/}
	check 0 "$name -h" "$program" -h
	grep -q '^usage: ' "$tmp/out" || echo "# $name -h shows no usage"
	check 0 "$name -L" "$program" -L
	check 1 "$name -L on a full disk" full "$program" -L
	check 2 "$name: unknown option" "$program" -Z
	check 2 "$name: bad duration" "$program" -T 1x
	check 2 "$name: bad count" "$program" -B 0
	check 2 "$name: unknown word" "$program" no-such-word
done
echo "1..$n"
