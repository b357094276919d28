/* SPDX-License-Identifier: MIT */
#include "team.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "measure/bench.h"

static struct {
	uint64_t threads;
	void (*work)(uint64_t n);
	uint64_t n;
	/* On lines of their own: those who wait for a job do not slow down those who report. */
	_Alignas(64) _Atomic uint64_t jobs;
	_Alignas(64) _Atomic uint64_t reports;
} team;

const char *team_reason(uint64_t n)
{
	static char reason[96];

	if (n < bench_cpus())
		return NULL;
	snprintf(reason, sizeof(reason), "%llu threads need as many CPUs, and %zu may be used",
		 (unsigned long long)n + 1, bench_cpus());
	return reason;
}

static void report(void)
{
	atomic_fetch_add_explicit(&team.reports, 1, memory_order_release);
}

static void await_reports(uint64_t n)
{
	while (atomic_load_explicit(&team.reports, memory_order_acquire) < n)
		bench_relax();
	atomic_store(&team.reports, 0);
}

static void *follow(void *place)
{
	bench_place((uintptr_t)place);
	report();
	for (uint64_t job = 1;; job++) {
		while (atomic_load_explicit(&team.jobs, memory_order_acquire) < job)
			bench_relax();
		team.work(team.n);
		report();
	}
	return NULL;
}

void team_start(uint64_t n)
{
	pthread_t thread;

	team.threads = n;
	for (uint64_t i = 1; i <= n; i++) {
		errno = pthread_create(&thread, NULL, follow, (void *)(uintptr_t)i);
		if (errno)
			err(1, "thread");
	}
	await_reports(n);
}

void team_do(void (*work)(uint64_t n), uint64_t n)
{
	team.work = work;
	team.n = n;
	atomic_fetch_add_explicit(&team.jobs, 1, memory_order_release);
	work(n);
	await_reports(team.threads);
}

static void do_nothing(uint64_t n)
{
	(void)n;
}

void team_gather(void)
{
	team_do(do_nothing, 0);
}
