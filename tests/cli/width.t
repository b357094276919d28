#!/bin/sh
# SPDX-License-Identifier: MIT
# What is printed for people fits 100 columns, also when machines have long names that differ at their ends.
. "$(dirname "$0")/tap.sh"

# fits WHAT COMMAND...: prints something, and no line of more than 100 columns.
fits() {
	what=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err"
	# Paths are as long as they are.
	[ -s "$tmp/out" ] && ! grep -v '^[A-Z][0-9]*: ' "$tmp/out" | grep -E '^.{101}' >"$tmp/wide"
	ok $? "$what fits"
}

# The reference platforms, each twice, under names of 40 columns.
set --
for file in results/reference/*/osvec.json; do
	platform=${file%/osvec.json}
	platform=${platform##*/}
	for i in 1 2; do
		name=$(printf '%40s' "-$platform-$i" | tr ' ' n)
		mkdir "$tmp/$name"
		sed "s/\"machine\": \"$platform\"/\"machine\": \"$name\"/" "$file" >"$tmp/$name/osvec.json"
		set -- "$@" "$tmp/$name"
	done
done
app=results/applications/redis-set.json

fits rank "$build/bin/osvec-predict" rank --samples 200 -a $app "$@"
[ "$(awk '$2 ~ /^nn.*[.][.].*-[12]$/ { print $2 }' "$tmp/out" | sort -u | wc -l)" -eq $# ]
ok $? "rank: all $# machines are distinguished"
fits explain "$build/bin/osvec-predict" explain -a $app "$1" "$3"
fits whatif "$build/bin/osvec-predict" whatif -a $app "$1"
fits "whatif --scale" "$build/bin/osvec-predict" whatif -a $app "$1" --scale 'lat_*=2'
fits compare "$build/bin/hbench" compare "$1" "$3"
fits "analyze one" "$build/bin/hbench" analyze "$1"
fits "analyze all" "$build/bin/hbench" analyze "$@"
for platform in results/reference/*; do
	fits "summary of ${platform##*/}" "$build/bin/hbench" summary "$platform"
done
fits list "$build/bin/hbench" list
fits "list -S full" "$build/bin/hbench" list -S full
fits check "$build/bin/hbench" check

done_testing
