#!/bin/sh
# SPDX-License-Identifier: MIT
# libosvec-sites: the places, functions and pages that it makes visible to cea, and that programs work as without it.
. "$(dirname "$0")/tap.sh"
cea=$build/bin/cea
page=$tmp/cea.html

# preload NAME KIND: the same in a program without marks of its own, which is started by a path that is not absolute.
preload() {
	mkdir "$tmp/$1"
	since=$(taken)
	[ -e "$build/lib/libosvec-sites.so" ] && (
		cd "$build/tests/bench" || exit 1
		"$build/bin/ktranal" record -q -b bpf -o "$tmp/$1.ktr" -- env OSVEC_MARKS="$tmp/$1" \
			LD_LIBRARY_PATH="$build/lib" LD_PRELOAD=libosvec-sites.so ./waits "$2" >"$tmp/said" 2>"$tmp/err"
	) && taken=$(taken "$since") && whole "$1"
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
const end = rows.findIndex((c, i) => i > at && c.style.paddingLeft !== '4rem'), inside = rows.slice(at + 1, end < 0 ? rows.length : end);
const lock = inside.find(c => /lock want_lock waits\.c:\d+$/.test(c.textContent)); // not the first where others had the CPU for longer
said.push(at > 0 && rows[at].style.paddingLeft === '2rem', inside.length > 0, lock !== undefined);
lock?.querySelector('button').click();
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

if preload join join; then
	read -r first second <"$tmp/said"
	check 0 "threads that are joined" "$cea" waits --csv --marks "$tmp/join" "$tmp/join.ktr"
	# On a busy machine some have ended before they are joined, so that nobody waits for them.
	awk -F, -v a="$first" -v b="$second" -v taken="$taken" '$1 ~ /^waits join .*: futex$/ {
			n[$1] = $4; more += $13 == "waits user" ? $10 : 0; less -= $13 ~ /^waits after join [^:]*(:[0-9]*)?$/ ? $10 : 0 }
		END { for (p in n) part += n[p] / 30
			print "# " more " of " a ", less " less " of " b ", in " part " of the waits"
			exit !(part > 0 && more > 0.6 * part * a && more < 1.2 * part * a + taken && less < 1.2 * part * b + taken) }' "$tmp/out"
	ok $? "are waited for as long as they have more to do than who joins them"
	is "$(cat "$tmp"/join/*.marks | tr '\0' '\n' | grep '^join ' | sort -u | wc -l)" 3 "by each of the functions that join"
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
		tr -d '"' <"$tmp/out" | awk -F, 'NR > 1 { row[$2] = $3 " " $4; moved[$2] = $10 " " $11; print "# " $0 }
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
done_testing
