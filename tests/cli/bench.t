#!/bin/sh
# SPDX-License-Identifier: MIT
# What every benchmark program promises: exit statuses and messages.  tests/unit/programs.c reads the JSON.
. "$(dirname "$0")/tap.sh"
bin=$build/bench

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

# The placement is in the name of the entry unless the program has it unasked.
entry() { sed -n 's/^{"entry": "\([^"]*\)".*/\1/p' "$tmp/out"; }
check 0 "connected ends are apart" "$bin/lat_send" -J -B 2 unix 1
is "$(entry)" lat_send_unix_1 "which is not in the name"
check 0 "unless they are asked to be together" "$bin/lat_send" -J -B 2 -P same unix 1
is "$(entry)" lat_send_unix_1@same "which is"
done_testing
