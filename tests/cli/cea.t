#!/bin/sh
# SPDX-License-Identifier: MIT
# cea from the command line, on a log of two processes and a pipe, and on recorded programs of which it is known
# why they wait.
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
check 0 "each place" "$cea" waits --csv "$tmp/two.log"
awk -F, 'NR > 1 { sum[$2] += $10; all[$2] = $5 }
	END { for (p in sum) if (sum[p] - all[p] > 1e-9 || all[p] - sum[p] > 1e-9) exit 1 }' "$tmp/out"
ok $? "has causes that add up to it"
awk -F, '$2 == "child" && $13 == "demo user" && $10 > 0.095 && $10 < 0.1 { n++ } END { exit n != 1 }' "$tmp/out"
ok $? "what the child did, less what the parent did meanwhile"
check 0 "as text" "$cea" waits "$tmp/two.log"
says "demo waits (pipe) for demo" "a place has its heading"
check 0 "the longest of them" "$cea" waits --csv --top 1 "$tmp/two.log"
is "$(sed 1d "$tmp/out" | cut -d, -f1,2 | sort -u)" "demo,pipe" "is one place"
check 0 "each thread" "$cea" time --by thread --csv "$tmp/two.log"
awk -F, 'NR > 1 { sum = 0; for (i = 4; i <= NF; i++) sum += $i; n += sum > $3 - 1e-9 && sum < $3 + 1e-9 }
	END { exit n != 2 }' "$tmp/out"
ok $? "has all its time in categories"
check 0 "the first of them" "$cea" time --by thread --top 1 --csv "$tmp/two.log"
is "$(wc -l <"$tmp/out")" 2 "is one row"
check 0 "and each program" "$cea" time "$tmp/two.log"
says "demo" "has a row"
check 0 "contention" "$cea" contention --json "$tmp/two.log"

chain_log >"$tmp/chain.log"
check 0 "a chain of three" "$cea" waits --csv "$tmp/chain.log"
awk -F, 'function near(x, y) { return x > y - 0.0002 && x < y + 0.0002 }
	$1 == "third" && $3 == "second" { n++; wrong += $4 != 2 || !near($5, 0.371) || !near($6, 0.07) ||
		$7 != $5 || !near($8, 0.336) }
	END { exit !n || wrong }' "$tmp/out"
ok $? "two waits, their sum, in how much of it the waker worked, all of it guessed, and the longer one"

check 0 "as text" "$cea" waits "$tmp/chain.log"
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

check 0 "what requests took" "$cea" contention --map --csv "$tmp/disk.log"
is "$(sed -n 2p "$tmp/out" | cut -d, -f1-9)" "disk,1,0.2,2,0.15,0,0,0,0.05" "is the time of all who used it meanwhile"
check 0 "as text" "$cea" contention --map "$tmp/disk.log"
says "100.0% 200 ms 2 150 ms 0 s 0 s 0 s 50.0 ms demo" "in one row"
check 0 "of each process" "$cea" contention --by process --csv "$tmp/disk.log"
is "$(sed 1d "$tmp/out" | cut -d, -f3-6 | sort | tr '\n' ' ')" "0.025,1,demo 100,demo 101 0.025,1,demo 101,demo 100 0.075,1,demo 100,(itself) 0.075,1,demo 101,(itself) " \
	"each has what it took from the other"
check 2 "of nothing else" "$cea" contention --by bogus "$tmp/disk.log"

page=$tmp/cea.html
check 0 "a page" "$cea" report -o "$page" "$tmp/two.log"
is "$(grep -c '</script>' "$page")" 3 "no name can end its script"
grep -q 'http[s]*://' "$page"; [ $? -eq 1 ]; ok $? "it needs no network"
check 2 "a page without a file" "$cea" report "$tmp/nosuch"
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
	"/tmp/f,false sharing,1,2,3,1,0,0,0,2,3e-05 /tmp/f,one producer, one consumer,1,2,2,1,0,0,1,0,3e-05 " \
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
cat >"$tmp/places.c" <<'X'
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mark/osvec-mark.h"
/* On a busy machine, the trace has a call some time after it was made. */
static void be(const char *state)
{
	usleep(100000);
	osvec_state(state);
	usleep(100000);
}
int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
	char c[2] = "x";
	be("make");
	if (pwrite(fd, c, 1, 0) != 1)
		return 1;
	be("rest");
	if (pwrite(fd, c, 1, 4096) != 1)
		return 1;
	if (!fork()) {
		be("use");
		_exit(pread(fd, c, 1, 0) != 1 || pread(fd, c, 1, 4096) != 1 || pwrite(fd, c, 1, 8192) != 1);
	}
	wait(NULL);
	return pread(fd, c, 1, 8192) != 1;
}
X
mkdir "$tmp/places.marks"
if ${CC:-cc} -I lib -o "$tmp/places" "$tmp/places.c" "$build/lib/libosvec-mark.a" -pthread 2>"$tmp/err" &&
	OSVEC_MARKS="$tmp/places.marks" "$build/bin/ktranal" record -q -b ptrace -o "$tmp/places.ktr" -- "$tmp/places" "$tmp/moved" 2>"$tmp/err"; then
	check 0 "places of the program" "$cea" sharing --file "$tmp/moved" --moves --csv --marks "$tmp/places.marks" "$tmp/places.ktr"
	is "$(sed 1d "$tmp/out" | cut -d, -f1-4 | sort | tr '\n' ' ')" "places,make,places,use places,rest,places,use places,use,places,rest " \
		"where it was written and used"
	check 0 "its threads" "$cea" sharing --file "$tmp/moved" --moves --by thread --csv "$tmp/places.ktr"
	awk -F, 'NR > 1 && $1 == $3 { wrong++ } END { exit NR < 2 || wrong }' "$tmp/out"
	ok $? "are told apart"
	check 0 "a graph of them" "$cea" sharing --file "$tmp/moved" --moves --dot --marks "$tmp/places.marks" "$tmp/places.ktr"
	says 'label="places\nuse"' "has them at its nodes"
	lacks 'label="places"' "at all of them"
	check 0 "where pages were used after each other" "$cea" sharing --file "$tmp/moved" --transitions --csv --marks "$tmp/places.marks" "$tmp/places.ktr"
	is "$(sed 1d "$tmp/out" | cut -d, -f1-3,5,6 | sort | tr '\n' ' ')" "nowhere,at 1 other,1,make,use nowhere,at 1 other,1,rest,use nowhere,at 1 other,1,use,rest " \
		"are three steps"
	check 0 "a graph of that" "$cea" sharing --file "$tmp/moved" --dot --marks "$tmp/places.marks" "$tmp/places.ktr"
	says 'label="at 1 other\nuse\n33.3% of uses"' "has places, too"
else
	skip "nothing can be compiled or recorded here: $(head -1 "$tmp/err")"
fi
check 0 "what follows what" "$cea" sharing --file /tmp/f --transitions --csv "$tmp/shared.log"
is "$(sed 1d "$tmp/out" | tr '\n' ' ')" "nowhere,at 1 other,2,0.666666667 at 1 other,at 1 other,1,0.333333333 " "in shares of all"
check 0 "as a graph" "$cea" sharing --file /tmp/f --dot "$tmp/shared.log"
says 's0 -> s1 [label=" 66.7%"' "with them at its edges"
check 0 "no such file" "$cea" sharing --file '*.none' "$tmp/shared.log"
says "no file was read or written" "is said"
check 0 "nor what follows what" "$cea" sharing --transitions --file '*.none' "$tmp/shared.log"
says "no file was read or written" "in that"
check 2 "who else" "$cea" sharing --by bogus "$tmp/shared.log"
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
is "$(sed 1d "$tmp/out" | tr -d '"')" "/tmp/h,read only,2,10,15,2,0,13,0,0,0" "of a page there are so many at most"
check 0 "where it was" "$cea" sharing "$tmp/readers.log"
says "at 8 others or more" "is counted up to eight others"

# Memory that two threads write: the word at its beginning, each its own one in the second page, and a page each.
# Meanwhile a thread does with memory what must work although pages are protected, and says what did not.
cat >"$tmp/memory.c" <<'X'
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile char *memory;
static double at(clockid_t clock) { struct timespec t; clock_gettime(clock, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
static void *work(void *arg)
{
	long me = (long)arg;
	do
		for (int i = 0; i < 100; i++) {
			__atomic_add_fetch((volatile long *)memory, 1, __ATOMIC_RELAXED);
			memory[4096 + 64 * me]++;
			memory[8192 + 4096 * me]++;
		}
	while (at(CLOCK_THREAD_CPUTIME_ID) < 1);
	return NULL;
}
static void *die(void *mutex) { pthread_mutex_lock(mutex); return NULL; }
static int fails(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t *m = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status, fds[2];
	pthread_t t;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(m, &a);
	if (pthread_create(&t, NULL, die, m) || pthread_join(t, NULL) || pthread_mutex_lock(m) != EOWNERDEAD)
		return 1;
	if (pipe(fds) || write(fds[1], "abc", 3) != 3 || read(fds[0], (char *)m + 8192, 3) != 3 || memcmp((char *)m + 8192, "abc", 3))
		return 2;
	close(fds[0]);
	close(fds[1]);
	m = mremap(m, 1 << 16, 1 << 20, MREMAP_MAYMOVE);
	if (m == MAP_FAILED || memcmp((char *)m + 8192, "abc", 3))
		return 3;
	pid_t child = fork();
	if (!child) {
		((char *)m)[8192] = 'x';
		_exit(pthread_create(&t, NULL, die, (char *)m + 16384) || pthread_join(t, NULL));
	}
	if (waitpid(child, &status, 0) != child || status || ((char *)m)[8192] != 'a')
		return 4;
	return munmap(m, 1 << 20);
}
int main(void)
{
	double until = at(CLOCK_MONOTONIC) + 2;
	pthread_t t[2];
	int status = 0;
	memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fprintf(stderr, "%lx\n", (unsigned long)memory);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	while (!status && at(CLOCK_MONOTONIC) < until)
		status = fails();
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return status;
}
X
if [ -e "$build/lib/libosvec-sites.so" ] && ${CC:-cc} -D_GNU_SOURCE -O1 -o "$tmp/memory" "$tmp/memory.c" -pthread 2>"$tmp/err"; then
	# shellcheck disable=SC2016
	check 0 "a program that may open only few files works" sh -c 'ulimit -n 400 && exec "$@"' sh env OSVEC_PAGES=100us \
		LD_LIBRARY_PATH="$build/lib" LD_PRELOAD=libosvec-sites.so "$tmp/memory"
	says "(ulimit -n) is needed: Too many open files" "and why its pages are not sampled is said"
	check 0 "a program whose pages are sampled works" env OSVEC_PAGES=100us LD_LIBRARY_PATH="$build/lib" \
		LD_PRELOAD=libosvec-sites.so "$tmp/memory"
	if grep "is needed" "$tmp/err" >"$tmp/said"; then
		skip "$(cat "$tmp/said")"
	elif "$build/bin/ktranal" record -q -b bpf -o "$tmp/memory.ktr" -- env OSVEC_PAGES=5ms LD_LIBRARY_PATH="$build/lib" \
		LD_PRELOAD=libosvec-sites.so "$tmp/memory" >"$tmp/out" 2>"$tmp/err"; then
		at=$(tail -1 "$tmp/err")
		check 0 "who writes its memory" "$cea" sharing --memory --file "* mmap $at" --csv "$tmp/memory.ktr"
		tr -d '"' <"$tmp/out" | awk -F, 'NR > 1 { row[$2] = $3 " " $4; moved[$2] = $9 " " $10; print "# " $0 }
			END { split(moved["migratory"], m, " "); split(moved["false sharing"], f, " ")
				exit !(row["migratory"] == "1 2" && row["false sharing"] == "1 2" && row["private"] == "2 1" &&
				m[1] > 3 && m[2] == 0 && f[1] == 0 && f[2] > 3 && moved["private"] == "0 0") }'
		ok $? "one page in turn, one falsely shared, and two by one thread each"
		check 0 "where that is" "$cea" sharing --memory --ranges --file "* mmap $at" --csv "$tmp/memory.ktr"
		is "$(awk -F, '$2 != "private" && NR > 1 { print $2, $(NF - 1), $NF }' "$tmp/out" | sort)" \
			"$(printf 'false sharing 0x%x 0x%x\nmigratory 0x%x 0x%x' $((0x$at + 4096)) $((0x$at + 8192)) "0x$at" $((0x$at + 4096)))" \
			"are the addresses of both"
	else
		skip "nothing can be recorded in the kernel here: $(head -1 "$tmp/err")"
	fi
else
	skip "nothing can be compiled here, or libosvec-sites.so is not built: $(head -1 "$tmp/err")"
fi
check 0 "memory in a trace without faults" "$cea" sharing --memory "$tmp/shared.log"
says "no write to memory was recorded" "is said"

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
check 1 "what is no log" "$cea" caches "$tmp/shared.log"
check 1 "a log that is not there" "$cea" caches "$tmp/none.log"

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
says "nothing says how time grows" "one setting is no law"
check 0 "as CSV" "$cea" model --csv 2:"$tmp/two.log"
is "$(sed -n 3p "$tmp/out")" 4,1,,,,,,, "and predicts no other one"
check 2 "no processors" "$cea" model "$tmp/two.log"
check 2 "half a processor" "$cea" model 0.5:"$tmp/two.log"
check 2 "and as a prediction" "$cea" model --at 0.5 1:"$tmp/nosuch"
check 1 "too few of them" "$cea" model --upto 1 2:"$tmp/two.log"
printf 'processors computation\n1 1\n2 1.1\n' >"$tmp/uneven"
check 0 "a law that does not fit" "$cea" model --times "$tmp/uneven"
says "least accurate: computation, off by 9.56 %" "is wrong by shares of all that processors did"
echo "1 1000 x" >>"$tmp/times"
check 1 "no number" "$cea" model --times "$tmp/times"
says "times:10: 'x'" "is named with its line"
echo "processors bogus" >"$tmp/times"
check 1 "no category" "$cea" model --times "$tmp/times"
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
# whole: whether the trace has all events; where some were lost, causes are rightly unknown.
whole() {
	"$cea" --json "$tmp/$1.ktr" >"$tmp/out" 2>"$tmp/err" && [ "$(value lost_ns)" = 0 ]
}

# taken [SINCE]: the seconds that interrupts and the host have taken from programs, in all or, at most, since that was printed.
# To a trace they are work of whoever had the CPU, and the CPU time that a program sees does not have them.
taken() {
	awk -v hz="$(getconf CLK_TCK)" -v since="${1-0.05}" '$1 == "cpu" { print ($7 + $8 + $9) / hz - since + 0.05 }' /proc/stat
}

since=$(taken)
if "$build/bin/ktranal" record -q -b bpf -o "$tmp/n1.ktr" -- taskset -c 0 "$build/tests/bench/nbody" 1 1000 100 >"$tmp/said" 2>"$tmp/err" &&
	"$build/bin/ktranal" record -q -b bpf -o "$tmp/n2.ktr" -- taskset -c 0,1 "$build/tests/bench/nbody" 2 1000 100 >>"$tmp/said" \
		2>"$tmp/err" && whole n1 && whole n2; then
	check 0 "bodies on one and two processors" "$cea" model --json 1:"$tmp/n1.ktr" 2:"$tmp/n2.ktr"
	is "$(tr '}' '\n' <"$tmp/out" | sed -n 's/.*"residual_seconds": \(.*\)/\1/p' | sort -u)" 0 "their time is all there"
	tr '}' '\n' <"$tmp/out" | sed -n 's/.*"computation_seconds": \([^,]*\).*/\1/p' | paste "$tmp/said" - |
		awk -v taken="$(taken "$since")" '{ print "# " $4 " of " $2; wrong += $4 > 1.5 * $2 + taken || $4 < 0.5 * $2 }
			END { exit NR != 2 || wrong }'
	ok $? "and they compute for as long as the program says"
else
	skip "nothing can be recorded in the kernel here, or on two CPUs: $(head -1 "$tmp/err")"
fi

check 2 "no trace" "$cea" waits
check 1 "a trace that is not there" "$cea" "$tmp/nosuch"
check 2 "an unknown command" "$cea" bogus
check 2 "no such word" "$cea" time --by bogus "$tmp/nosuch"
check 2 "two formats" "$cea" time --json --csv "$tmp/two.log"
mkdir "$tmp/a b"
cp "$tmp/two.log" "$tmp/a b/c d.log"
check 0 "a name with blanks" "$cea" "$tmp/a b/c d.log"

# record KIND [MARKS]: runs that program, which says how long its two halves had a CPU: $first, $second; $taken meanwhile.
record() {
	since=$(taken)
	OSVEC_MARKS=${2-} "$build/bin/ktranal" record -q -b bpf -o "$tmp/$1.ktr" -- "$build/tests/bench/waits" "$1" \
		>"$tmp/said" 2>"$tmp/err" || return 1
	first=$(cut -d' ' -f1 "$tmp/said") second=$(cut -d' ' -f2 "$tmp/said") taken=$(taken "$since")
	whole "$1"
}

# Bounds are shares of the CPU time that the program itself has measured: another program's load makes waits longer,
# not the work.
# recorded KIND [MARKS]: the same, else a test is skipped.
recorded() {
	record "$@" || { skip "$1: nothing, or not all, can be recorded in the kernel here: $(head -1 "$tmp/err")"; return 1; }
}

mkdir "$tmp/barrier" "$tmp/lock"
if recorded barrier "$tmp/barrier"; then
	check 0 "two that meet at a barrier" "$cea" waits --csv --marks "$tmp/barrier" "$tmp/barrier.ktr"
	# In each of ten rounds one of them is the last: on a busy machine that need not be the one that has more to do.  The round in
	# which the futex of the barrier has the value of a mutex that is wanted counts as a lock.
	awk -F, -v a="$first" -v b="$second" -v taken="$taken" '
		{ sign = $1 == "waits less: futex" && $3 == "waits more: futex" ? 1 : $1 == "waits more: futex" && $3 == "waits less: futex" ? -1 : 0 }
		sign { waits[$1 $2] = $4; more += $13 == "waits more" ? sign * $10 : 0; less -= $13 == "waits less" ? sign * $10 : 0 }
		END { for (w in waits) n += waits[w] / 10
			print "# " more " of " a ", less " less " of " b ", in " n " of the rounds"
			exit !(n > 0.4 && more > 0.6 * n * a && more < 1.2 * n * a + taken && less > 0.6 * n * b && less < 1.2 * n * b + taken) }' "$tmp/out"
	ok $? "wait for what one has to do, less what the other has"
	check 0 "all of them" "$cea" summary --json "$tmp/barrier.ktr"
	[ "$(value waits_residual_ns)" = 0 ] && [ "$(value threads_residual_ns)" = 0 ]
	ok $? "add up"
fi
if recorded lock "$tmp/lock"; then
	check 0 "one who wants a lock" "$cea" contention --csv --marks "$tmp/lock" "$tmp/lock.ktr"
	awk -F, '$1 == "lock" && $5 ~ /^waits want: futex/ { all += $3; if ($6 ~ /^waits hold/) held += $3 }
		END { print "# " held " of " all; exit !(held > 0.5 * all && held <= all && all > 0) }' "$tmp/out"
	ok $? "loses the time to the one who holds it"
	check 0 "its causes" "$cea" --csv --marks "$tmp/lock" "$tmp/lock.ktr"
	is "$(awk -F, '$5 == "waits hold" { print $10 }' "$tmp/out")" "" "a place that is the cause is not named twice"
fi
if recorded pipe; then
	check 0 "a slow producer" "$cea" waits --csv "$tmp/pipe.ktr"
	awk -F, -v a="$first" -v taken="$taken" '$1 == "waits read pipe" && $3 == "waits write pipe" && $13 == "waits user" { sum += $10 }
		END { print "# " sum " of " a; exit !(sum > 0.4 * a && sum < 1.1 * a + taken) }' "$tmp/out"
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
	check 0 "what it waited for" "$cea" --csv --top 32 "$tmp/cpu.ktr"
	awk -F, 'FILENAME ~ /contention$/ { if ($1 == "cpu" && $5 == "waits") { lost += $3; user = user ? user : $6 }; next }
		$5 == "waits runnable" { n++; wrong += $2 < 0.999 * lost || $9 != user } END { exit n != 1 || wrong }' "$tmp/contention" "$tmp/out"
	ok $? "is a CPU, for as long, and who had it most is named"
fi

# preload NAME KIND: the same in a program without marks of its own, which is started by a path that is not absolute.
preload() {
	mkdir "$tmp/$1"
	[ -e "$build/lib/libosvec-sites.so" ] && (
		cd "$build/tests/bench" || exit 1
		"$build/bin/ktranal" record -q -b bpf -o "$tmp/$1.ktr" -- env OSVEC_MARKS="$tmp/$1" \
			LD_LIBRARY_PATH="$build/lib" LD_PRELOAD=libosvec-sites.so ./waits "$2" >"$tmp/out" 2>"$tmp/err"
	) && whole "$1"
}
if preload sites unmarked; then
	check 0 "who lost most" "$cea" contention --top 1 --csv --marks "$tmp/sites" "$tmp/sites.ktr"
	is "$(sed 1d "$tmp/out" | cut -d, -f1 | grep -x 'cpu\|lock' | tr '\n' ' ')" "cpu lock " "one row of each kind"
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
		grep -o '"id":[0-9]*' "$tmp/numbers" >"$tmp/ids"
		is "$(grep -o '"scope":[0-9]*' "$tmp/numbers" | sed s/scope/id/ | grep -vxcf "$tmp/ids")" 0 "where each wait belongs"
		awk -F '"' '$2 == "id" { name[$3] = $6 " " $10 }
			$2 == "scope" { n++; at = name[$3]; sub(/ user$/, "", at); wrong += index($6, at) != 1 }
			END { exit !n || wrong }' "$tmp/numbers"
		ok $? "which is the place in its name"
		is "$(grep -c '"program":""' "$tmp/numbers")" 0 "and all time is that of a program"
		browse "$page" <<'E3' && is "$said" "true;true;true;true" "places are below their functions, and these below their programs, with their source"
const rows = [...get('scopes').rows].map(r => r.cells[0]), at = rows.findIndex(c => c.textContent === 'want_lock');
said.push(at > 0 && rows[at].style.paddingLeft === '2rem', rows[at + 1].style.paddingLeft === '4rem',
	/lock want_lock waits\.c:\d+$/.test(rows[at + 1].textContent));
rows[at + 1].querySelector('button').click();
said.push(get('chosen').querySelector('code')?.textContent === 'pthread_mutex_lock(&lock);');
E3
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

if preload rwlock rwlock; then
	check 0 "a reader-writer lock" "$cea" contention --csv --marks "$tmp/rwlock" "$tmp/rwlock.ktr"
	awk -F, '$1 == "lock" && $5 ~ /^waits rdlock .*: futex$/ { all += $3; lost += $6 ~ /^waits wrlock/ ? $3 : 0 }
		END { print "# " lost " of " all; exit !(all > 0 && lost > 0.5 * all) }' "$tmp/out"
	ok $? "who reads loses the time to the one who writes"
else
	skip "libosvec-sites.so is not built here, or nothing can be recorded in the kernel"
fi
# Who makes something wakes the one who takes it: kind, where that one waits, and where it is woken.
while read -r kind waits wakes; do
	preload "$kind" "$kind" || {
		skip "libosvec-sites.so is not built here, or nothing can be recorded in the kernel"
		continue
	}
	check 0 "a $kind" "$cea" waits --csv --marks "$tmp/$kind" "$tmp/$kind.ktr"
	awk -F, -v waits="^waits $waits .*: futex$" -v wakes="^waits $wakes " '$1 ~ waits && $3 ~ wakes { ns[$3 $5] = $5; made += $10 }
		END { for (p in ns) sum += ns[p]; print "# " made " of " sum; exit !(sum > 0 && made > 0.999 * sum && made < 1.001 * sum) }' "$tmp/out"
	ok $? "is waited for at one place, and given at another one"
done <<X
semaphore sem_wait sem_post
condition wait signal
X
if whole condition; then
	check 0 "who was signalled" "$cea" contention --csv --marks "$tmp/condition" "$tmp/condition.ktr"
	awk -F, '$1 == "lock" && $5 ~ /^waits wait .*: futex$/ { all += $3; lost += $6 ~ /^waits lock/ ? $3 : 0 }
		END { print "# " lost " of " all; exit !(all > 0 && lost > 0.9 * all) }' "$tmp/out"
	ok $? "then waits for the mutex, and that is lost to who keeps it"
else
	skip "libosvec-sites.so is not built here, or nothing, or not all, can be recorded in the kernel"
fi

# Functions of a program that was compiled to say where it is: one works for ten times as long as the other.
cat >"$tmp/calls.c" <<'X'
#include <stdio.h>
#include <time.h>
__attribute__((no_instrument_function)) static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}
__attribute__((noinline)) static void quick(void) { for (volatile int i = 0; i < 1000000; i++) ; }
__attribute__((noinline)) static void slow(void) { for (volatile int i = 0; i < 10000000; i++) ; }
__attribute__((noinline)) static void tiny(void) { __asm__ volatile(""); }
int main(void)
{
	double took[2] = { 0, 0 };
	for (int i = 0; i < 5; i++) {
		double a = now();
		slow();
		double b = now();
		quick();
		for (int n = 0; n < 100; n++)
			tiny();
		took[0] += b - a;
		took[1] += now() - b;
		for (volatile int n = 0; n < 5000000; n++) ;
	}
	printf("%f %f\n", took[0], took[1]);
	return 0;
}
X
mkdir "$tmp/calls.marks"
since=$(taken)
if [ -e "$build/lib/libosvec-sites.so" ] && ${CC:-cc} -g -O1 -finstrument-functions -o "$tmp/calls" "$tmp/calls.c" 2>"$tmp/err" &&
	"$build/bin/ktranal" record -q -b bpf -o "$tmp/calls.ktr" -- env OSVEC_MARKS="$tmp/calls.marks" \
		LD_LIBRARY_PATH="$build/lib" LD_PRELOAD=libosvec-sites.so "$tmp/calls" >"$tmp/said" 2>"$tmp/err" && whole calls; then
	check 0 "functions" "$cea" report -o "$page" --marks "$tmp/calls.marks" "$tmp/calls.ktr"
	sed -n 's/.*<script type="application.json" id="data">\(.*\)<.script>.*/\1/p' "$page" | tr '{' '\n' |
		sed -n 's/.*"name":"in \([^ "+]*\).*"seconds":\[\([^,]*\),.*/\1 \2/p' >"$tmp/out"
	if grep -q '^calls' "$tmp/out"; then
		skip "cea was built without libdw"
	else
		awk -v taken="$(taken "$since")" 'FILENAME ~ /said$/ { a = $1; b = $2; next } { ns[$1] = $2 }
			END { print "# " ns["slow"] " of " a ", " ns["quick"] " of " b
				exit !(ns["slow"] > 0.5 * a && ns["slow"] < 1.6 * a + taken && ns["quick"] > 0.5 * b && ns["quick"] < 1.6 * b + taken) }' "$tmp/said" "$tmp/out"
		ok $? "have the time that they took"
		# Of 500 short calls some last long because another program ran meanwhile.
		bytes=$(tr -d '\0' <"$(echo "$tmp"/calls.marks/*.marks)" | wc -c)
		echo "# $bytes bytes of marks"
		[ "$bytes" -lt 4000 ]
		ok $? "but those of short ones are not marked"
	fi
else
	skip "nothing can be compiled to mark functions, or recorded in the kernel here: $(head -1 "$tmp/err")"
fi

# A lock that a header of the system takes is shown where the program uses the header, and of 200 locks the library does not
# remember all.
cat >"$tmp/inlined.c" <<'X'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, many[200];
#line 7 "/usr/include/mutex.h"
static inline __attribute__((always_inline)) void take(void) { pthread_mutex_lock(&mutex); }
#line 100 "inlined.c"
__attribute__((noinline)) static void *want(void *arg)
{
	for (int i = 0; i < 400; i++)
		(i < 200 ? pthread_mutex_lock : pthread_mutex_unlock)(&many[i % 200]);
	take();
	pthread_mutex_unlock(&mutex);
	return arg;
}
int main(void)
{
	pthread_t t;
	take();
	pthread_create(&t, NULL, want, NULL);
	usleep(100000);
	pthread_mutex_unlock(&mutex);
	return pthread_join(t, NULL);
}
X
mkdir "$tmp/inlined.marks"
if [ -e "$build/lib/libosvec-sites.so" ] && ${CC:-cc} -g -O1 -o "$tmp/inlined" "$tmp/inlined.c" -pthread 2>"$tmp/err" &&
	"$build/bin/ktranal" record -q -o "$tmp/inlined.ktr" -- env OSVEC_MARKS="$tmp/inlined.marks" LD_LIBRARY_PATH="$build/lib" \
		LD_PRELOAD=libosvec-sites.so "$tmp/inlined" >"$tmp/said" 2>"$tmp/err"; then
	check 0 "a lock in a header" "$cea" contention --csv --marks "$tmp/inlined.marks" "$tmp/inlined.ktr"
	if grep -q "without libdw" "$tmp/err"; then
		skip "cea was built without libdw"
	else
		says "lock want inlined.c:104" "is taken on a line of the program"
	fi
else
	skip "nothing can be compiled or recorded here: $(head -1 "$tmp/err")"
fi

# Semaphores and locks work in constructors that run before that of the library.
cat >"$tmp/early.c" <<'X'
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static int first, second, rest;
static void early(void)
{
	first = pthread_mutex_trylock(&mutex);
	second = pthread_mutex_trylock(&mutex);
	sem_init(&semaphore, 0, 1);
	sem_wait(&semaphore);
	sem_getvalue(&semaphore, &rest);
}
__attribute__((section(".preinit_array"), used)) static void (*const start)(void) = early;
int main(void)
{
	printf("%d %d %d\n", first, second == EBUSY, rest);
	return 0;
}
X
if [ -e "$build/lib/libosvec-sites.so" ] && ${CC:-cc} -o "$tmp/early" "$tmp/early.c" -pthread 2>"$tmp/err"; then
	is "$(LD_LIBRARY_PATH="$build/lib" LD_PRELOAD=libosvec-sites.so "$tmp/early" 2>&1)" "0 1 0" \
		"locks and semaphores are taken before the library's constructor has run"
else
	skip "nothing can be compiled here, or libosvec-sites.so is not built: $(head -1 "$tmp/err")"
fi

# What a reader would click, and what is to be seen then.
"$cea" report -o "$page" "$tmp/two.log"
browse "$page" <<'E2' && is "$said" "pipe,child;1;100,true;child,pipe;child;child,pipe;true;true" "waits can be sorted, filtered and chosen by their place"
const rows = () => [...get('waits').tBodies[0].rows].filter(r => !r.className).map(r => r.cells[1].textContent).join();
const all = get('waits').querySelectorAll('.causes'), rest = [...all[0].tBodies[0].rows];
said.push(rows(), all.length, [sum(rest.map(r => parseFloat(r.cells[2].textContent))).toFixed(), rest.some(r => /^.smaller/.test(r.textContent))]);
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
