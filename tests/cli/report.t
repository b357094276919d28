#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of osvec-predict report: what it holds, and in a browser that it sorts, filters and splits.
. "$(dirname "$0")/tap.sh"
predict=$build/bin/osvec-predict
data=$PWD/tests/data/predict
app=$data/app.json page=$tmp/rank.html
sed 's,"slow","</script><!-- <script><b>slow",' "$data/slow.json" >"$tmp/slow.json"

check 0 "report" "$predict" report -l 0 --model-error 0.15 -o "$page" -a "$app" "$tmp/slow.json" "$data/fast.json"
is "$(wc -c <"$tmp/out")" 0 "prints nothing"
is "$(grep -c '</script>' "$page")" 3 "a name cannot end the script"
grep -q '"name":"fast","kind":"reference","base":true,"low":1,"high":1,"seconds":0.00455,' "$page"; ok $? "the fastest is the base, with its time"
grep -q '"ratio":3.362637' "$page"; ok $? "the other has its ratio"
grep -q 'http[s]*://' "$page" && ! grep -o 'http[s]*://[^ ";'"'"']*' "$page" | grep -vq w3.org/2000/svg; ok $? "it needs no network"
! grep -q '"doubt":[1-9]' "$page"; ok $? "neither is marked"
check 0 "with a model that errs" "$predict" report -l 0 --model-error 0.2 -o "$page.2" -a "$app" "$tmp/slow.json" "$data/fast.json"
# exp(t sqrt(2) 0.2), with Student's t for 0.95 and, in model.conf, 9 degrees of freedom: 1.68.
grep -q '"doubt":1\.[67]' "$page.2"; ok $? "machines that it serves badly are marked"
check 0 "against another" "$predict" report -o "$page.2" -a "$app" --against fast "$data/slow.json" "$data/fast.json"
check 0 "on standard output" "$predict" report -o - -a "$app" --against fast "$data/slow.json" "$data/fast.json"
cmp -s "$tmp/out" "$page.2"; ok $? "it is the same page"
check 2 "without a file" "$predict" report -a "$app" "$data/fast.json"
says "give -o FILE" "says which option"
cp "$app" "$tmp/own.json"
check 2 "over the application" "$predict" report -o "$tmp/own.json" -a "$tmp/own.json" "$data/fast.json"
check 2 "over a vector" "$predict" report -o "$tmp/slow.json" -a "$app" "$data/fast.json" "$tmp/slow.json"
cp "$data/fast.json" "$tmp/fast.json"
check 2 "over the reference" "$predict" report -o "$tmp/fast.json" -a "$app" --reference "$tmp/fast.json" "$tmp/slow.json"
cmp -s "$app" "$tmp/own.json" && cmp -s "$data/fast.json" "$tmp/fast.json" && grep -q osvec/1 "$tmp/slow.json"
ok $? "what the page is made from stays"
check 2 "as JSON" "$predict" report --json -o "$page.2" -a "$app" "$data/fast.json"
check 1 "a directory that is not there" "$predict" report -o "$tmp/none/rank.html" -a "$app" "$data/fast.json"
mkdir -p "$tmp/share/conf"
OSVEC_SHARE=$tmp/share check 1 "an installation without the page" "$predict" report -o "$page.2" -a "$app" "$data/fast.json"
says "report.html" "names it"

# What a reader would click, and what is to be seen then.
browse "$page" <<'E2' || { done_testing; exit; }
const names = () => [...get('machines').tBodies[0].rows].map(r => r.cells[0].textContent).join();
said.push(names());
get('machines').tHead.rows[0].cells[2].firstChild.click();
said.push(names());
get('filter').value = 'FAS'; get('filter').oninput();
said.push(names());
get('a').value = 1; get('b').value = 0; get('a').onchange();
said.push(get('waterfall').querySelector('tbody').rows[0].textContent, get('parts').querySelectorAll('.bar').length);
E2
case $said in "fast,</script><!-- <script><b>slow;"*) true ;; *) false ;; esac; ok $? "names are text, the fastest is first"
case $said in *";</script><!-- <script><b>slow,fast;"*) true ;; *) false ;; esac; ok $? "a click turns the order around"
case $said in *";fast;"*) true ;; *) false ;; esac; ok $? "the filter leaves what it finds"
case $said in *";lat_read9.00 ms1.00 ms74.4 %"*";1") true ;; *) false ;; esac; ok $? "the difference, and the parts of what the filter left: $said"
done_testing
