#!/bin/sh
# SPDX-License-Identifier: MIT
# cpistack: counts as perf prints them, of several processors and with known stacks; recording with events of the
# kernel, which every machine has; what it says where nothing can be counted.
. "$(dirname "$0")/tap.sh"
export PATH="$build/bin:$PATH"
cd "$tmp" || exit 1

# counts GROUPS EVENT=RATE...: what perf stat -I 100 -x, would print for a second of 1e8 cycles and half as many
# instructions in each interval, with two events beside them in a group, of which GROUPS take turns.
counts() {
	awk -v groups="$1" -v list="${2:+$*}" 'BEGIN {
		n = split(list, words, " ")
		for (t = 1; t <= 10; t++)
			for (i = 2; i <= n; i++) {
				name = value = words[i]
				sub(/=[^=]*$/, "", name)
				sub(/.*=/, "", value)
				run = 1e8 / groups - int((i - 2) / 2)
				share = 100 / groups
				if (i % 2 == 0) {
					printf "%.9f,%.0f,,cycles,%.0f,%.2f,,\n", t / 10, 1e8, run, share
					printf "%.9f,%.0f,,instructions,%.0f,%.2f,0.50,insn per cycle\n", t / 10, 5e7, run, share
				}
				printf "%.9f,%.0f,,%s,%.0f,%.2f,,\n", t / 10, value * 1e8, name, run, share
			}
	}'
}
skl="IDQ_UOPS_NOT_DELIVERED.CORE=.5 uops_issued.any=1.1 uops_retired.retire_slots=1 int_misc.recovery_cycles=.05
	exe_activity.1_ports_util=.1 exe_activity.2_ports_util=.2 cycle_activity.stalls_total=.4 exe_activity.bound_on_stores=.05
	cycle_activity.stalls_mem_any=.3 cycle_activity.stalls_l1d_miss=.24 dtlb_load_misses.walk_active=.02 icache_16b.ifdata_stall=.05
	icache_64b.iftag_stall=.025 cycle_activity.stalls_l2_miss=.2 cycle_activity.stalls_l3_miss=.15
	mem_load_retired.l2_hit=.01 mem_load_retired.fb_hit=.02 mem_load_retired.l1_miss=.02 l1d_pend_miss.fb_full=.02"
# shellcheck disable=SC2086
counts 10 $skl >skl.csv

# part NAME: CPI of that part in the last CSV.
part() {
	awk -F, -v name="$1" '$1 == name { printf "%.4f\n", $2 }' out
}
check 0 "Skylake, ten groups in turns" cpistack show --csv skl.csv
is "$(part completion)" 0.5000 "slots that retired"
is "$(part branch)" 0.1500 "slots lost to recovery and to what did not retire"
is "$(part 'instruction cache') $(part 'instruction TLB') $(part decode)" "0.1000 0.0500 0.1000" "the front end"
is "$(part 'main memory') $(part 'cache 3') $(part 'cache 2') $(part 'data TLB') $(part store)" "0.3117 0.0917 0.0367 0.0367 0.0917" \
	"memory, with half the stalls behind full fill buffers"
is "$(part execution)" 0.4583 "and what is left"
is "$(awk -F, '$7 == 1 { print $1 }' out | tr '\n' ,)" "instruction cache,instruction TLB,data TLB,cache 1,cache 2,cache 3,main memory,store," "what is memory"
check 0 "its events" cpistack show --by event --csv skl.csv
is "$(grep L2_HIT out)" "MEM_LOAD_RETIRED:L2_HIT,10000000,0,0.1" "with count, error, and share in which each was counted"
check 0 "as text" cpistack skl.csv
says "CPI 2.000 = 0.500 completing instructions + 1.500 stalled" "the sum"
says "with a perfect memory system it would be at most 1.66 times as fast" "the bound"
says "counted during at least 10.0 % of the cycles" "the share"
awk -F, -v OFS=, '{ $4 = $4 ":u"; print }' skl.csv >user.csv
sed 's/:u,/:k,/' user.csv >kernel.csv
check 0 "modes" cpistack show --csv -m kernel kernel.csv
is "$(part branch)" 0.1500 "kernel mode"
check 1 "user mode was not counted" cpistack show -m user kernel.csv
check 0 "two runs" cpistack show --json user.csv kernel.csv
says '"seconds": 2, "cycles": 2000000000, "instructions": 1000000000' "have twice the instructions"
cat skl.csv user.csv | sort -g -t, -k1,1 -s >twice.csv
check 0 "with and without a mode" cpistack show --json twice.csv
says '"instructions": 500000000' "is counted twice"

# Slots, other names, ratios.
counts 10 idq_uops_not_delivered.core=.9 int_misc.uop_dropping=.3 uops_retired.slots=3 icache_data.stalls=.04 \
	icache_tag.stalls=.02 dtlb_load_misses.walk_active=.02 exe_activity.bound_on_loads=.3 exe_activity.bound_on_stores=.1 \
	memory_activity.stalls_l1d_miss=.2 memory_activity.stalls_l2_miss=.16 memory_activity.stalls_l3_miss=.1 \
	topdown.backend_bound_slots=1.8 topdown.memory_bound_slots=1.2 >spr.csv
check 0 "Sapphire Rapids" cpistack show --csv spr.csv
is "$(part completion) $(part decode) $(part branch) $(part 'data TLB') $(part 'cache 1') $(part 'cache 2') $(part 'cache 3')" \
	"1.0000 0.0800 0.2000 0.0200 0.0800 0.0400 0.0600" "slots of six"
is "$(part 'main memory') $(part store) $(part execution)" "0.1000 0.1000 0.2000" "... and what is behind the caches"
check 0 "options without show" cpistack --csv spr.csv
counts 1 de_no_dispatch_per_slot.no_ops_from_frontend=1.2 cpu/de_no_dispatch_per_slot.no_ops_from_frontend,cmask=0x6/=.1 \
	de_no_dispatch_per_slot.backend_stalls=2.4 ex_ret_ops=1.5 de_src_op_disp.all=1.8 de_no_dispatch_per_slot.smt_contention=0.6 \
	ex_no_retire.load_not_complete=.3 ex_no_retire.not_complete=.4 >zen4.csv
check 0 "Zen 4, all the time" cpistack show --csv zen4.csv
is "$(part completion) $(part decode) $(part branch) $(part loads) $(part execution)" "0.5000 0.2000 0.1000 0.6000 0.2000" "slots"
counts 2 STALL_SLOT=4 op_retired=3 op_spec=4 STALL_SLOT_FRONTEND=1.6 STALL_SLOT_BACKEND=2.4 stall_backend=.5 stall_backend_mem=.4 \
	br_mis_pred=.02 >v2.csv
check 0 "Neoverse V2" cpistack show -s arm_v2 --csv v2.csv
is "$(part completion) $(part 'front end') $(part branch) $(part 'behind cache 2') $(part 'execution and caches 1 and 2')" \
	"0.7500 0.3600 0.4100 0.3840 0.0960" "slots, and four cycles after each mispredicted branch"
# formulas STACK PARTS EVENT=RATE...: what its formulas make of these rates per cycle, at a CPI of 2.
formulas() {
	stack=$1 parts=$2
	shift 2
	counts 1 "$@" >"$stack.csv"
	check 0 "$stack" cpistack show -s "$stack" --csv "$stack.csv"
	is "$(awk -F, 'NR > 1 { printf "%s %g, ", $1, $2 }' out)" "$parts, " "... slots and cycles by cause"
}
formulas icl "completion 0.8, instruction cache 0.1, instruction TLB 0.06, decode 0.24, data TLB 0.02, cache 1 0.04, cache 2 0.02, cache 3 0.05, main memory 0.17, store 0.05, execution 0.25, branch 0.2" \
	idq_uops_not_delivered.core=1.25 int_misc.uop_dropping=.25 exe_activity.1_ports_util=.1 exe_activity.2_ports_util=.2 \
	uops_retired.slots=2 cycle_activity.stalls_total=.37 exe_activity.bound_on_stores=.05 topdown.backend_bound_slots=1.5 \
	cycle_activity.stalls_mem_any=.3 cycle_activity.stalls_l1d_miss=.24 dtlb_load_misses.walk_active=.02 icache_16b.ifdata_stall=.05 \
	icache_64b.iftag_stall=.03 cycle_activity.stalls_l2_miss=.2 cycle_activity.stalls_l3_miss=.15 mem_load_retired.l2_hit=.01 \
	mem_load_retired.fb_hit=.02 mem_load_retired.l1_miss=.02 l1d_pend_miss.fb_full_periods=.02
formulas zen2 "completion 1, front end and branch 0.4, load queue 0.24, store queue 0.2, execution and other 0.16" ex_ret_cops=3 \
	uops_queue_empty=.2 dispatch_resource_stall_cycles_1.load_queue_rsrc_stall=.12 dispatch_resource_stall_cycles_1.store_queue_rsrc_stall=.1
formulas zen5 "completion 0.5, instruction cache and TLB 0.2, decode 0.2, branch 0.1, loads 0.6, execution 0.2, other thread of the core 0.2, other 0" \
	de_no_dispatch_per_slot.no_ops_from_frontend=1.6 cpu/de_no_dispatch_per_slot.no_ops_from_frontend,cmask=0x8/=.1 \
	de_no_dispatch_per_slot.backend_stalls=3.2 ex_ret_ops=2 de_src_op_disp.all=2.4 de_no_dispatch_per_slot.smt_contention=.8 \
	ex_no_retire.load_not_complete=.3 ex_no_retire.not_complete=.4
formulas n1 "completion 1, front end and branch 0.4, back end 0.6" stall_frontend=.2 stall_backend=.3
arm="op_retired=3 op_spec=4 stall_backend=.5 stall_backend_mem=.4 br_mis_pred=.02"
# shellcheck disable=SC2086
{
	formulas v1 "completion 0.75, front end 0.24, branch 0.41, behind cache 2 0.48, execution and caches 1 and 2 0.12" \
		stall_slot=4 stall_slot_frontend=1.6 stall_slot_backend=2.4 $arm
	arms="completion 0.75, front end 0.36, branch 0.41, behind cache 2 0.384, execution and caches 1 and 2 0.096"
	formulas n2 "$arms" stall_slot=3.5 stall_slot_frontend=2 stall_slot_backend=1.5 $arm
	formulas n2r0p3 "$arms" stall_slot=2.5 stall_slot_frontend=1 stall_slot_backend=1.5 $arm
}
check 1 "the events of several processors" cpistack show v2.csv
says "stack v1 has these events, but so has v2: choose one by its name" "two of them"
sed 's/STALL_SLOT,/arm_v2::&/' v2.csv >v2.named
check 0 "with a name that says which" cpistack v2.named
says "v2 (Arm Neoverse V2" "that one"
counts 3 PM_1PLUS_PPC_CMPL=.3 PM_GCT_EMPTY_IC_MISS=.05 PM_GCT_EMPTY_BR_MPRED=.1 PM_CMPLU_STALL_DCACHE_MISS=.2 \
	PM_CMPLU_STALL_ERAT_MISS=.05 PM_CMPLU_STALL_REJECT=.05 PM_CMPLU_STALL_LSU=.25 PM_GCT_EMPTY_SRQ_FULL=0 \
	PM_CMPLU_STALL_FPU=.1 PM_CMPLU_STALL_FXU=.25 >ppc.csv
check 0 "PowerPC, whose parts overlap" cpistack show --csv ppc.csv
awk -F, 'NR > 1 { sum += $2; least = $2 < least ? $2 : least } END { exit !(sum > 1.999 && sum < 2.001 && least >= 0) }' out
ok $? "none is negative, together they are all cycles"
check 0 "and it is said" cpistack ppc.csv
says "the formulas overlap" "that they were moved"
awk 'BEGIN { for (t = 1; t <= 5; t++) { for (who = 1; who <= 2; who++)
	{ p = t ".0,app-" who ","; print p who * 500 ",,stalled-cycles-frontend,100,100.00,,\n" p "1000,,cycles,100,100.00,,\n" p 400 / who ",,instructions,100,100.00,,\n" p "<not counted>,,other,0,100.00,,\n" p "100,,stalled-cycles-backend,100,100.00,," } } }' >threads.csv
check 0 "perf stat --per-thread" cpistack show --by unit --csv threads.csv
is "$(awk -F, '/^app-2/ { print $1, $4 }' out)" "app-2 5" "a row for each thread, with its CPI"
is "$(awk -F, '/^app-1/ { print $5, $6, $7 }' out)" "40 50 10" "and percents of its own cycles"
cpistack show --by unit --csv threads.csv >threads.txt
awk -F, -v OFS=, '{ $5 = "cpu_core/" $5 "/"; print } NR % 10 == 0 { print $1, $2, "<not counted>", "", "cpu_atom/cycles/", 0, "100.00" }
	END { for (i = 1; i <= 3; i++) print "         summary", "app-1", 5000, "", "cycles", 500, "100.00" }' threads.csv >cores.csv
check 0 "cores of two kinds, of which one counted, and a summary" cpistack show --by unit --csv cores.csv
same out threads.txt "is the same"
sed 's/cpu_core/cpu/' cores.csv >cores.one
check 0 "a PMU that was asked for" cpistack show --by unit --csv cores.one
same out threads.txt "is the same"
sed 's/cpu_core\/[^,]*\//&u/' cores.csv >cores.user
check 0 "in user mode" cpistack show --by unit --csv -m user cores.user
same out threads.txt "is the same"
sed '12s/cpu_core/cpu_atom/' cores.csv >both.cores
check 1 "both kinds counted" cpistack show both.cores
says "both.cores:12: cpu_atom/" "the line"
sed 's/app-2,1000,/app-2,2000,/' threads.csv >more.csv
check 0 "threads of which the second uses more cycles" cpistack show --by unit --csv more.csv
is "$(cut -d, -f1,2 out | tr '\n' ' ')" "unit,cycles app-2,10000 app-1,5000 " "begin with that one"
awk -F, -v OFS=, '{ event = $5; $5 = event ":u"; print; $5 = event ":k"; print }' threads.csv >modes.csv
check 0 "each event in both modes" cpistack show --json modes.csv
says '"cycles": 20000, "instructions": 6000' "has the sum"
lacks "scaled by time" "and is still beside the cycles of its mode"
sort -t, -k1,1n -k4,4 -s threads.csv >events.csv
check 0 "event by event, as perf prints them" cpistack show --by unit --csv events.csv
same out threads.txt "is the same"
awk -F, -v OFS=, '{ $2 = $2 OFS 2; print $0 "\r" } NR % 10 == 0 { print $1, $2, 9, "", "cycles", 1, "0.00\r" }' threads.csv >cores.csv
check 0 "of cores, with their CPUs, a row whose share is rounded to nothing, and ends of lines as DOS has them" \
	cpistack show --by unit --csv cores.csv
same out threads.txt "is the same"
awk -F, -v OFS=, '{ print $1, $3, $4, $5, $2, $6, $7, ""; print $1 ",,,,,,0.75,a second ratio" }
	END { printf "6.0,1,,cycles,app-1,1000,10" }' threads.csv >groups.csv
cpistack show --by unit --csv - <groups.csv >out 2>err
same out threads.txt "and with control groups, ratios on lines of their own and a torn end, from a pipe"
awk 'BEGIN { for (t = 1; t <= 5; t++) { p = t ".0,app-1,"; print p "900,,cycles,100,100.00,,\n" p "300,,instructions,100,100.00,,\n" \
	p "90,,stalled-cycles-frontend,100,100.00,,\n" t ".0,app-2,300,,stalled-cycles-backend,100,100.00,," } }' >few.csv
check 0 "threads of which no one has all events" cpistack show --by unit --csv few.csv
is "$(cut -d, -f1,2 out | tr '\n' ' ')" "unit,cycles app-1, app-2, " "have no stack"
check 0 "together" cpistack show --json few.csv
says '"cpi": 3,' "they have one"
sed 's/app-1/app-3/; s/app-2,.*/app-4,900,,cycles,100,100.00,,/' few.csv | cat - threads.csv | sort -t, -k1,1n -s >lost.csv
check 0 "beside another that has all" cpistack show --json lost.csv
says '"lost_cycles": 9000' "what no stack has is told"
says "47.4 % of the cycles are not included" "and how much it is"
check 0 "in four turns at least" cpistack show --by interval --csv skl.csv
is "$(wc -l <out)" 3 "two intervals"
check 0 "over time" cpistack show --by interval -i 1s --csv --svg bars.svg threads.csv
is "$(cut -d, -f1,3 out | tr '\n' ' ')" "from,share_percent 0,20 1,20 2,20 3,20 4,20 " "each turn is in one interval"
grep -v "width='12'" bars.svg | sed -n "s/.* y='\([0-9.]*\)' width='[0-9.]*' height='\([0-9.]*\)'.*/\1 \2/p" |
	awk '{ off = $1 + $2 - y; y = $1 } NR % 3 != 1 && off * off > 1e-3 { wrong++ } END { exit !(NR == 15 && !wrong) }'
ok $? "parts stand on each other"
is "$(grep -c '<rect ' bars.svg)" "$((1 + 5 * 3 + 3))" "a bar of three parts for each interval, and a legend"
check 0 "intervals of which the last is shorter" cpistack show --by interval -i 2s --svg uneven.svg threads.csv
sed -n "s/^<rect x='\([0-9.]*\)' y='[0-9.]*' width='\([0-9.]*\)' height=.*/\1 \2/p" uneven.svg | grep -v ' 12$' |
	awk '{ right = $1 + $2 > right ? $1 + $2 : right } END { exit !(right > 775 && right <= 780) }'
ok $? "end with the axis"
awk -F, -v OFS=, '{ $2 = "app-9"; if ($3 + 0) $3 /= 1e4; print }' threads.csv | cat threads.csv - | sort -t, -k1,1n -s >small.csv
check 0 "a thread of few cycles" cpistack show --by unit --html small.html small.csv
says "(1 with less than 0.05 % of the cycles)" "is only mentioned"
ok "$(grep -c app-9 small.html)" "and not on the page"
check 0 "tracks for Perfetto" cpistack show --perfetto -i 1s threads.csv
is "$(grep -c '"ph":"C"' out) $(grep -c '"ts":4000000.0,' out)" "10 2" "a value for each interval and thread, in microseconds"
is "$(grep -c '"pid":1,"name":"app-1"' out) $(grep -c '"pid":2,"name":"app-2"' out)" "5 5" "each with its name"
check 0 "without threads" cpistack show -s arm_v2 --perfetto v2.csv
says '"name":"CPI"' "the track has a name, too"
cp threads.csv over.csv
check 2 "a page over its input" cpistack show --html over.csv over.csv
cmp -s threads.csv over.csv; ok $? "leaves it"
check 0 "a page" cpistack show --html page.html threads.csv
browse page.html <<'X' && is "$said" \
	"app-1,app-2;2.500,5.000;0.667,2.417,0.250;2;6;2.500 s: CPI 3.333: front end and branch 72.5 %, completion 20.0 %, back end 7.5 %" \
	"its tables, and bars over time"
const texts = (table, column) => [...get(table).tBodies[0].rows].map(r => r.cells[column].textContent).join();
said.push(texts('units', 0), texts('units', 2), texts('parts', 1), get('time').children.length, get('time').querySelectorAll('span').length);
get('time').children[1].onfocus();
said.push(get('chosen').textContent);
X

# Groups without cycles beside them: each event is scaled by its own time.
awk 'BEGIN { for (t = 1; t <= 9; t++) print t ",1000,,cycles,100,100.00,,\n" t ",400,,instructions,100,100.00,,\n" \
	t ",300,,stalled-cycles-frontend,25,25.00,,\n" t ",200,,stalled-cycles-backend,50,50.00,," }' >apart.csv
check 0 "events apart" cpistack show --csv apart.csv
is "$(part completion) $(part 'front end and branch') $(part 'back end')" "1.2500 0.7500 0.5000" "are scaled by time"
check 0 "as text" cpistack apart.csv
says "counted during at least 25.0 %" "that of the rarest"

awk 'BEGIN { print "# cpistack generic"; for (t = 1; t <= 2; t++) { p = t / 100 ",app-1,"; s = ",1000,100.00"
	print p 900 ",,cycles" s "\n" p 300 ",,instructions" s "\n" p 90 ",,stalled-cycles-" (t == 1 ? "frontend" : "backend") s } }' >once.csv
check 0 "one turn of each group" cpistack show --csv once.csv
is "$(awk -F, '$1 == "back end" { print $2, $3 }' out)" "0.3 " "tells a part, but no error"

# A recording of both modes in turns: each turn stands for those of the other.
awk 'BEGIN { print "# cpistack generic"; for (t = 1; t <= 8; t++) { m = t % 4 ? ":u" : ":k"; n = t % 4 ? 100 : 300
	p = t / 100 ",app-1,"; s = m ",1000,100.00"
	print p n ",,cycles" s "\n" p 50 ",,instructions" s "\n" p 10 ",,stalled-cycles-frontend" s "\n" p 20 ",,stalled-cycles-backend" s } }' >both.csv
check 0 "modes in turns" cpistack show --json both.csv
says '"cycles": 3200, "instructions": 800' "as if each mode had been counted all the time"
says '"least_share": 0.25' "each event in a quarter of the cycles of the mode that had fewer turns"
awk -F, -v OFS=, '/:u,/ { $6 /= 2; $7 = "50.00" } { print }' both.csv >half.csv
check 0 "of which user mode was counted in half of its turns" cpistack show --json half.csv
says '"cycles": 3200, "instructions": 800' "the same"
check 0 "one of them" cpistack show --json -m kernel both.csv
says '"cycles": 2400, "instructions": 400' "the same"
says '"least_share": 0.25' "and counted in a quarter of its cycles"
check 0 "events of both" cpistack show --by event --csv both.csv
is "$(grep INSTR out | cut -d, -f1,2,4)" "perf::PERF_COUNT_HW_INSTRUCTIONS,800,0.25" "as well"
sed 's/:u,/:x,/; s/:k,/:u,/; s/:x,/:k,/' both.csv >swapped.csv
check 0 "the same, with few turns of user mode" cpistack show --by event --csv swapped.csv
is "$(grep INSTR out | cut -d, -f1,2,4)" "perf::PERF_COUNT_HW_INSTRUCTIONS,800,0.25" "counted in a quarter as well"
check 0 "each mode" cpistack show --by mode --csv both.csv
is "$(cut -d, -f1,2,4 out | tr '\n' ' ')" "unit,cycles,cpi user,800,2 kernel,2400,6 all,3200,4 " "has a row, and all"
check 0 "a page" cpistack show --html page.html both.csv
browse page.html <<'X' && is "$said" "user,25.0 %,2.000,kernel,75.0 %,6.000,all,100.0 %,4.000" "has them, too"
said.push([...get('modes').tBodies[0].rows].map(r => [0, 1, 2].map(i => r.cells[i].textContent).join()).join());
X
check 0 "of one mode" cpistack show --by mode -m user --csv both.csv
is "$(cut -d, -f1,2,3 out | tr '\n' ' ')" "unit,cycles,share_percent user,800,100 " "there is one"
# Turns of 10 ms and of 1 ms, in which events vary.
for slice in 100 1000; do
	awk -F, -v OFS=, -v slice=$slice '!/^#/ { $1 = (n + 4 - n++ % 4) / 4 / slice; $3 = $3 * (7 + n * n % 5) } { print }' both.csv >vary.csv
	for mode in user kernel; do
		cpistack show --by event --csv -m $mode vary.csv
	done >modes.txt
	cpistack show --by event --csv vary.csv >out$slice 2>&1
	awk -F, '/INSTR/ { error[++n] = $3 } END { off = error[1] ^ 2 + error[2] ^ 2 - error[3] ^ 2; exit !(error[1] > 0 && off ^ 2 < 1) }' \
		modes.txt out$slice
	ok $? "errors of both modes are independent" || cat modes.txt out$slice
done
same out100 out1000 "and each turn of a recording counts, however short"
sed '/instructions/{p; s/instructions/PERF_COUNT_HW_INSTRUCTIONS/; }' vary.csv >again.csv
check 0 "an event by two names" cpistack show --by event --csv again.csv
same out out1000 "is one, with one error"
check 2 "rows of a mode that is none" cpistack show -m both both.csv
grep -v backend:k both.csv >lack.csv
check 1 "a mode without all events" cpistack show lack.csv
check 0 "is left out" cpistack show -m user lack.csv

# Events of an application vector.
awk 'BEGIN { for (t = 1; t <= 9; t++) print t ".0,1000,,cycles:u,500,50.00,,\n" t ".0,400,,instructions:u,500,50.00,,\n" \
	t ".0,30,,cache-misses:u,250,25.00,,\n" t ".0,<not supported>,,branch-misses:u,0,100.00,," }' >run.csv
check 0 "counts of a run" ktranal vector -n 9 -u request --counts run.csv -o app.json "$source/tests/data/strace/6.1.log"
says "counted in user mode alone: 400 instructions, 1.00 k cycles, 30.0 misses of the last cache per request" "per unit"
is "$(sed -n '/"events"/,/}/{s/[^a-z0-9_: ]//g;p;}' app.json | tr -s '\n ' ' ')" \
	" events: cycles: 9000 instructions: 3600 cache_misses: 270 branch_misses: null mode: user " "are in the vector"
awk 'BEGIN { for (t = 1; t <= 9; t++) print t ".0,1000,,cycles,500,50.00,,\n" t ".0,800,,cycles:u,500,50.00,,\n" \
	t ".0,400,,instructions:u,500,50.00,,\n" t ".0,100,,instructions:k,500,50.00,," }' >modes.csv
check 0 "counts with and without a mode" ktranal vector -n 9 --counts modes.csv "$source/tests/data/strace/6.1.log"
says "counted: 500 instructions, 1.00 k cycles per run" "all, or else the sum of user and kernel"
grep -v instructions:k modes.csv >some.csv
check 0 "counts of which some are of user mode alone" ktranal vector -n 9 --counts some.csv "$source/tests/data/strace/6.1.log"
says "counted in user mode alone: 400 instructions per run" "have one mode"
says "PERF_COUNT_HW_CPU_CYCLES: left out, since it was counted in mode all" "and why others are missing"
grep -v instructions run.csv >some.csv
check 1 "counts without instructions" ktranal vector --counts some.csv "$source/tests/data/strace/6.1.log"

# ---- what may be wrong ----

check 1 "a stack lacks an event" cpistack show -s skl zen4.csv
says "stack skl needs" "which is named"
check 1 "no stack at all" cpistack show -s bogus zen4.csv
says "cpistack list prints their names" "where they are"
echo 'hello, world' >text.csv
check 1 "no counts" cpistack text.csv
says "text.csv:1: is no row" "the line"
printf '1.0,<not supported>,,cycles,0,100.00,,\n' >none.csv
check 1 "nothing was counted" cpistack none.csv
says "nothing was counted; this machine had no event cycles" "why"
printf '1.0,12,34,msec,cycles,100,100,00,,\n' >comma.csv
check 1 "decimal commas" cpistack comma.csv
says "comma.csv:1: is no row of perf stat -I -x, (time,count,unit,event,running,percent), as LC_ALL=C" "and the way out"
printf '# command \033[31m\n' | cat - threads.csv >red.csv
check 0 "a hostile file" cpistack red.csv
says "red.csv: ?[31m" "does not reach the terminal"
printf '2.0,5,,cycles,1,100.00,,\n1.0,5,,cycles,1,100.00,,\n' >back.csv
check 1 "time runs" cpistack back.csv
says "back.csv:2: goes back in time" "forwards"
printf '0,5,,cycles,1,100.00,,\n0,5,,instructions,1,100.00,,\n0,1,,stalled-cycles-frontend,1,100.00,,\n0,1,,stalled-cycles-backend,1,100.00,,\n' >moment.csv
check 1 "no time" cpistack moment.csv
says "all counts have the same time" "between two readings"
sed 's/^0,5,,instr/1,0,,instr/; s/^0/1/' moment.csv >idle.csv
check 1 "no instructions" cpistack show --json idle.csv
says "no instructions were counted" "of which cycles could be a share"
check 2 "which file" cpistack show
check 2 "a word that is none" cpistack show --by bogus zen4.csv
check 0 "the processors" cpistack list
check 0 "and one of them" cpistack list --csv skl
says "event,CYCLE_ACTIVITY:STALLS_L3_MISS" "with its events"
check 2 "threads are told apart in traces alone" cpistack show --by thread threads.csv

# ---- recording ----

cat >software.conf <<'X'
stack software
cycles perf::PERF_COUNT_SW_TASK_CLOCK
instructions perf::PERF_COUNT_SW_PAGE_FAULTS
base faults = 1000 * perf::PERF_COUNT_SW_PAGE_FAULTS_MIN
part major = perf::PERF_COUNT_SW_PAGE_FAULTS_MAJ
part migrations = perf::PERF_COUNT_SW_CPU_MIGRATIONS
rest other
X
# record OPTIONS: counts a shell that starts two hundred programs.
record() {
	cpistack record --formulas software.conf -m all --slice 2ms "$@" -- \
		sh -c 'i=0
			while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done; exit 7'
}
# faults FILE: as many nanoseconds of the CPU as pages were touched, a thousand for each, and their error.
faults() {
	cpistack show --formulas software.conf --csv "$1" | awk -F, '$1 == "faults" { print $2, $3 }'
}
record -o all.counts >out 2>err
status=$?
if [ $status -eq 3 ] || grep -q 'without libpfm4\|libpfm.so' err; then
	skip "$(head -n 1 err)"
else
	is $status 7 "it ends as the command does"
	faults all.counts | awk '{ exit !($1 > 900 && $1 < 1100 && $2 == 0) }'
	ok $? "all at once: each fault is one of those that need no device, or nearly" || faults all.counts
	record --slice 10s -o long.counts 2>err
	record --slice 1ms -o short.counts 2>err
	awk -F, '/PAGE_FAULTS,/ { n[FILENAME] += $3 } END { off = n["short.counts"] / n["long.counts"] - 1; exit !(off ^ 2 < .006 ^ 2) }' \
		long.counts short.counts
	ok $? "between turns of one group nothing is lost"
	record --counters 3 -o turns.counts 2>err
	faults turns.counts | awk '{ exit !($2 > 0 && $1 > 800 && $1 < 1250) }'
	ok $? "in turns of three events: about as many" || faults turns.counts
	record -m both -o modes.counts 2>err
	awk -F, '/FAULTS:k/ { kernel += $3 } /FAULTS:u/ { user += $3 } END { exit !(kernel > 0 && kernel < user / 2) }' modes.counts
	ok $? "both modes have turns, and the kernel few of the faults"
	printf 'stack two\ncycles perf::PERF_COUNT_SW_TASK_CLOCK\ninstructions perf::PERF_COUNT_SW_PAGE_FAULTS\nrest all\n' >two.conf
	check 0 "cycles and instructions alone" cpistack record --formulas two.conf -m all -o two.only -- true
	grep -q TASK_CLOCK two.only && grep -q FAULTS two.only
	ok $? "are a group"
	cp /bin/true 'a,b'
	check 0 "a name with a comma" cpistack record --formulas software.conf -m all -o comma.counts -- ./a,b
	grep -q ',a_b-[0-9]*,' comma.counts
	ok $? "is none in the file"
	awk -F, '/TASK_CLOCK/ { n++ } /MIGRATIONS/ { k++ } END { exit !(k > n / 6 && k < n / 1.5) }' turns.counts
	ok $? "each group had its turns"
	sleep 60 &
	sleeper=$!
	until [ "$(cut -d' ' -f2-3 /proc/$sleeper/stat)" = "(sleep) S" ]; do :; done
	check 0 "a process, for a while" cpistack record --formulas software.conf -m all -p $sleeper --for 0.1s -o p.counts
	sleep 60 &
	other=$!
	(
		until [ -e two.counts ]; do sleep 0.01; done
		kill $other
	) &
	start=$(date +%s%3N)
	check 0 "two, of which one ends" cpistack record --formulas software.conf -m all -p $other -p $sleeper --for 0.3s --slice 10s -o two.counts
	start=$(($(date +%s%3N) - start))
	ok $((start < 300 || start > 9000)) "until the other does, or time is over"
	kill $sleeper
	check 0 "a command" cpistack record --formulas software.conf -m all -o own.counts -- ls -l /proc/self/fd
	lacks own.counts "does not inherit the file of counts"
	check 1 "that sleeps" cpistack show --formulas software.conf p.counts
	check 1 "a command that does not exist" cpistack record --formulas software.conf -m all -- ./nosuch
fi
# refused ERROR[:when=N]: records while perf_event_open(2) fails.
refused() {
	# The leak sanitizer does not work in a program that is traced.
	ASAN_OPTIONS=detect_leaks=0 strace -qq -o /dev/null -e trace=perf_event_open -e inject=perf_event_open:error="$1" \
		cpistack record --formulas software.conf -o refused.counts -- true
}
if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null || [ $status -eq 3 ]; then
	skip "no strace, or it may not trace; or no events"
else
	check 3 "permissions" refused EACCES
	says "kernel.perf_event_paranoid is" "are named, and what else may forbid it"
	check 3 "a filter of calls" refused EPERM
	says "perf_event_open in its seccomp filter" "as well"
	check 3 "no perf events" refused ENOSYS
	says "has no perf events" "are not called a hypervisor's fault"
	check 0 "kernel mode is forbidden" refused EACCES:when=1
	says "user mode alone" "so it is left out"
	grep -q TASK_CLOCK:u, refused.counts
	ok $? "of the names, too"
	ASAN_OPTIONS=detect_leaks=0 check 3 "counters that never count" strace -qq -o /dev/null -P 'anon_inode:[perf_event]' \
		-e trace=read -e inject=read:retval=0 cpistack record --formulas software.conf -o refused.counts -- true
	says "the counters are in use by another program, or by the watchdog" "are somebody else's"
fi
check 2 "what to record" cpistack record -o x.counts
check 2 "a command ends by itself" cpistack record --for 1s -o x.counts -- true
cpistack record -o x.counts -- true >out 2>err
status=$?
[ $status -eq 0 ] || { [ $status -eq 3 ] && grep -q 'counters\|perf_event\|cores\|counted\|counter' err && [ ! -s x.counts ]; }
ok $? "a PMU, or why there is none" || cat err

# ---- counters in a trace: who, and why ----

soft="PERF_COUNT_SW_TASK_CLOCK,PERF_COUNT_SW_PAGE_FAULTS,PERF_COUNT_SW_PAGE_FAULTS_MIN,PERF_COUNT_SW_PAGE_FAULTS_MAJ,PERF_COUNT_SW_CPU_MIGRATIONS"
check 2 "counters of calls that are only counted" ktranal record -a -E $soft -o a.ktr true
check 2 "at calls, but which" ktranal record --at-calls -o a.ktr true
# show BY: CSV of the trace.
show() {
	cpistack show --formulas software.conf --csv --by "$1" app.ktr
}
# cycles: the sum of the second column.
cycles() {
	awk -F, 'NR > 1 { sum += $2 } END { printf "%.0f\n", sum / 1e4 }'
}
ktranal record -E $soft -o app.ktr -- sh -c 'ls -lR /usr/share/doc | head -c 300000 | gzip | wc -c; ls / >/dev/null' >/dev/null 2>err
if [ $? -ne 0 ]; then skip "$(head -n 1 err)"; else
	cpistack show --formulas software.conf --json app.ktr >out 2>err
	whole=$(sed -n 's/.*"cycles": \([0-9.e+]*\),.*/\1/p' out | awk '{ printf "%.0f\n", $1 / 1e4 }')
	cpistack show --formulas software.conf --json app.ktr app.ktr >twice.json 2>err
	for key in seconds cycles; do
		sed -n "s/.*\"$key\": \([0-9.e+]*\),.*/\1/p" out twice.json | awk 'NR == 1 { v = $1 } END { exit !(NR == 2 && $1 > 1.99 * v) }'
		ok $? "the same trace twice: twice the $key, at least"
	done
	for by in process thread subtree cgroup call state; do
		show $by >out 2>err
		cycles <out | awk -v whole="$whole" '{ exit !(whole > 0 && $1 > 0.97 * whole && $1 < 1.01 * whole) }'
		ok $? "by $by: all cycles, or nearly" || cat out err
	done
	show process >out
	grep -q '^gzip-' out && grep -q '^wc-' out && grep -q '^ls-' out
	ok $? "each process has a row"
	show call | grep -q '^user,' && show call | grep -q '^getdents64 directory,'
	ok $? "each kind of call, and the program"
	show state | grep -q '^ls user,'
	ok $? "states of the critical path"
	is "$(show subtree | grep -c '^ls-')" 2 "two subtrees begin with ls"
	hierarchy=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	if [ "$hierarchy" ] && mkdir "$hierarchy/osvec.$$" 2>/dev/null; then
		check 0 "in a control group" ktranal record -q -E $soft -o app.ktr -- \
			sh -c "ls >/dev/null; echo \$\$ >$hierarchy/osvec.$$/cgroup.procs; exec sh -c 'ls -R /usr/lib >/dev/null; :'"
		show cgroup >out
		awk -F, -v group=/osvec.$$ '$1 == group { inside = $3 } END { exit !(inside > 60 && inside < 100) }' out
		ok $? "the program in it and its children, but not what ran before" || cat out
		rmdir "$hierarchy/osvec.$$"
	else
		skip "no control groups can be made here"
	fi
	check 0 "what if pages were there" critpath whatif --formulas software.conf --event faults=0 --csv app.ktr
	is "$(awk -F, 'NR == 3 { print ($2 < first && $2 > 0.5 * first) } NR == 2 { first = $2 }' out)" 1 "the run is shorter"
	check 0 "the same by what a fault costs" critpath whatif --event PERF_COUNT_SW_PAGE_FAULTS=0@1us --csv app.ktr
	mv out each.csv
	is "$(awk -F, 'NR == 3 { print ($2 < first) } NR == 2 { first = $2 }' each.csv)" 1 "is shorter, too"
	critpath whatif --formulas software.conf --event faults=0 --csv app.ktr >out 2>err
	awk -F, 'FNR == 3 { gsub(/[^0-9.]/, "", $2); v[++n] = $2 } END { d = v[1] / v[2] - 1; exit !(n == 2 && d * d < 1e-4) }' each.csv out
	ok $? "is the same" || cat each.csv out
	check 1 "an event that was not counted" critpath whatif --event bogus=0@1us app.ktr
	says "the trace has PERF_COUNT_SW_TASK_CLOCK" "those that were"
	check 1 "no part of the stack" critpath whatif --formulas software.conf --event bogus=0 app.ktr
	says "say what one costs" "what to do"
	check 2 "words" critpath whatif --event faults app.ktr
	check 1 "more than there is" critpath whatif --event PERF_COUNT_SW_TASK_CLOCK=0@1s app.ktr
	ktranal record -q -E $soft -o one.ktr -- ls -lR /usr/share/doc >/dev/null 2>err
	# saves TIME: of a run whose faults took so long each, without them.
	saves() {
		critpath whatif --csv --event PERF_COUNT_SW_PAGE_FAULTS=0@"$1" one.ktr 2>/dev/null >out
		awk -F, 'NR == 2 { all = $2 } NR == 3 { print all - $2 }' out
	}
	each=$(saves 100us >/dev/null; sed -n 's/.*(\([0-9.]*\) % of.*/\1/p' out | awk '{ print int(9000 / $1) }')
	echo "$(saves 1us) $(saves "${each}us")" | awk -v each="$each" '{ exit !($2 > 0 && $2 < 0.95 * each * $1) }'
	ok $? "of nine tenths of the run, a state can save no more than it took"
	ktranal record -q -o plain.ktr -- true
	check 1 "a trace without counters" cpistack plain.ktr
	says "ktranal record -E" "how to have some"
	ktranal record -q -a -o counted.ktr -- true
	check 3 "calls that were only counted" cpistack counted.ktr
	check 0 "tracks of processes" cpistack show --formulas software.conf --perfetto --by process -i 10ms app.ktr
	ktranal record -q -E stack -o pmu.ktr -- true 2>err
	status=$?
	[ $status -eq 0 ] || { [ $status -eq 3 ] && grep -q 'counters\|cores\|perf' err; }
	ok $? "the processor's own events, or why not" || cat err
fi
done_testing
