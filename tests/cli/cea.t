#!/bin/sh
# SPDX-License-Identifier: MIT
# cea from the command line, on logs of which it is known what they mean.
. "$(dirname "$0")/tap.sh"
cea=$build/bin/cea

two_log >"$tmp/two.log"
check 0 "a log of strace" "$cea" "$tmp/two.log"
says "not in a category: 0 ns" "all time is in a category"
says "not in a cause: 0 ns" "all waits have causes"
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
is "$(sed -n 's/^[^,]*,\([^,]*\),\([^,]*,[^,]*\),demo pipe: wake-up,.*/\1,\2/p' "$tmp/out")" "0.001,2,0.0005" \
	"without late wake-ups in the pipe the run would be shorter by the one on which it depends, not by all of the wait"
is "$(sed -n 's/^[^,]*,\([^,]*\),\([^,]*,[^,]*\),demo child: wake-up,.*/\1,\2/p' "$tmp/out")" "0.0001,1,0.0001" \
	"and without the late one at its end, by as much, not by all that the end of the wait brings"
check 0 "each place" "$cea" waits --csv "$tmp/two.log"
awk -F, 'NR > 1 { sum[$2] += $10; all[$2] = $5 }
	END { for (p in sum) if (sum[p] - all[p] > 1e-9 || all[p] - sum[p] > 1e-9) exit 1 }' "$tmp/out"
ok $? "has causes that add up to it"
awk -F, '$2 == "child" && $13 == "demo user" && $10 > 0.095 && $10 < 0.1 { n++ } END { exit n != 1 }' "$tmp/out"
ok $? "what the child did, less what the parent did meanwhile"
check 0 "as text" "$cea" waits "$tmp/two.log"
says "demo waits (pipe) for demo" "a place has its heading"
says "2 waits, not in a cause: 0 ns" "and nothing is left of all waits"
check 0 "the longest of them" "$cea" waits --csv --top 1 "$tmp/two.log"
is "$(sed 1d "$tmp/out" | cut -d, -f1,2 | sort -u)" "demo,pipe" "is one place"
check 0 "each thread" "$cea" time --by thread --csv "$tmp/two.log"
awk -F, 'NR > 1 { sum = 0; for (i = 4; i < NF; i++) sum += $i; n += sum > $3 - 1e-9 && sum < $3 + 1e-9 && $NF == 0 }
	END { exit n != 2 }' "$tmp/out"
ok $? "has all its time in categories"
is "$(sed 1d "$tmp/out" | cut -d, -f3 | tr '\n' ' ')" "0.5041 0.5001 " "which is that from its first to its last event"
check 0 "the first of them" "$cea" time --by thread --top 1 --csv "$tmp/two.log"
is "$(wc -l <"$tmp/out")" 2 "is one row"
check 0 "and each program" "$cea" time "$tmp/two.log"
says "demo - 1.00 s" "has a row for the time of its threads"
says "not in a category: 0 ns" "of which nothing is left"
check 0 "contention" "$cea" contention --json "$tmp/two.log"

chain_log >"$tmp/chain.log"
check 0 "a chain of three" "$cea" waits --csv "$tmp/chain.log"
awk -F, 'function near(x, y) { return x > y - 0.0002 && x < y + 0.0002 }
	$1 == "third" && $3 == "second" { n++; wrong += $4 != 2 || !near($5, 0.371) || !near($6, 0.07) ||
		$7 != $5 || !near($8, 0.336) }
	END { exit !n || wrong }' "$tmp/out"
ok $? "two waits, their sum, in how much of it the waker worked, all of it guessed, and the longer one"

check 0 "as text" "$cea" waits "$tmp/chain.log"
says "the waker (a guess) worked during 19 %" "0.07 of 0.371 s"
says "-14.0%" "what the waiter did more is a cause, too"
check 0 "the large ones" "$cea" waits --least 90 "$tmp/chain.log"
says "+6.2% 23.1 ms 120 us - (smaller causes: 7)" "and what is left of them"
check 0 "all of them" "$cea" "$tmp/chain.log"
says "wakers worked during 55.5 % of that time" "in how much of the time wakers worked: 0.07 + 0.305 of 0.676 s"
says "waker unknown: 0.0 %, guessed: 100.0 %" "all of it guessed"
check 0 "its causes" "$cea" --csv "$tmp/chain.log"
awk -F, '$5 == "first user" { n++; wrong += $2 < 0.696 || $2 > 0.698 || $11 < 0.347 || $11 > 0.349 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "half of the time of one that delays two is indirect"
is "$(awk -F, '$5 == "first user" { print $6 }' "$tmp/out")" second "are shown where they took most, not where waits are longest"

check 0 "all its causes" "$cea" --csv --top 32 "$tmp/chain.log"
awk -F, 'NR > 1 { n++; wrong += $2 <= 0 } END { exit !n || wrong }' "$tmp/out"
ok $? "made waits longer"
awk -F, 'NR > 2 { wrong += $4 > gain || ($4 == gain && $2 > ns) } NR > 1 { gain = $4; ns = $2; wrong += $10 != "" } END { exit wrong }' "$tmp/out"
ok $? "what gains most comes first, of that what took longest, and nothing is at a marked place"

# Two that write to a disk, from 0 to 100 ms and from 50 to 150 ms: each has half of it while both do.
cat >"$tmp/disk.log" <<'X'
100 1700000000.000000 execve("/bin/demo", ["demo"], 0x7f /* 1 var */) = 0 <0.000100>
100 1700000000.001000 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 101 <0.000100>
100 1700000001.000000 fsync(3</tmp/f>) = 0 <0.100000>
101 1700000001.050000 fsync(3</tmp/f>) = 0 <0.100000>
101 1700000002.000000 exit_group(0) = ?
101 1700000002.000100 +++ exited with 0 +++
100 1700000002.100000 exit_group(0) = ?
100 1700000002.100100 +++ exited with 0 +++
X
check 0 "a disk" "$cea" contention --csv "$tmp/disk.log"
is "$(sed -n 's/^disk,[^,]*,\([^,]*\),[^,]*,[^,]*,\([^,]*\).*/\1 \2/p' "$tmp/out" | tr '\n' ' ')" "0.15 (itself) 0.05 demo " \
	"is lost to the other one only while both want it"
is "$(sed -n 's/^disk,\([^,]*\),.*/\1/p' "$tmp/out" | tr '\n' ' ')" "0.75 0.25 " "in shares of all that was lost"

check 0 "waits for a disk" "$cea" "$tmp/disk.log"
says "; 2 waits for other threads or disks: 200 ms, not in a cause: 0 ns" "have causes"
sed 's/fsync(.*) =/nanosleep(NULL, NULL) =/' "$tmp/disk.log" >"$tmp/timer.log"
check 0 "waits that no thread ended" "$cea" "$tmp/timer.log"
grep -q '^events were lost' "$tmp/out"; ok $? "have no wakers"
check 0 "what requests took" "$cea" contention --map --csv "$tmp/disk.log"
is "$(sed -n 2p "$tmp/out" | cut -d, -f1-9)" "disk,1,0.2,2,0.15,0,0,0,0.05" "is the time of all who used it meanwhile"
check 0 "as text" "$cea" contention --map "$tmp/disk.log"
says "100.0% 200 ms 2 150 ms 0 s 0 s 0 s 50.0 ms demo" "in one row"
says "not charged to anybody: 0 ns" "and nothing is left"
check 0 "of each process" "$cea" contention --by process --csv "$tmp/disk.log"
is "$(sed 1d "$tmp/out" | cut -d, -f3-6 | sort | tr '\n' ' ')" "0.025,1,demo 100,demo 101 0.025,1,demo 101,demo 100 0.075,1,demo 100,(itself) 0.075,1,demo 101,(itself) " \
	"each has what it took from the other"
check 2 "of nothing else" "$cea" contention --by bogus "$tmp/disk.log"
check 0 "the largest" "$cea" contention --top 1 --csv "$tmp/disk.log"
is "$(wc -l <"$tmp/out")" 2 "is one row"

# Three programs on one CPU.  a waits for a lock, 20 and 10 ms for b to leave the CPU, and 5 for c; b 7 and 15 ms for a, and
# in the second of these waits 5 for c.
awk 'BEGIN { print "# tracer: nop" }
	{ split($2, from, "-"); split($3, to, "-"); printf "%s [000] d..2. 1.%03d000: ", $2, $1 }
	NF == 4 { printf "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120\n", \
		from[1], from[2], $4, to[1], to[2]; next }
	{ $1 = $2 = ""; print }' >"$tmp/turns.txt" <<'X'
0 swapper-0 a-10 R
1 a-10 sys_enter: NR 202 (1000, 0, 2, 0, 0, 0)
1 a-10 b-11 S
3 b-11 sched_waking: comm=a pid=10 prio=120 target_cpu=000
3 b-11 c-12 R
3 c-12 a-10 S
3 a-10 sys_exit: NR 202 = 0
10 a-10 b-11 R
30 b-11 a-10 R
40 a-10 c-12 R
45 c-12 a-10 S
50 a-10 b-11 R
60 b-11 a-10 S
61 a-10 swapper-0 S
X
check 0 "waits for a CPU" "$cea" --csv --top 32 "$tmp/turns.txt"
is "$(awk -F, '$5 ~ /^[ab] runnable$/ { print $5, $2, $3, $9, ($4 > 0) ";" }' "$tmp/out" | sort | xargs)" "a runnable 0.035 3 b 1; b runnable 0.027 2 a 0;" \
	"are one cause, each counts once, who had the CPU most is named, and without those of the last one the run would gain"

page=$tmp/cea.html
check 0 "a page" "$cea" report -o "$page" "$tmp/two.log"
check 0 "a page on standard output" "$cea" report -o - "$tmp/two.log"
cmp -s "$tmp/out" "$page"; ok $? "is the same"
is "$(grep -c '</script>' "$page")" 3 "no name can end its script"
grep -q 'http[s]*://' "$page"; [ $? -eq 1 ]; ok $? "it needs no network"
check 0 "a page of the longest waits" "$cea" report -o "$page" --top 1 "$tmp/two.log"
is "$(grep -o '"longest":' "$page" | wc -l)" 1 "has no others"
check 0 "a page of the most that was lost" "$cea" report -o "$page" --top 1 "$tmp/disk.log" --by process
is "$(grep -o '"parts":' "$page" | wc -l)" 1 "has no other requests"
check 0 "a page of all of it" "$cea" report -o "$page" --by process "$tmp/disk.log"
grep -q '{"resource":"disk","waiter":"demo 101","count":1,"seconds":0.1,"parts":\[0.075,0,0,0,0.025\],"lost":\[{"server":null,"user":"(itself)","count":1,"seconds":0.075},{"server":null,"user":"demo 100","count":1,"seconds":0.025}\]}' "$page"
ok $? "says what each one waited for, and who had it"
check 2 "a page without a file" "$cea" report "$tmp/nosuch"
cp "$tmp/two.log" "$tmp/kept.log"
check 2 "a page instead of the trace" "$cea" report -o "$tmp/kept.log" "$tmp/kept.log"
cmp -s "$tmp/two.log" "$tmp/kept.log"
ok $? "which stays"
check 2 "a page as JSON" "$cea" report --json -o "$page.2" "$tmp/nosuch"
check 1 "a directory that is not there" "$cea" report -o "$tmp/none/cea.html" "$tmp/two.log"

check 0 "options without a command" "$cea" --top 1 --csv "$tmp/two.log"
is "$(wc -l <"$tmp/out")" 2 "are those of the summary"

# A file of two pages: what one writes into the first, the other one reads; of the second both write their own half.
cat >"$tmp/shared.log" <<'X'
100 1700000000.000000 execve("/bin/maker", ["maker"], 0x7f /* 1 var */) = 0 <0.001000>
100 1700000000.003000 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 101 <0.000100>
101 1700000000.004000 execve("/bin/user", ["user"], 0x7f /* 1 var */) = 0 <0.001000>
100 1700000000.010000 openat(AT_FDCWD</>, "/tmp/f", O_RDWR) = 3</tmp/f> <0.000010>
101 1700000000.010000 openat(AT_FDCWD</>, "/tmp/f", O_RDWR) = 3</tmp/f> <0.000010>
100 1700000000.020000 write(3</tmp/f>, "x"..., 4096) = 4096 <0.000010>
101 1700000000.030000 pread64(3</tmp/f>, "x"..., 100, 50) = 100 <0.000030>
100 1700000000.040000 pwrite64(3</tmp/f>, "x"..., 100, 4096) = 100 <0.000010>
101 1700000000.050000 pwrite64(3</tmp/f>, "x"..., 100, 6000) = 100 <0.000020>
100 1700000000.060000 pwrite64(3</tmp/f>, "x"..., 100, 4096) = 100 <0.000010>
100 1700000000.070000 openat(AT_FDCWD</>, "/tmp/g", O_RDWR) = 4</tmp/g> <0.000010>
101 1700000000.070000 openat(AT_FDCWD</>, "/tmp/g", O_RDWR) = 4</tmp/g> <0.000010>
100 1700000000.080000 pwrite64(4</tmp/g>, "x"..., 8192, 0) = 8192 <0.000010>
101 1700000000.090000 pread64(4</tmp/g>, "x"..., 8192, 0) = 8192 <0.000080>
101 1700000000.503000 exit_group(0) = ?
101 1700000000.503100 +++ exited with 0 +++
100 1700000000.504000 exit_group(0) = ?
100 1700000000.504100 +++ exited with 0 +++
X
check 0 "a shared file" "$cea" sharing --file /tmp/f --csv "$tmp/shared.log"
is "$(sed 1d "$tmp/out" | tr '\n' ' ' | tr -d '"')" \
	"/tmp/f,false sharing,1,2,3,2,1,0,0,0,2,3e-05 /tmp/f,one producer, one consumer,1,2,2,2,1,0,0,1,0,3e-05 " \
	"one page is handed on, the other one moves for nothing"
check 0 "which bytes those are" "$cea" sharing --ranges --page 512 --csv "$tmp/shared.log"
sed 's/one producer, one consumer/handed on/' "$tmp/out" | tr -d '"' |
	awk -F, 'NR > 1 { print $1, $2, $3, $(NF - 1), $NF }' >"$tmp/ranges"
is "$(sort "$tmp/ranges" | tr '\n' ';')" \
	"/tmp/f handed on 1 0 512;/tmp/f private 1 5632 6144;/tmp/f private 8 512 4608;/tmp/g handed on 16 0 8192;" \
	"is a row for each range"
check 0 "another one" "$cea" sharing --file /tmp/g --csv "$tmp/shared.log"
is "$(sed 1d "$tmp/out" | cut -d, -f2-5 | tr -d '"')" "one producer, one consumer,2,2" "has two pages"
is "$(sed 1d "$tmp/out" | sed 's/.*,//')" 8e-05 "which one call takes its time for"
check 0 "smaller pages" "$cea" sharing --file /tmp/f --page 1k --csv "$tmp/shared.log"
lacks "false sharing" "are not shared falsely"
check 0 "who moves it" "$cea" sharing --file /tmp/f --moves --csv "$tmp/shared.log"
is "$(sed 1d "$tmp/out" | cut -d, -f1-7 | sort | tr '\n' ' ')" "maker,,user,,/tmp/f,1,1 user,,maker,,/tmp/f,0,1 " \
	"from whom to whom"
is "$(sed -n 's/^maker,.*,//p' "$tmp/out")" 5e-05 "and how long that took"
check 0 "by threads" "$cea" sharing --file /tmp/f --by thread --moves --csv "$tmp/shared.log"
is "$(sed 1d "$tmp/out" | cut -d, -f1,3 | sort | tr '\n' ' ')" "maker 100,user 101 user 101,maker 100 " "these are named"
check 0 "as a graph" "$cea" sharing --file /tmp/f --by thread --moves --dot "$tmp/shared.log"
says 'p1_0 [label="user 101"]' "they are its nodes"
says 'p0_0 -> p1_0 [label=" f\n 1 needed, 1 false"]' "and moves its edges"
check 0 "what follows what" "$cea" sharing --file /tmp/f --transitions --csv "$tmp/shared.log"
is "$(sed 1d "$tmp/out" | tr '\n' ' ')" "nowhere,at 1 other,2,0.666666667 at 1 other,at 1 other,1,0.333333333 " "in shares of all"
check 0 "as a graph" "$cea" sharing --file /tmp/f --dot "$tmp/shared.log"
says 's0 -> s1 [label=" 66.7%"' "with them at its edges"
says 's1 [label="at 1 other\n60.0% of uses"' "and the share of uses at its nodes"
sed -n 's/[.]050\(.*6000\)/.065\1/p; s/[.]060\(.*4096\)/.066\1/p' "$tmp/shared.log" | sort -s -k 2,2 -o "$tmp/often.log" - "$tmp/shared.log"
check 0 "a page that goes to and fro" "$cea" sharing --file /tmp/f --transitions --csv "$tmp/often.log"
is "$(sed 1d "$tmp/out" | cut -d, -f 1-3 | tr '\n' ' ')" "at 1 other,at 1 other,3 nowhere,at 1 other,2 " "what is most often comes first"
check 0 "no such file" "$cea" sharing --file '*.none' "$tmp/shared.log"
says "no file was read or written" "is said"
check 0 "nor what follows what" "$cea" sharing --transitions --file '*.none' "$tmp/shared.log"
says "no file was read or written" "in that"
check 2 "who else" "$cea" sharing --by bogus "$tmp/shared.log"
check 2 "two tables at once" "$cea" sharing --ranges --moves "$tmp/shared.log"
check 2 "a picture of ranges" "$cea" sharing --ranges --dot "$tmp/shared.log"
check 0 "a picture of moves" "$cea" sharing --moves --dot "$tmp/shared.log"
check 2 "places of what does not move" "$cea" sharing --marks "$tmp" "$tmp/shared.log"

# Ten processes that read a file of two pages; half of them read only the first.
{
	echo '100 1700000000.000000 execve("/bin/readers", ["readers"], 0x7f /* 1 var */) = 0 <0.001000>'
	awk 'BEGIN {
		for (p = 101; p < 110; p++)
			printf "100 1700000000.0%05d clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = %d <0.000010>\n", 100 * p, p
		for (p = 100; p < 110; p++)
			printf "%d 1700000000.1%05d openat(AT_FDCWD</>, \"/tmp/h\", O_RDONLY) = 3</tmp/h> <0.000010>\n", p, 100 * p
		for (p = 100; p < 110; p++) {
			n = p < 105 ? 8192 : 4096
			printf "%d 1700000000.2%05d pread64(3</tmp/h>, \"x\"..., %d, 0) = %d <0.000010>\n", p, 100 * p, n, n
		}
	}'
} >"$tmp/readers.log"
check 0 "many readers" "$cea" sharing --csv "$tmp/readers.log"
is "$(sed 1d "$tmp/out" | tr -d '"')" "/tmp/h,read only,2,10,15,15,2,0,13,0,0,0" "of a page there are so many at most"
check 0 "where it was" "$cea" sharing "$tmp/readers.log"
says "at 8 others or more" "is counted up to eight others"

check 0 "memory in a trace without faults" "$cea" sharing --memory "$tmp/shared.log"
says "no write to memory was recorded" "is said"
says "Cache lines were not looked at" "and what is not looked at"
says "Who reads a page is not seen" "and who is not seen"

# Three documents at two proxies, in squid's own format and in the common one.
cat >"$tmp/one.log" <<'X'
1000.000    100 10.0.0.9 TCP_MISS/200 500 GET http://a/1 - HIER_DIRECT/1.1.1.1 text/html
1001.000      2 10.0.0.9 TCP_MEM_HIT/200 500 GET http://a/1 - HIER_NONE/- text/html
1004.000     20 10.0.0.9 TCP_MISS/200 500 GET http://a/2 - SIBLING_HIT/10.0.0.2 text/html
1004.500     30 10.0.0.9 TCP_REFRESH_UNMODIFIED/200 500 GET http://a/2 - HIER_DIRECT/1.1.1.1 text/html
1004.700     30 10.0.0.9 TCP_MISS/200 500 GET http://a/4 - CARP/10.0.0.3 text/html
1004.900    nan 10.0.0.9 TCP_MISS/200 500 GET http://a/5 - HIER_DIRECT/1.1.1.1 text/html
1005.000     20 10.0.0.9 TCP_DENIED/403 500 GET http://a/3 - HIER_NONE/- text/html
X
cat >"$tmp/two.access" <<'X'
10.0.0.9 - - [01/Jan/1970:01:16:42 +0100] "GET http://a/2 HTTP/1.1" 200 500 TCP_MISS:HIER_DIRECT
10.0.0.9 - - [01/Jan/1970:00:16:43 +0000] "GET http://a/1 HTTP/1.1" 200 500 TCP_MISS:HIER_DIRECT
10.0.0.9 - - [01/Jan/1970:00:16:50 +0000] "GET http://a/1 HTTP/1.1" 200 500 "-" "curl" TCP_MISS:HIER_DIRECT
X
check 0 "logs of proxies" "$cea" caches --csv "$tmp/one.log" "$tmp/two.access"
is "$(sed 1d "$tmp/out" | cut -d, -f1-3 | tr '\n' ' ')" \
	"nowhere,parent,1 nowhere,server,2 here,own cache,2 at 1 other,sibling,1 at 1 other,server,2 " "where documents were"
says "not about documents, left out: 1" "what was refused is none"
says "not a line of an access log; 1 such" "nor is a line without numbers one"
check 0 "in words" "$cea" caches "$tmp/one.log" "$tmp/two.access"
says "8 requests to 2 proxies for 3 documents; at the end, 2 (66.7 %) of these are in several proxies" "how many copies there are"
sed -i 's/ TCP_.*//' "$tmp/two.access"
check 0 "logs that do not say what was cached" "$cea" caches "$tmp/two.access"
says "is assumed to keep all" "are read as if all was"
# The child's requests for all documents but the second one begin before the parent's answer to them is complete.
log() {
	while read -r ms took; do
		echo "1700000000.0$ms $took 10.0.0.9 TCP_MISS/200 500 GET http://a/$((ms / 10)) - $1/10.0.0.3 text/html"
	done
}
printf '50 20\n65 4\n71 9\n80 2\n' | log FIRSTUP_PARENT >"$tmp/child.log"
printf '50 20\n60 4\n70 7\n80 2\n' | log HIER_DIRECT | sed 's/080 2/078 0/' >"$tmp/parent.log"
for logs in "child parent" "parent child"; do
	check 0 "a proxy that asks another one: $logs" "$cea" caches --csv "$tmp/${logs% *}.log" "$tmp/${logs#* }.log"
	is "$(sed 1d "$tmp/out" | cut -d, -f1-3 | tr '\n' ' ')" "nowhere,parent,3 nowhere,server,4 at 1 other,parent,1 " \
		"what the other one fetches meanwhile was nowhere before"
done
check 1 "what is no log" "$cea" caches "$tmp/shared.log"
check 1 "a log that is not there" "$cea" caches "$tmp/none.log"
check 1 "a directory" "$cea" caches "$tmp"
grep -q "$tmp: Is a directory" "$tmp/err"
ok $? "is said to be one"
check 2 "a log that is given twice" "$cea" caches "$tmp/one.log" "$tmp/two.access" "$tmp/one.log"
cat >"$tmp/errors.log" <<'X'
1700000000.000 10 10.0.0.1 TCP_MISS/503 100 GET http://a/x - HIER_NONE/- text/html
1700000001.000 10 10.0.0.1 TCP_MISS/200 100 GET http://a/x - HIER_DIRECT/a text/html
X
check 0 "an error" "$cea" caches --csv "$tmp/errors.log"
is "$(sed 1d "$tmp/out" | cut -d, -f1,3)" "nowhere,1" "is no document that would be there at the next request"

# A program whose work grows with N^2 and whose waits with P log P.
cat >"$tmp/times" <<'X'
# seconds of all processors
processors size computation synchronization
1 1000 1.0 0
2 1000 1.0 0.05
4 1000 1.0 0.2
1 2000 4.0 0
2 2000 4.0 0.05
4 2000 4.0 0.2
8 2000 4.0 0.6
X
check 0 "a model of few runs" "$cea" model --csv --times "$tmp/times" --upto 2
awk -F, '$1 == 4 && $2 == 2000 { n++; wrong += $5 >= $4 || $6 <= $4 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "has a wide range of predictions"
is "$(awk -F, '$1 == 2 { print $2, $3 }' "$tmp/out" | tr '\n' ' ')" "1000 0.525 2000 2.025 " "beside what was measured at each size"
check 0 "a model" "$cea" model --times "$tmp/times" --upto 4 --at 16,4000
says "1e-06 N^2" "computation grows with the size"
says "0.025 P log P" "and waits with the processors"
says "least accurate:" "the worst law is named"
check 0 "as CSV" "$cea" model --csv --times "$tmp/times" --upto 4 --at 16,4000
awk -F, '$1 == 8 && $2 == 2000 && $3 == 0.575 && $7 < 0.001 && $7 > -0.001 { a = 1 }
	$1 == 16 && $2 == 4000 && $3 == "" && $4 > 1.099 && $4 < 1.101 && $5 <= $4 && $6 >= $4 && $8 > 14.5 && $8 < 14.6 { b = 1 }
	END { exit !(a && b) }' "$tmp/out"
ok $? "which predicts runs that it does not know, and speed-up"
check 0 "one run" "$cea" model --json 1:"$tmp/two.log"
is "$(sed -n 's/.*"residual_seconds": \([^,}]*\).*/\1/p' "$tmp/out")" 0 "all time of a processor is in a category"
check 0 "two processors" "$cea" model 2:"$tmp/two.log"
says "not in a category: 0 ns" "all time of both is in a category"
says "nothing says how time grows" "one setting is no law"
check 0 "as CSV" "$cea" model --csv 2:"$tmp/two.log"
is "$(sed -n 3p "$tmp/out")" 4,1,,,,,,, "and predicts no other one"
# Which of two runs these tell about: P or N is one that they have, or varies among them.
while IFS='|' read -r table known unknown; do
	printf "processors size computation\n$table" >"$tmp/grow"
	check 0 "runs that are alike" "$cea" model --csv --times "$tmp/grow" --at "$known" --at "$unknown"
	is "$(tail -2 "$tmp/out" | cut -d, -f1,2,4)" "$known,2
$unknown," "say nothing of $unknown"
done <<'X'
1 100 1\n1 200 2\n|1,200|2,200
2 100 4\n4 100 8\n|8,100|8,200
X
check 2 "no processors" "$cea" model "$tmp/two.log"
check 2 "no trace of two" "$cea" model 2:
says "'2:': not P:TRACE" "is shown as it was given"
check 2 "an option without its value" "$cea" --top
says "--top needs N" "is one of the summary"
check 2 "half a processor" "$cea" model 0.5:"$tmp/two.log"
check 2 "and as a prediction" "$cea" model --at 0.5 1:"$tmp/nosuch"
check 1 "too few of them" "$cea" model --upto 1 2:"$tmp/two.log"
printf 'processors computation\n2 1.1\n1 1\n' >"$tmp/uneven"
check 0 "a law that does not fit" "$cea" model --times "$tmp/uneven"
says "least accurate: computation, off by 9.56 %" "is wrong by shares of all that processors did"
is "$(awk 'END { print $1 }' "$tmp/out")" 4 "twice the most processors are predicted"
echo "1 1000 x" >>"$tmp/times"
check 1 "no number" "$cea" model --times "$tmp/times"
says "times:10: 'x'" "is named with its line"
echo "processors bogus" >"$tmp/times"
check 1 "no category" "$cea" model --times "$tmp/times"
# What is wrong with a table, as printf writes it.
while IFS='|' read -r table message; do
	printf "$table" >"$tmp/times"
	check 1 "a table that is wrong" "$cea" model --times "$tmp/times"
	grep -q "times$message" "$tmp/err"
	ok $? "is refused: $message"
done <<'X'
processors computation\n2 0\n|:2: all times are 0
processors computation\n2.5 1\n|:2: processors: not an integer
processors computation\n1e9 1\n|:2: processors: not an integer
processors computation\n2 1e308\n|:2: '1e308' is not a number
processors computation computation\n2 1 1\n|: column 'computation' is there twice
processors computation\n|: contains no run
X
printf 'processors computation\n1 10\n2 5\n4 2.5\n8 1.25\n' >"$tmp/times"
check 0 "a law of the inverse" "$cea" model --times "$tmp/times"
says "10 / P" "is written as one"
# Runs of a program that ccmod simulates: the larger one is predicted from the smaller ones, and known.
runs=
for p in 1 2 4 8 16 32; do
	awk -v p=$p 'BEGIN { print "ranks " p "\nrank *\nrepeat 30\ncompute exp:" 400 / p "ms\nallreduce 8\nend" }' >"$tmp/uneven.wl"
	"$build/bin/ccmod" predict -n fattree-128 --trace "$tmp/uneven$p.ktr" "$tmp/uneven.wl" >"$tmp/out"
	runs="$runs $p:$tmp/uneven$p.ktr"
done
# shellcheck disable=SC2086
check 0 "simulated runs" "$cea" model --csv --program ranks --upto 16 $runs
awk -F, '$1 == 32 { n++; print "# " $7; wrong += $7 < -0.2 || $7 > 0.2; wrong += $9 > 0.5 } END { exit n != 1 || wrong }' "$tmp/out"
ok $? "twice the processors: the time within a fifth, and less than half of it is useful"
check 0 "fewer processors than there are" "$cea" model --program ranks 2:"$tmp/uneven8.ktr"
says "is the number of processors right?" "are noticed"
# shellcheck disable=SC2086
check 1 "a program that is not there" "$cea" model --program none $runs
says "no program 'none'" "is named"
check 2 "no trace" "$cea" waits
check 1 "a trace that is not there" "$cea" "$tmp/nosuch"
check 2 "an unknown command" "$cea" bogus
check 2 "no such word" "$cea" time --by bogus "$tmp/nosuch"
check 2 "two formats" "$cea" time --json --csv "$tmp/two.log"
mkdir "$tmp/a b"
cp "$tmp/two.log" "$tmp/a b/c d.log"
check 0 "a name with blanks" "$cea" "$tmp/a b/c d.log"

# While a library is loaded, whose constructor waits for a thread of its own, that thread takes a lock.
cat >"$tmp/loaded.c" <<'X'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *take(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}
__attribute__((constructor)) static void begin(void)
{
	pthread_t t;
	pthread_create(&t, 0, take, 0);
	pthread_join(t, 0);
}
X
cat >"$tmp/loads.c" <<'X'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	alarm(60);
	puts(dlopen(argv[argc - 1], RTLD_NOW) ? "loaded" : dlerror());
	return 0;
}
X
mkdir "$tmp/loaded.marks"
if [ -e "$build/lib/libosvec-sites.so" ] && ${CC:-cc} -shared -fPIC -o "$tmp/loaded.so" "$tmp/loaded.c" -pthread 2>"$tmp/err" &&
	${CC:-cc} -o "$tmp/loads" "$tmp/loads.c" -ldl -pthread 2>"$tmp/err"; then
	is "$(OSVEC_MARKS="$tmp/loaded.marks" LD_LIBRARY_PATH="$build/lib" LD_PRELOAD=libosvec-sites.so "$tmp/loads" "$tmp/loaded.so" 2>&1)" \
		loaded "a place is found without the lock of the loader"
	is "$(OSVEC_MARKS="$tmp/none" LD_LIBRARY_PATH="$build/lib" LD_PRELOAD=libosvec-sites.so "$tmp/loads" "$tmp/loaded.so" 2>&1)" \
		"OSVEC_MARKS=$tmp/none: No such file or directory: no marks are written
loaded" "a directory that is not there is said"
else
	skip "nothing can be compiled here, or libosvec-sites.so is not built: $(head -1 "$tmp/err")"
fi

# What a reader would click, and what is to be seen then.
"$cea" report -o "$page" "$tmp/two.log"
browse "$page" <<'E2' && is "$said" "pipe,child;1;100,true;true,-;child,pipe;child;child,pipe;true;true" "waits can be sorted, filtered and chosen by their place"
const rows = () => [...get('waits').tBodies[0].rows].filter(r => !r.className).map(r => r.cells[1].textContent).join();
const all = get('waits').querySelectorAll('.causes'), rest = [...all[0].tBodies[0].rows];
const row0 = get('waits').tBodies[0].rows[0], unknown = waitRow({ ...data.waits[0], waker: null, guess: false })[0];
said.push(rows(), all.length, [sum(rest.map(r => parseFloat(r.cells[2].textContent))).toFixed(), rest.some(r => /^.smaller/.test(r.textContent))]);
said.push([/\(a guess\)$/.test(row0.cells[2].textContent), unknown.cells[6].textContent]);
get('waits').tHead.rows[0].cells[4].firstChild.click();
said.push(rows());
get('filter').value = 'CHILD'; get('filter').oninput();
said.push(rows());
get('filter').value = ''; get('scopes').rows[0].querySelector('button').click();
said.push(rows(), get('scopes').rows[0].getAttribute('aria-selected'), get('scopes').querySelectorAll('.bar span').length > 1);
E2
browse "$page" <<'E5' && is "$said" " demo,2rem solve,4rem solve,4rem exchange,2rem rest > halo" "a marked block is below the one that it is inside of"
const names = ['solve', 'solve > exchange', 'rest > halo'], rows = get('scopes').tBodies[0];
rows.replaceChildren();
scopeRows(names.map((name, id) => ({ ...data.scopes[0], id, name })), 0);
said.push([...rows.rows].map(r => `${r.cells[0].style.paddingLeft} ${r.cells[0].textContent}`).join());
E5
"$cea" report -o "$page" --by process "$tmp/disk.log"
browse "$page" <<'E4' && is "$said" "disk;disk;3;demo 100,(itself),demo 101;75.0 ms (75.0 %)" "requests have a table of who used what they waited for"
const rows = get('requests').tBodies[0].rows;
said.push(rows[0].cells[1].textContent, rows[1].cells[1].textContent, rows[0].querySelectorAll('.bar span').length - 2);
[...rows].find(r => r.textContent.startsWith('demo 100')).querySelector('button').click();
const table = document.querySelector('table.lost');
said.push(['demo 100', ...[...table.tBodies[0].rows].map(r => r.cells[0].textContent)].join(), table.tBodies[0].rows[0].cells[1].textContent);
E4
done_testing
