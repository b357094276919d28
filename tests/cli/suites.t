#!/bin/sh
# SPDX-License-Identifier: MIT
# The suites that come with hbench: programs know their entries, and predictions find theirs.
. "$(dirname "$0")/tap.sh"
hbench=$build/bin/hbench
cd "$tmp" || exit 1
export OSVEC_LOCK=$tmp/lock

for s in quick default full thesis remote; do
	"$hbench" list -S $s --csv >$s.csv
	ok $? "$s can be read"
	sed '1d; s/,.*//' $s.csv | sort >$s
done
[ "$(comm -23 quick default | wc -l)" = 0 ]
ok $? "default has all of quick"
[ "$(comm -23 default full | wc -l)" = 0 ]
ok $? "full has all of default"
for range in "default 200 290" "full 500 720"; do
	set -- $range
	entries=$(wc -l <"$1")
	[ "$entries" -ge "$2" ] && [ "$entries" -le "$3" ]
	ok $? "$1 has $2 to $3 entries, $entries now"
done

# On one CPU, what needs a peer on another one is measured on the same, and nothing is lost.
one=$(taskset -pc $$ 2>/dev/null | sed 's/.*: //; s/[-,].*//')
if [ -n "$one" ]; then
	taskset -c "$one" "$hbench" list -S quick --csv >one.csv
	ok $? "quick can be read on one CPU"
	sed '1d; s/,.*//' one.csv >one
	grep -c '^lat_recv_tcp_4k@same$' one >out; grep -c '^lat_recv_tcp_4k$' one >>out; grep -c '^lat_pagefault_anon$' one >>out
	is "$(tr '\n' ' ' <out)" "1 0 1 " "entries with a peer elsewhere, and only those, are @same"
	is "$(sed 's/@same//' one | sort -u | comm -3 - quick | sed 's/.*@same$//' | sort -u)" "" "no other entry differs"
	is "$(sort one | uniq -d)" "" "those that are @same anyway are measured once"
	"$hbench" run -q -o one-cpu -D . --cpu "$one" 'set processes 2' 'lat_recv unix 1' >out 2>err
	is $? 0 "they are measured"
	is "$(find one-cpu -name 'lat_recv_unix_1@same' | wc -l)" 1 "under this name"
else
	skip "no taskset"
fi

# The last column of a table.
groups() {
	sed '1d; s/.*,\("[^"]*"\)$/\1/; t
		s/.*,//' | sort -u
}
"$hbench" list --csv >programs.csv
groups <programs.csv >groups
groups <quick.csv >reached
[ -s groups ] && [ "$(comm -23 groups reached | tee missing | wc -l)" = 0 ]
ok $? "quick has an entry of every group"
sed 's/^/# missing: /' missing

# A primitive is a program with each of its words: "kind tcp|unix".
awk -F, 'NR > 1 {
	n = split($2, parameter, "; ")
	print $1, ""
	for (i = 1; i <= n; i++)
		if (split(parameter[i], word, " ") == 2 && word[2] ~ /[|]/) {
			m = split(word[2], value, "|")
			for (j = 1; j <= m; j++) print $1, value[j]
		}
}' programs.csv >primitives
[ "$(wc -l <primitives)" -ge 150 ]
ok $? "there are at least 150 primitives"
awk 'NR == FNR { entries[$0]; next }
	{ for (entry in entries) if (entry ~ "^" $1 "(_.*)?" ($2 == "" ? "" : "_" $2) "([_@x].*)?$") next
	  print }' full primitives >others
while read -r program word; do
	"$build/bench/$program" -L | grep -q "\"fallback\": \"$word\",.*\"silent\": true" || # not in names
		echo "# missing: $program $word"
done <others >missing
[ ! -s missing ]
ok $? "full has every primitive"
cat missing

# The entries that basis.conf prices calls with; a curve needs two points.
awk '{ sub(/#.*/, "") }
	/^@/ { for (i = 2; i <= NF; i++) print $i; next }
	{ on = 0
	  for (i = 1; i <= NF; i++)
		if ($i == "->") on = 1
		else if (on && $i ~ /^[a-z]+_[a-z]/) print $i }' "$source/conf/basis.conf" | sort -u >basis
[ -s basis ]
ok $? "basis.conf names entries"
awk '/^@fault/ { print $1, $2 }' "$source/conf/basis.conf" >one
printf '%s\n' '@fault lat_pagefault_anon' '@fault.read lat_pagefault_around' '@fault.execute lat_pagefault_around' \
	'@fault.copy lat_pagefault_file-private' | cmp -s - one
ok $? "basis.conf prices page faults by kind"
for s in quick default full; do
	awk 'NR == FNR { entries[$0]; next }
		{ wanted = $0; least = sub(/[*]/, "[0-9]*[kmg]*", wanted) + 1; n = 0
		  for (entry in entries) n += entry ~ "^" wanted "$"
		  if (n < least) print "# missing: " $0 }' $s basis >missing
	[ ! -s missing ]
	ok $? "$s has what basis.conf needs" || cat missing
done

# One short process of every entry: what a program does not know by this name is a mistake here.  Of a size that varies there
# are the small ones alone, since a virtual machine may take a minute for the page faults of the largest, and memory itself
# is read by one entry: with more bytes a program does the same for longer.
sed '/^set /d; 1i set processes 1\nset batches 1\nset batch 1us
	s/@after=64k,.*,@after=32m/@after=1m/
	s/,16m,.*64m//; s/,64m\>//; s/,512m//; s/ 1g / 2m /; s/ 64m / 3m /; s/1000,100000/1000/
	/^bw_file \|l1,/!s/\<ram\>/llc/; s/llc,llc/llc/' "$source/conf/full.suite" >short.suite
"$hbench" run -q -S ./short.suite -o results -m box >out 2>err
ok $? "every entry of full runs or says why not"
grep -e 'in the suite' -e 'exit status 2' -e 'No such file' results/box/*/skipped | sed 's/^/# /'
! grep -q -e 'in the suite' -e 'exit status 2' -e 'No such file' results/box/*/skipped
ok $? "and its program calls it the same"

done_testing
