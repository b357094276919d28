/* SPDX-License-Identifier: MIT */
#include "measure/parties.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "measure/account.h"
#include "measure/bench.h"
#include "util/vec.h"

struct parties parties = { .copies = 1 };

static VEC(pid_t) children; /* of bench_fork, still there */

void parties_watch(int cpu)
{
	if (parties.copies == 1)
		account_add_cpu(cpu);
}

static void place(int cpu)
{
	pid_t thread = (pid_t)syscall(SYS_gettid);
	struct error e;

	if (thread != getpid()) {
		account_add_thread(thread, cpu != parties.placed.cpu);
		parties_watch(cpu);
	}
	if (cpus_pin(cpu, &e))
		errx(1, "%s", e.text);
}

void bench_place_peer(void)
{
	place(parties.placed.peer);
}

void parties_find_cpus(void)
{
	int allowed[CPU_SETSIZE];
	size_t n = cpus_allowed(allowed);

	if (parties.placed.cpu >= 0)
		parties.cpus[parties.ncpus++] = parties.placed.cpu;
	for (int near = 0; near < 2; near++)
		for (size_t i = 0; i < n; i++)
			if (allowed[i] != parties.placed.cpu &&
			    (parties.placed.cpu >= 0 &&
			     cpus_relation(allowed[i], parties.placed.cpu) == CPUS_SIBLINGS) ==
				near)
				parties.cpus[parties.ncpus++] = allowed[i];
	if (!parties.ncpus) /* no list was to be had */
		parties.cpus[parties.ncpus++] = parties.placed.cpu;
}

size_t bench_cpus(void)
{
	return parties.copies > 1 ? 1 : parties.ncpus;
}

size_t bench_copies(void)
{
	return parties.copies;
}

bool bench_is_threaded(void)
{
	return parties.threaded;
}

void bench_place(size_t i)
{
	if (parties.placed.cpu >= 0)
		place(parties.cpus[i]);
}

bool bench_is_apart(void)
{
	return parties.placed.peer != parties.placed.cpu;
}

static void *idle(void *unused)
{
	while (pause())
		;
	return unused;
}

void parties_start_idle_thread(void)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = pthread_create(&thread, NULL, idle, NULL);
	if (errno)
		err(1, "thread");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int bench_fork(void)
{
	pid_t parent = getpid();

	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL))
			err(1, "prctl");
		if (getppid() != parent)
			_exit(1);
		bench_place_peer();
		if (parties.threaded)
			parties_start_idle_thread();
		return 0;
	}
	vec_push(&children, pid);
	account_add_process(pid);
	return pid;
}

void bench_reap(int pid)
{
	account_remove(pid);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	for (size_t i = 0; i < children.n; i++)
		if (children.v[i] == pid)
			children.v[i--] = children.v[--children.n];
}

void parties_reap(void)
{
	while (children.n)
		bench_reap(children.v[0]);
}

double parties_stolen(void)
{
	double steal = cpus_steal(parties.placed.cpu);

	return parties.placed.peer == parties.placed.cpu ? steal
							 : steal + cpus_steal(parties.placed.peer);
}
