/* SPDX-License-Identifier: MIT */
/*
 * waits KIND [MS] - a program of which it is known why it waits, for tests of cea(1).
 *
 *	barrier		two threads meet ten times; one of them has three times as much to do
 *	lock		one thread holds a lock nearly all of the time, another one wants it
 *	unmarked	the same without marks of its own
 *	rwlock		the same with a reader-writer lock: one writes, the other one reads
 *	semaphore	one thread waits for each of the other one's pieces of work
 *	condition	the same with a condition, whose mutex is kept for a while after the signal
 *	pipe		a process makes something slowly, another one takes it in no time
 *	cpu		two processes spin on the same CPU
 *	join		a thread joins others, by each function in turn, that have five times as
 *			much to do as itself
 *	server		two clients ask two servers in turn, which work for one request at a
 *			time; the second one half as long as the first
 *	hot		two threads take and release a lock 300000 times each, and often wait for it
 *	uncontended	prints the ns that it takes to lock and unlock a mutex, a reader-writer lock
 *			and a semaphore
 *
 * Prints how long each of the two had a CPU, in seconds: for join, those who are joined, and who
 * joins them; for server, each server.  MS: of a piece of work (20).
 */
#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mark/osvec-mark.h"

enum { ROUNDS = 10 };

static uint64_t piece; /* turns of the loop that take MS of a CPU */
static double had[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int made;
static bool unmarked, reads_and_writes, by_condition;

static void state(const char *name)
{
	if (!unmarked)
		osvec_state(name);
}

static double cpu_time(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void work(uint64_t turns)
{
	for (volatile uint64_t i = 0; i < turns; i++)
		;
}

static void calibrate(double seconds)
{
	double least = 1e9;

	for (int i = 0; i < 5; i++) {
		double start = cpu_time(CLOCK_THREAD_CPUTIME_ID);

		work(1000000);
		double time = cpu_time(CLOCK_THREAD_CPUTIME_ID) - start;
		least = time < least ? time : least;
	}
	piece = (uint64_t)(seconds / least * 1e6);
}

static void *meet(void *arg)
{
	int i = *(int *)arg;

	for (int n = 0; n < ROUNDS; n++) {
		state(i ? "less" : "more");
		work(i ? piece : 3 * piece);
		pthread_barrier_wait(&barrier);
	}
	state("done");
	had[i] = cpu_time(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

/* The lock is free only for as long as the holder takes to unlock it. */
__attribute__((noinline)) static void *hold_lock(void *arg)
{
	for (int n = 0; n < ROUNDS; n++) {
		state("hold");
		if (reads_and_writes)
			pthread_rwlock_wrlock(&rwlock);
		else
			pthread_mutex_lock(&lock);
		work(piece);
		if (reads_and_writes)
			pthread_rwlock_unlock(&rwlock);
		else
			pthread_mutex_unlock(&lock);
		state("rest");
		work(piece / 10);
	}
	state("done");
	had[0] = cpu_time(CLOCK_THREAD_CPUTIME_ID);
	return arg;
}

__attribute__((noinline)) static void *want_lock(void *arg)
{
	for (int n = 0; n < ROUNDS; n++) {
		state("want");
		if (reads_and_writes)
			pthread_rwlock_rdlock(&rwlock);
		else
			pthread_mutex_lock(&lock);
		work(piece / 10);
		if (reads_and_writes)
			pthread_rwlock_unlock(&rwlock);
		else
			pthread_mutex_unlock(&lock);
		state("rest");
		work(piece / 2); /* or both would go in step, and neither wait */
	}
	state("done");
	had[1] = cpu_time(CLOCK_THREAD_CPUTIME_ID);
	return arg;
}

__attribute__((noinline)) static void give(void)
{
	if (!by_condition) {
		sem_post(&semaphore);
		return;
	}
	pthread_mutex_lock(&lock);
	made++;
	pthread_cond_signal(&condition);
	work(piece / 10);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void take(void)
{
	if (!by_condition) {
		sem_wait(&semaphore);
		return;
	}
	pthread_mutex_lock(&lock);
	while (!made)
		pthread_cond_wait(&condition, &lock);
	made--;
	pthread_mutex_unlock(&lock);
}

static void *make_or_take(void *arg)
{
	int i = *(int *)arg;

	for (int n = 0; n < ROUNDS; n++)
		if (i) {
			take();
			work(piece / 10);
		} else {
			work(piece);
			give();
		}
	had[i] = cpu_time(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void *take_often(void *arg)
{
	for (int n = 0; n < 300000; n++) {
		pthread_mutex_lock(&lock);
		work(100);
		pthread_mutex_unlock(&lock);
		work(200);
	}
	had[*(int *)arg] = cpu_time(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void *hold_or_want(void *arg)
{
	return *(int *)arg ? want_lock(arg) : hold_lock(arg);
}

static void run_threads(void *(*run)(void *))
{
	int numbers[2] = { 0, 1 };
	pthread_t t[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, run, &numbers[i]))
			errx(1, "pthread_create");
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

static void *work_once(void *arg)
{
	work(piece);
	*(double *)arg = cpu_time(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void join_in_time(pthread_t t, int way)
{
	struct timespec until = { (time_t)cpu_time(CLOCK_REALTIME) + 1000, 0 };

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 31)
	if (way == 1)
		pthread_clockjoin_np(t, NULL, CLOCK_REALTIME, &until);
	else
#endif
		pthread_timedjoin_np(t, NULL, &until);
}

__attribute__((noinline)) static void join_threads(void)
{
	double before = cpu_time(CLOCK_THREAD_CPUTIME_ID);

	for (int n = 0; n < ROUNDS; n++)
		for (int way = 0; way < 3; way++) {
			double took = 0;
			pthread_t t;

			if (pthread_create(&t, NULL, work_once, &took))
				errx(1, "pthread_create");
			work(piece / 5);
			if (way)
				join_in_time(t, way);
			else
				pthread_join(t, NULL);
			had[0] += took;
		}
	had[1] = cpu_time(CLOCK_THREAD_CPUTIME_ID) - before;
}

/* Works for each byte of either client, one at a time, and sends it back. */
static void serve(const int *clients, const char *what, uint64_t turns)
{
	struct pollfd p[2] = { { clients[0], POLLIN, 0 }, { clients[1], POLLIN, 0 } };
	char c;

	state(what);
	while (p[0].fd >= 0 || p[1].fd >= 0) {
		poll(p, 2, -1);
		for (int i = 0; i < 2; i++) {
			if (!p[i].revents)
				continue;
			bool asked = read(p[i].fd, &c, 1) == 1;
			if (asked)
				work(turns);
			if (!asked || write(p[i].fd, &c, 1) != 1)
				p[i] = (struct pollfd){ .fd = -1 };
		}
	}
}

static void ask(const int *servers, const char *what)
{
	char c = 'x';

	state(what);
	for (int n = 0; n < ROUNDS; n++)
		for (int i = 0; i < 2; i++)
			if (write(servers[i], &c, 1) != 1 || read(servers[i], &c, 1) != 1)
				err(1, "a server");
	for (int i = 0; i < 2; i++)
		shutdown(servers[i], SHUT_RDWR);
}

static void run_servers(void)
{
	int clients[2][2], servers[2][2]; /* a server's end of each client, and the reverse */
	pid_t pids[4];
	struct rusage r;

	for (int i = 0; i < 4; i++) {
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			err(1, "socketpair");
		clients[i / 2][i % 2] = ends[0];
		servers[i % 2][i / 2] = ends[1];
	}
	for (int i = 0; i < 4; i++)
		if ((pids[i] = fork()) == 0) {
			if (i < 2)
				serve(clients[i], i ? "check" : "fetch", piece / (i ? 2 : 1));
			else
				ask(servers[i - 2], i == 2 ? "order" : "report");
			_exit(0);
		}
	for (int i = 0; i < 4; i++) {
		wait4(pids[i], NULL, 0, &r);
		if (i < 2)
			had[i] = (double)r.ru_utime.tv_sec + (double)r.ru_utime.tv_usec * 1e-6 +
				 (double)r.ru_stime.tv_sec + (double)r.ru_stime.tv_usec * 1e-6;
	}
}

static void make_and_take(const int *fds)
{
	char c = 'x';

	if (fork() == 0) {
		while (close(fds[1]), read(fds[0], &c, 1) == 1)
			work(piece / 100);
		_exit(0);
	}
	for (int n = 0; n < ROUNDS; n++) {
		work(piece);
		if (write(fds[1], &c, 1) != 1)
			err(1, "write");
	}
	close(fds[1]);
	wait(NULL);
	had[0] = cpu_time(CLOCK_PROCESS_CPUTIME_ID);
}

static void spin_on_one_cpu(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu(), go[2];
	char c;

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || pipe(go))
		err(1, "cannot choose a CPU");
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			close(go[1]);
			if (read(go[0], &c, 1) != 0)
				_exit(1);
			work(ROUNDS * piece);
			_exit(0);
		}
	close(go[1]);
	for (int i = 0; i < 2; i++)
		wait(NULL);
}

static void use_mutex(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void use_rwlock(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void use_semaphore(void)
{
	sem_post(&semaphore);
	sem_wait(&semaphore);
}

/* The least of many, so that another program's load does not count. */
static void use_alone(void)
{
	static void (*const kinds[])(void) = { use_mutex, use_rwlock, use_semaphore };

	for (int k = 0; k < 3; k++) {
		double least = 1e9;

		for (int i = 0; i < 100; i++) {
			double start = cpu_time(CLOCK_MONOTONIC);

			for (int n = 0; n < 100000; n++)
				kinds[k]();
			double time = cpu_time(CLOCK_MONOTONIC) - start;
			least = time < least ? time : least;
		}
		printf("%.1f%c", least * 1e4, k < 2 ? ' ' : '\n');
	}
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	int fds[2];

	calibrate((argc > 2 ? atof(argv[2]) : 20) * 1e-3);
	if (!strcmp(kind, "uncontended")) {
		use_alone();
		return 0;
	}
	sem_init(&semaphore, 0, 0);
	reads_and_writes = !strcmp(kind, "rwlock");
	by_condition = !strcmp(kind, "condition");
	unmarked = !strcmp(kind, "unmarked") || reads_and_writes;
	if (!strcmp(kind, "barrier"))
		run_threads(meet);
	else if (!strcmp(kind, "lock") || unmarked)
		run_threads(hold_or_want);
	else if (!strcmp(kind, "semaphore") || by_condition)
		run_threads(make_or_take);
	else if (!strcmp(kind, "hot"))
		run_threads(take_often);
	else if (!strcmp(kind, "join"))
		join_threads();
	else if (!strcmp(kind, "server"))
		run_servers();
	else if (!strcmp(kind, "cpu"))
		spin_on_one_cpu();
	else if (!strcmp(kind, "pipe") && !pipe(fds))
		make_and_take(fds);
	else
		errx(2, "usage: waits "
			"barrier|lock|unmarked|rwlock|semaphore|condition|hot|pipe|cpu|join|server|"
			"uncontended [MS]");
	printf("%.6f %.6f\n", had[0], had[1]);
	return 0;
}
