#!/bin/sh
# SPDX-License-Identifier: MIT
# The vectors of Figure 12 of TR-03-97 give the predictions of its Table 4, in order.
#
# tests/data/thesis/ holds them when somebody has typed them in: app.json, the application, and one
# vector a machine; a file "two" with the paths of two single-CPU vectors adds the two-CPU machine.
predict=${O:-build}/bin/osvec-predict
data=tests/data/thesis
[ -f $data/app.json ] || { echo "1..0 # SKIP Figure 12 of TR-03-97 is not at hand"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

for file in $data/*.json; do [ $file = $data/app.json ] || cp $file "$tmp"; done
# shellcheck disable=SC2046
[ ! -f $data/two ] || "$predict" aggregate $(cat $data/two) -m two -o "$tmp/two.json" || exit 1
"$predict" rank -n --csv -a $data/app.json "$tmp"/*.json 2>/dev/null |
	awk -F, 'NR > 1 { print $3 * 1e3 }' >"$tmp/got"
n=0
for want in 9.33 10.14 16.26 21.43 31.88; do
	n=$((n + 1))
	got=$(sed -n ${n}p "$tmp/got")
	# The coefficients are printed with two or three digits.
	awk -v a="$got" -v b=$want 'BEGIN { d = a / b - 1; exit !(d < 0.01 && d > -0.01) }' || printf 'not '
	echo "ok $n - $want ms, predicted ${got:-nothing}"
done
echo "1..$n"
