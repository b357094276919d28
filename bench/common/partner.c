/* SPDX-License-Identifier: MIT */
#include "partner.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "measure/bench.h"

enum { LOOKS = 1 << 16 }; /* before somebody else may have the CPU */

static struct {
	pthread_t thread;
	bool runs;
	void (*turn)(size_t i); /* NULL: the end */
	size_t turns;
	_Atomic unsigned asked, done; /* jobs */
} partner;

static void await(const _Atomic unsigned *jobs, unsigned number)
{
	for (unsigned looks = 1; atomic_load_explicit(jobs, memory_order_acquire) != number;
	     looks++)
		if (looks % LOOKS == 0)
			sched_yield();
}

static void do_here(void (*turn)(size_t i), size_t turns)
{
	for (size_t i = 0; i < turns; i++)
		turn(i);
}

static void *work(void *unused)
{
	bench_place_partner();
	for (unsigned job = 1;; job++) {
		await(&partner.asked, job);
		if (!partner.turn)
			return unused;
		do_here(partner.turn, partner.turns);
		atomic_store_explicit(&partner.done, job, memory_order_release);
	}
}

static void ask(void (*turn)(size_t i), size_t turns)
{
	partner.turn = turn;
	partner.turns = turns;
	atomic_fetch_add_explicit(&partner.asked, 1, memory_order_release);
}

void partner_start(void)
{
	if (!bench_is_apart())
		return;
	errno = pthread_create(&partner.thread, NULL, work, NULL);
	if (errno)
		err(1, "thread");
	partner.runs = true;
}

void partner_do(void (*turn)(size_t i), size_t turns)
{
	if (!partner.runs) {
		do_here(turn, turns);
		return;
	}
	ask(turn, turns);
	await(&partner.done, atomic_load_explicit(&partner.asked, memory_order_relaxed));
}

void partner_stop(void)
{
	if (!partner.runs)
		return;
	ask(NULL, 0);
	pthread_join(partner.thread, NULL);
	partner.runs = false;
}
