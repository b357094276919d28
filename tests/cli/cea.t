#!/bin/sh
# SPDX-License-Identifier: MIT
# cea from the command line, on a log of two processes and a pipe, and on recorded programs of which it is known
# why they wait.
. "$(dirname "$0")/tap.sh"
cea=$build/bin/cea

# The parent works for 400 ms and writes; the child, who has waited, works for 100 ms and exits; the parent has waited
# for that.
cat >"$tmp/two.log" <<'X'
100 1700000000.000000 execve("/bin/demo", ["demo"], 0x7f /* 1 var */) = 0 <0.001000>
100 1700000000.002000 pipe2([3</proc/1/fd/pipe:[77]>, 4</proc/1/fd/pipe:[77]>], 0) = 0 <0.000010>
100 1700000000.003000 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 101 <0.000100>
101 1700000000.004000 read(3<pipe:[77]>, "x"..., 100) = 10 <0.399500>
100 1700000000.403000 write(4<pipe:[77]>, "x"..., 10) = 10 <0.000010>
101 1700000000.503000 exit_group(0) = ?
101 1700000000.503100 +++ exited with 0 +++
100 1700000000.404000 wait4(101, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 101 <0.099200>
100 1700000000.504000 exit_group(0) = ?
100 1700000000.504100 +++ exited with 0 +++
X

# value KEY: of the JSON object in $tmp/out.
value() {
	tr -d '\n' <"$tmp/out" | sed -n "s/.*\"$1\": \([^,}]*\)[,}].*/\1/p"
}

check 0 "a log of strace" "$cea" "$tmp/two.log"
says "not in a category: 0 ns" "all time is in a category"
says "without a cause: 0 ns" "all waits have causes"
says "demo user" "the cause is the work of the other"
check 0 "as JSON" "$cea" summary --json "$tmp/two.log"
is "$(value threads_residual_ns)" 0 "nothing is left of the time"
is "$(value waits_residual_ns)" 0 "nor of the waits"
is "$(value wait_count)" 2 "there were two"
is "$(value waits_ns)" 498700000 "as long as the two calls"
is "$(value elapsed_ns)" 504100000 "of the elapsed time"
check 0 "as CSV" "$cea" summary --csv "$tmp/two.log"
awk -F, '$5 == "demo user" && $2 > 0.497 && $2 < 0.499 && $4 > 0.49 && $4 < 0.504 && $6 == "demo" && $7 == "pipe" { n++ }
	END { exit n != 1 }' "$tmp/out"
ok $? "498 ms of the waits are the work of the other, without which the run would be as much shorter"
awk -F, 'NR > 1 { wrong += NR > 2 && $4 > last; last = $4 } END { exit wrong || NR < 4 }' "$tmp/out"
ok $? "what would gain most comes first"
check 0 "each place" "$cea" waits --csv "$tmp/two.log"
awk -F, 'NR > 1 { sum[$2] += $10; all[$2] = $5 }
	END { for (p in sum) if (sum[p] - all[p] > 1e-9 || all[p] - sum[p] > 1e-9) exit 1 }' "$tmp/out"
ok $? "has causes that add up to it"
awk -F, '$2 == "child" && $12 == "demo user" && $10 > 0.095 && $10 < 0.1 { n++ } END { exit n != 1 }' "$tmp/out"
ok $? "what the child did, less what the parent did meanwhile"
check 0 "as text" "$cea" waits "$tmp/two.log"
says "demo waits (pipe) for demo" "a place has its heading"
check 0 "each thread" "$cea" time --by thread --csv "$tmp/two.log"
awk -F, 'NR > 1 { sum = 0; for (i = 4; i <= NF; i++) sum += $i; n += sum > $3 - 1e-9 && sum < $3 + 1e-9 }
	END { exit n != 2 }' "$tmp/out"
ok $? "has all its time in categories"
check 0 "and each program" "$cea" time "$tmp/two.log"
says "demo" "has a row"
check 0 "contention" "$cea" contention --json "$tmp/two.log"

page=$tmp/cea.html
check 0 "a page" "$cea" report -o "$page" "$tmp/two.log"
is "$(grep -c '</script>' "$page")" 2 "no name can end its script"
grep -q 'http[s]*://' "$page"; [ $? -eq 1 ]; ok $? "it needs no network"
check 2 "a page without a file" "$cea" report "$tmp/two.log"
check 2 "a page as JSON" "$cea" report --json -o "$page.2" "$tmp/two.log"
check 1 "a directory that is not there" "$cea" report -o "$tmp/none/cea.html" "$tmp/two.log"

check 0 "options without a command" "$cea" --top 1 --csv "$tmp/two.log"
is "$(wc -l <"$tmp/out")" 2 "are those of the summary"

check 2 "no trace" "$cea" waits
check 1 "a trace that is not there" "$cea" "$tmp/nosuch"
check 2 "an unknown command" "$cea" bogus
check 2 "no such word" "$cea" time --by bogus "$tmp/two.log"
check 2 "two formats" "$cea" time --json --csv "$tmp/two.log"
mkdir "$tmp/a b"
cp "$tmp/two.log" "$tmp/a b/c d.log"
check 0 "a name with blanks" "$cea" "$tmp/a b/c d.log"

# whole: whether the trace has all events; where some were lost, causes are rightly unknown.
whole() {
	"$cea" --json "$tmp/$1.ktr" >"$tmp/out" 2>"$tmp/err" && [ "$(value lost_ns)" = 0 ]
}

# record KIND [MARKS]: runs that program, which says how long its two halves had a CPU: $first, $second.
record() {
	OSVEC_MARKS=${2-} "$build/bin/ktranal" record -q -b bpf -o "$tmp/$1.ktr" -- "$build/tests/bench/waits" "$1" \
		>"$tmp/said" 2>"$tmp/err" || return 1
	first=$(cut -d' ' -f1 "$tmp/said") second=$(cut -d' ' -f2 "$tmp/said")
	whole "$1"
}

# Bounds are shares of the CPU time that the program itself has measured: another program's load makes waits longer,
# not the work.
# recorded KIND [MARKS]: the same, else a test is skipped.
recorded() {
	record "$@" || { skip "$1: nothing, or not all, can be recorded in the kernel here: $(head -1 "$tmp/err")"; return 1; }
}

mkdir "$tmp/barrier" "$tmp/lock" "$tmp/sites"
if recorded barrier "$tmp/barrier"; then
	check 0 "two that meet at a barrier" "$cea" waits --csv --marks "$tmp/barrier" "$tmp/barrier.ktr"
	awk -F, '$1 == "waits less: futex" && $3 == "waits more: futex" { if ($12 == "waits more") more += $10
		if ($12 == "waits less") less -= $10 } END { print "# " more " to " less; exit !(more > 2 * less && more < 4.5 * less) }' \
		"$tmp/out"
	ok $? "wait for what one has to do more than the other: three times as much"
	check 0 "all of them" "$cea" summary --json "$tmp/barrier.ktr"
	[ "$(value waits_residual_ns)" = 0 ] && [ "$(value threads_residual_ns)" = 0 ]
	ok $? "add up"
fi
if recorded lock "$tmp/lock"; then
	check 0 "one who wants a lock" "$cea" contention --csv --marks "$tmp/lock" "$tmp/lock.ktr"
	awk -F, '$1 == "lock" && $5 ~ /^waits want: futex/ { all += $3; if ($6 ~ /^waits hold/) held += $3 }
		END { print "# " held " of " all; exit !(held > 0.5 * all && held <= all && all > 0) }' "$tmp/out"
	ok $? "loses the time to the one who holds it"
fi
if recorded pipe; then
	check 0 "a slow producer" "$cea" waits --csv "$tmp/pipe.ktr"
	awk -F, -v a="$first" '$1 == "waits read pipe" && $3 == "waits write pipe" && $12 == "waits user" { sum += $10 }
		END { print "# " sum " of " a; exit !(sum > 0.4 * a && sum < 1.1 * a) }' "$tmp/out"
	ok $? "is what the consumer waits for"
fi
if recorded cpu; then
	check 0 "two on one CPU" "$cea" contention --csv "$tmp/cpu.ktr"
	cp "$tmp/out" "$tmp/contention"
	check 0 "their time" "$cea" time --csv "$tmp/cpu.ktr"
	awk -F, 'FILENAME ~ /contention$/ { if ($1 == "cpu" && $5 == "waits" && $6 == "waits") lost += $3; next }
		$1 == "waits" { ran = $4 }
		END { print "# " lost " of " ran; exit !(lost > 0.5 * ran && lost < 1.05 * ran) }' "$tmp/contention" "$tmp/out"
	ok $? "each loses what the other has"
fi

# The lock in a program without marks of its own.
preload() {
	"$build/bin/ktranal" record -q -b bpf -o "$tmp/sites.ktr" -- env OSVEC_MARKS="$tmp/sites" \
		LD_LIBRARY_PATH="$build/lib" LD_PRELOAD=libosvec-sites.so "$build/tests/bench/waits" unmarked >"$tmp/out" 2>"$tmp/err" &&
		whole sites
}
if [ -e "$build/lib/libosvec-sites.so" ] && preload; then
	check 0 "places of the program" "$cea" contention --csv --marks "$tmp/sites" "$tmp/sites.ktr"
	awk -F, '$1 == "lock" && $5 ~ /^waits lock .*: futex$/ { all[$5] += $3; if ($6 ~ /^waits lock/ && $6 != $5) lost[$5] += $3 }
		END { for (p in all) if (all[p] > most) { most = all[p]; place = p }
		print "# " place ": " lost[place] " of " most; exit !(most > 0 && lost[place] > 0.5 * most) }' "$tmp/out"
	ok $? "one loses its time to the other that takes the lock"
	if grep -q "without libdw\|no line" "$tmp/err"; then
		skip "cea was built without libdw, or the program without debugging information"
	else
		says "waits lock want_lock waits.c:" "each is a line of a function"
		check 0 "a page of it" "$cea" report -o "$page" --marks "$tmp/sites" "$tmp/sites.ktr"
		# Both threads are joined by one line of a loop, which the compiler may have made two calls of.
		sed -n 's/.*<script type="application.json" id="data">\(.*\)<.script>.*/\1/p' "$page" | tr '{' '\n' >"$tmp/numbers"
		is "$(grep -c '"name":"join run_threads waits.c:[0-9]*","seconds"' "$tmp/numbers")" 1 "a line is one place"
		check 0 "its time" "$cea" time --csv --marks "$tmp/sites" "$tmp/sites.ktr"
		awk -F, 'FILENAME ~ /out$/ { all += FNR > 1 ? $3 : 0; next }
			sub(/.*"seconds":\[/, "") { sub(/\].*/, ""); for (i = 1; i <= NF; i++) sum += $i }
			END { exit !(sum > 0 && sum - all < 1e-6 && all - sum < 1e-6) }' "$tmp/out" "$tmp/numbers"
		ok $? "is all on the page"
		touch -d '2001-01-01' "$tmp/sites.ktr"
		check 0 "a trace from before the program was built" "$cea" contention --csv --marks "$tmp/sites" "$tmp/sites.ktr"
		lacks "waits.c:" "has no lines"
	fi
else
	skip "libosvec-sites.so is not built here, or nothing can be recorded in the kernel"
fi

browser=$(command -v chromium chromium-browser google-chrome | head -1)
if [ "$browser" ]; then
	"$cea" report -o "$page" "$tmp/two.log"
	# What a reader would click, and what is to be seen then, behind the page's own script.
	cat >>"$page" <<'E2'
<script>
const rows = () => [...get('waits').tBodies[0].rows].filter(r => !r.className).map(r => r.cells[1].textContent).join();
const said = [rows(), get('waits').querySelectorAll('.causes').length];
get('waits').tHead.rows[0].cells[4].firstChild.click();
said.push(rows());
get('filter').value = 'CHILD'; get('filter').oninput();
said.push(rows());
get('filter').value = ''; get('scopes').rows[0].querySelector('button').click();
said.push(rows(), get('scopes').rows[0].getAttribute('aria-selected'), get('scopes').querySelectorAll('.bar span').length > 1);
document.body.append(make('pre', { id: 'said', textContent: said.join(';') }));
</script>
E2
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/chromium" --enable-logging=stderr --dump-dom \
		"file://$page" >"$tmp/dom" 2>"$tmp/log"
	grep -i console "$tmp/log"; [ $? -eq 1 ]; ok $? "the browser's console stays empty"
	is "$(sed -n 's/.*<pre id="said">\(.*\)<\/pre>.*/\1/p' "$tmp/dom")" "pipe,child;1;child,pipe;child;child,pipe;true;true" \
		"waits can be sorted, filtered and chosen by their place"
else
	skip "no chromium here"
fi
done_testing
