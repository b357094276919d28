#!/bin/sh
# SPDX-License-Identifier: MIT
# hbench run --events: counts per operation, and what is said where nothing can be counted.
. "$(dirname "$0")/tap.sh"
hbench=$build/bin/hbench
export OSVEC_LOCK="$tmp/lock"
cd "$tmp" || exit 1
cat >./two.suite <<X
set processes 6 6
lat_pagefault anon
X

# run MACHINE EVENTS: measures on it.
run() {
	check 0 "measured with $2" "$hbench" run -q -S ./two.suite -m "$1" --events "$2"
}
run a PERF_COUNT_SW_PAGE_FAULTS
if said "not measured"; then
	skip "$(head -n 1 err)"
else
	says "lat_pagefault_anon PERF_COUNT_SW_PAGE_FAULTS 1.00" "a page fault is one page fault"
	# Six processes, each with its time and one fault in it.
	sort -g results/a/2*/lat_pagefault_anon >times
	cat results/a/2*/osvec.json | tr -d '\n ' | sed 's/.*"rates":{"lat_pagefault_anon":{"PERF_COUNT_SW_PAGE_FAULTS":\([0-9.e+]*\)}}.*/\1/' |
		awk 'NR == FNR { t[NR] = $1; next } { same = $1 * t[3] < 1.02 && $1 * t[4] > 0.98 } END { exit !same }' times -
	ok $? "as many in a second as the median time has room for"
fi
for events in no_such_event PERF_COUNT_SW_PAGE_FAULTS,,x ''; do
	check 2 "--events '$events' is bad usage" "$hbench" run -q -S ./two.suite -m b --events "$events"
done
says "'': an event without a name" "with the reason"
run b cycles

# Other counts in the log: 1000 to 6000, counted a quarter of the time.
run=$(echo results/b/2*)
awk '{ n += /"verdict": "counted"/; sub(/"events": (null|{[^}]*})/, "\"events\": {\"X\": " 1000 * n "}")
	sub(/"event_shares": (null|{[^}]*})/, "\"event_shares\": {\"X\": 0.25}"); print }' "$run/runs.jsonl" >log
# A process that failed does not count.
sed -n '/"verdict": "counted"/{s//"verdict": "failed"/p;q;}' log >>log
mv log "$run/runs.jsonl"
check 0 "a summary" "$hbench" summary "$run"
says "lat_pagefault_anon X 3.50 k 71.4% 25%" "the median of all averages, its interval, the share counted"
sed 's/"events": "[^"]*"/"events": null/' "$run/meta.json" >meta
mv meta "$run/meta.json"
check 0 "a run without events" "$hbench" summary "$run"
lacks " X " "prints none"
! grep -q '"rates"' "$run/osvec.json"
ok $? "nor has its vector any"
check 2 "a run goes on with its own events" "$hbench" run --resume --events X
done_testing
