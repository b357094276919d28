#!/bin/sh
# SPDX-License-Identifier: MIT
# The documents name files that exist, show the code that is built, and have every option; the faults of
# tests/mutants can be put where its table says.
. "$(dirname "$0")/tap.sh"

for page in README.md CONTRIBUTING.md results/README.md docs/VALIDATION.md docs/PREDICTIONS.md docs/MEASUREMENTS.md; do
	grep -o '`[a-z.]*/[a-z_./-]*`' $page | tr -d '`' | while read -r path; do
		[ -e "$path" ] || [ -e "${page%/*}/$path" ] || echo "$path"
	done >"$tmp/out"
	[ ! -s "$tmp/out" ]
	ok $? "$page: every path in it exists"
done
! grep -n 'Fl Fl Ar' docs/*.1
ok $? "the manual pages show no operand as if it were an option"
for program in hbench ktranal osvec-predict ccmod critpath cea cpistack; do
	for command in $("$build/bin/$program" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
		"$build/bin/$program" "$command" --help | grep -o ' --[a-z][a-z-]*' | sort -u |
			while read -r option; do
				grep -q -e "-${option#--}\b" docs/$program.1 || [ "$option" = --help ] || echo "$option"
			done >"$tmp/out"
		[ ! -s "$tmp/out" ]
		ok $? "$program $command: the manual page has every option"
		! "$build/bin/$program" "$command" --help | grep -E '^.{101}' >"$tmp/out"
		ok $? "$program $command --help fits 100 columns"
	done
done
for page in bench/*.c; do
	program=${page#bench/}
	"$build/bench/${program%.c}" -h
done >"$tmp/help"
! grep -E '^.{101}' "$tmp/help"
ok $? "benchmarks: -h fits 100 columns"
[ "$("$build/bench/lat_ctx" -h | grep -c '^  [A-Z][A-Z]* * [a-z]')" = 3 ]
ok $? "each parameter begins a line"
find bench driver lib predict tests -name '*.h' | while read -r header; do
	guard=$(echo "$header" | sed 's|.*/\([^/]*/\)|\1|' | tr 'a-z/.-' 'A-Z___')
	grep -qx "#ifndef $guard" "$header" && grep -qx "#define $guard" "$header" || echo "$header lacks $guard"
	echo "$guard" >>"$tmp/guards"
done >"$tmp/out"
! sort "$tmp/guards" | uniq -d | cat - "$tmp/out" | grep .
ok $? "each header has a guard of its own, FOLDER_FILE_H"
tests/mutants -n
ok $? "every row of tests/data/mutants.tsv has its text once in its file"
done_testing
