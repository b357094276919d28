#!/bin/sh
# SPDX-License-Identifier: MIT
# ktranal record --stacks: each wait of a program that is not prepared for it has its function and line, and never a wrong one.
. "$(dirname "$0")/tap.sh"
cea=$build/bin/cea

check 2 "stacks of calls that are only counted" "$build/bin/ktranal" record -a --stacks -o "$tmp/a.ktr" true
check 2 "stacks by another backend" "$build/bin/ktranal" record -b ptrace --stacks -o "$tmp/a.ktr" true

# Comments name lines.
cat >"$tmp/waits.c" <<'X'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define OWN __attribute__((noinline, noclone))
enum { ROUNDS = 20 };
static int ends[2], pair[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
OWN static void doze(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL); /* doze */
	__asm__ volatile("");
}
OWN static void give(void)
{
	char c = 0;
	for (int i = 0; i < ROUNDS; i++) {
		doze(); /* rest */
		if (write(ends[1], &c, 1) != 1 || /* give */
		    send(pair[1], &c, 1, 0) != 1) /* send */
			exit(1);
	}
}
static inline __attribute__((always_inline)) void take(char *c)
{
	if (read(ends[0], c, 1) != 1) /* take */
		exit(1);
}
OWN static void *from_pipe(void *unused)
{
	char c;
	for (int i = 0; i < ROUNDS; i++)
		take(&c); /* from_pipe */
	return unused;
}
OWN static void *from_socket(void *unused)
{
	char c[2000];
	for (int i = 0; i < ROUNDS; i++)
		if (recv(pair[0], c, 1, 0) != 1) /* receive */
			exit(1);
	return unused;
}
OWN static void reap(pid_t pid)
{
	if (waitpid(pid, NULL, 0) != pid) /* reap */
		exit(1);
}
OWN static void want(void)
{
	pthread_mutex_lock(&lock); /* want */
	doze(); /* hold */
	doze(); /* still */
	pthread_mutex_unlock(&lock); /* release */
	__asm__ volatile("");
}
OWN static void *once(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		want(); /* once */
		doze(); /* once more */
	}
	return unused;
}
OWN static void *again(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		want(); /* again */
		doze(); /* again later */
	}
	return unused;
}
/* Libraries that are loaded in the same place, one after the other. */
static void load(char **paths)
{
	for (; *paths; paths++) {
		void *library = dlopen(*paths, RTLD_NOW), (*f)(void) = NULL;
		if (library)
			*(void **)&f = dlsym(library, "run");
		if (f)
			f();
		doze(); /* between */
		if (library)
			dlclose(library);
	}
}
int main(int argc, char **argv)
{
	pthread_t t[4];
	pid_t pid = fork();
	if (!pid) {
		for (int i = 0; i < 20; i++)
			doze(); /* child */
		_exit(0);
	}
	reap(pid); /* parent */
	if (argc > 2)
		load(argv + 1);
	if (argc == 2) {
		execv(argv[1], argv + 1);
		return 1;
	}
	if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pthread_create(t, NULL, from_pipe, NULL) ||
	    pthread_create(t + 1, NULL, from_socket, NULL))
		return 1;
	give(); /* main */
	pthread_create(t + 2, NULL, once, NULL);
	pthread_create(t + 3, NULL, again, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL); /* join */
	return 0;
}
X
# line COMMENT: the one with it.
line() {
	grep -n "/\* $1 \*/" "$tmp/waits.c" | cut -d: -f1
}
# at FUNCTION COMMENT: "FUNCTION waits.c:12".
at() {
	echo "$1 waits.c:$(line "$2")"
}
# record NAME ARGUMENT...: runs a program there.
record() {
	"$build/bin/ktranal" record -q --stacks -o "$tmp/$1.ktr" -- "$tmp/$@" >"$tmp/said" 2>"$tmp/err" && whole "$1"
}

if ! ${CC:-cc} -g -O1 -no-pie -pthread -o "$tmp/waits" "$tmp/waits.c" -ldl 2>"$tmp/err" || ! record waits; then
	skip "nothing can be compiled, or recorded in the kernel here, or stacks cannot be read: $(head -1 "$tmp/err")"
	done_testing
	exit
fi
check 0 "waits of a program" "$cea" waits --csv --top 100 "$tmp/waits.ktr"
if grep -q "without libdw" "$tmp/err"; then
	skip "cea was built without libdw"
	done_testing
	exit
fi
cp "$tmp/out" "$tmp/waits.csv"
is "$(grep -e "source line" -e addresses "$tmp/err")" "" "all of them have lines"

# Who waits where, and is woken where; in at least so many of the rounds, on a busy machine, and for at least as long as
# the other sleeps in half of them.
give=$(at give give) send=$(at give send) main=$(at main main)
while IFS='|' read -r what waits wakes least most; do
	awk -F, -v waits="waits $waits" -v wakes="waits $wakes" -v least="$least" -v most="$most" '
		NR > 1 && $1 == waits && $3 == wakes && !seen[$1 $2 $3]++ { n += $4; s += $5 }
		END { print "# " n " times, " s " s"; exit !(n >= least && n <= most && s >= n * 0.0005) }' "$tmp/waits.csv"
	ok $? "$what: where they wait, and are woken"
done <<X
a pipe|read pipe in $(at take take) < $(at from_pipe from_pipe)|write pipe in $give < $main|10|20
a socket|recvfrom unix in $(at from_socket receive)|sendto unix in $send < $main|10|20
X
awk -F, -v waits="waits wait4 in $(at reap reap) < $(at main parent)" '$1 == waits && $2 == "child" && !seen[$1 $3]++ { n += $4; s += $5 }
	END { print "# " n " times, " s " s"; exit !(n == 1 && s >= 0.02 && s < 1) }' "$tmp/waits.csv"
ok $? "a child"
# Of one function that takes the lock for two others, either waits for the other.
for who in once again; do
	awk -F, -v waits="waits futex in $(at want want) < $(at "$who" "$who")" -v wakes="waits futex in $(at want release) < " '
		$1 == waits && index($3, wakes) == 1 && !seen[$1 $3]++ { n += $4; s += $5; self += $3 == wakes who }
		END { print "# " n " times, " s " s"; exit !(n >= 5 && n <= 20 && s > 0.001 * n) }' "$tmp/waits.csv"
	ok $? "who wraps a lock is told apart by its caller: $who"
done
for place in "$(at doze doze) < $(at give rest) < $main" "$(at doze doze) < $(at main child)" "$(at doze doze) < $(at want hold) < $(at once once)"; do
	awk -F, -v cause="waits timer in $place" '$13 == cause { s += $10 } END { print "# " s " s"; exit !(s > 0.0015) }' "$tmp/waits.csv"
	ok $? "who sleeps makes others wait: $place"
done
# What is named is one of these, and no other.
named() {
	cut -d, -f1,3,13 | tr , '\n' | sed -nE 's/.*(pipe|unix|futex|wait4|timer|nanosleep) in //p' | sed 's/ < /\n/g' | sort -u
}
named <"$tmp/waits.csv" >"$tmp/named"
for each in "$give" "$send" "$main" "$(at take take)" "$(at from_pipe from_pipe)" "$(at from_socket receive)" "$(at reap reap)" \
	"$(at main parent)" "$(at main child)" "$(at want want)" "$(at want hold)" "$(at want release)" "$(at once once)" "$(at again again)" \
	"$(at doze doze)" "$(at give rest)" "$(at main join)" "$(at load between)" "$(at want still)" \
	"$(at once "once more")" "$(at again "again later")"; do
	echo "$each"
done >"$tmp/known"
is "$(grep -vxFf "$tmp/known" "$tmp/named")" "" "no other place is named"

is "$(grep -c ' rt_sigprocmask in ' "$tmp/waits.csv")" 0 "calls that neither wait nor wake have none"

# Programs without names: all places are addresses, which are those of the same calls.
strip -o "$tmp/stripped" "$tmp/waits"
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/stripped" "$tmp/bare"
for kind in stripped bare; do
	if ! record "$kind"; then
		skip "$kind: not all can be recorded in the kernel here"
		continue
	fi
	check 0 "a program that is $kind" "$cea" waits --csv --top 100 "$tmp/$kind.ktr"
	says "no source line" "has no lines"
	named <"$tmp/out" >"$tmp/named"
	is "$(grep -vc "^$kind+0x[0-9a-f]*$" "$tmp/named")" 0 "and no names"
	sed "s/.*+/$kind+/;s/^$kind+//" "$tmp/named" | while read -r address; do
		addr2line -e "$tmp/waits" "$(printf '0x%x' $((address + 0x400000)))" | sed 's/.*\///;s/ .*//'
	done >"$tmp/lines"
	sed 's/.* //' "$tmp/known" >"$tmp/known.lines"
	is "$(grep -vxFf "$tmp/known.lines" "$tmp/lines")" "" "each is one of the calls"
	is "$(grep -cxF "waits.c:$(line receive)" "$tmp/lines")" 1 "and this is among them"
done

# A process that runs another program, at the same addresses.
if record waits "$tmp/stripped"; then
	check 0 "one that becomes another" "$cea" waits --csv --top 100 "$tmp/waits.ktr"
	grep -q '^stripped recvfrom unix in stripped+0x' "$tmp/out"
	ok $? "is at places of that"
	is "$(grep -c '^stripped .*waits\.c:' "$tmp/out")" 0 "and no others"
else
	skip "not all can be recorded in the kernel here"
fi

# A library in the place of another one.
cat >"$tmp/library.c" <<'X'
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>
void run(void);
__attribute__((noinline)) static void NAME(void)
{
	int status;
	pid_t pid = fork();
	if (!pid) {
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
		_exit(0);
	}
	wait(&status);
	__asm__ volatile("");
}
void run(void)
{
	NAME();
	__asm__ volatile("");
}
X
if ${CC:-cc} -g -O1 -fPIC -shared -DNAME=first -o "$tmp/first.so" "$tmp/library.c" 2>"$tmp/err" &&
	${CC:-cc} -g -O1 -fPIC -shared -DNAME=other -o "$tmp/other.so" "$tmp/library.c" && record waits "$tmp/first.so" "$tmp/other.so"; then
	check 0 "libraries that replace each other" "$cea" waits --csv --top 100 "$tmp/waits.ktr"
	is "$(grep -o '^waits wait4 in [a-z]* library.c:[0-9]* < run' "$tmp/out" | cut -d' ' -f4 | sort -u | tr '\n' ' ')" "first other " "each has its own names"
else
	skip "a library cannot be made, or not all can be recorded in the kernel here: $(head -1 "$tmp/err")"
fi

# Names of C++.
cat >"$tmp/class.cc" <<'X'
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>
namespace shop { struct till { __attribute__((noinline)) void close(int pid) { waitpid(pid, nullptr, 0); asm volatile(""); } }; }
int main()
{
	int pid = fork();
	if (!pid) {
		timespec t = { 0, 20000000 };
		nanosleep(&t, nullptr);
		_exit(0);
	}
	shop::till().close(pid);
}
X
if ${CXX:-c++} -g -O1 -o "$tmp/class" "$tmp/class.cc" 2>"$tmp/err" && record class; then
	check 0 "a class" "$cea" waits --csv "$tmp/class.ktr"
	says "class wait4 in shop::till::close(int) class.cc:4 < main class.cc:13" "has the names of its source"
else
	skip "there is no C++ compiler, or not all can be recorded in the kernel here: $(head -1 "$tmp/err")"
fi
done_testing
