/* SPDX-License-Identifier: MIT */
#include "measure/batch.h"

#include <math.h>
#include <stddef.h>

#include "machine/caches.h"
#include "machine/cpus.h"
#include "measure/clock.h"
#include "measure/copies.h"
#include "measure/pmu.h"
#include "measure/watchdog.h"
#include "stats/sample.h"

uint64_t batch_multiple(const struct bench *bench)
{
	uint64_t multiple = bench->multiple ? bench->multiple() : bench->unroll;

	return multiple ? multiple : 1;
}

uint64_t batch_limit(const struct bench *bench)
{
	return bench->limit ? bench->limit() : 0;
}

uint64_t batch_round(const struct bench *bench, double n)
{
	uint64_t multiple = batch_multiple(bench), limit = batch_limit(bench);
	uint64_t times = (uint64_t)(n / (double)multiple);

	if (limit && times > limit / multiple)
		times = limit / multiple;
	return times ? times * multiple : multiple;
}

/*
 * The timed part, of batches and of their overhead alike.  The account is taken around all of it,
 * for the system calls that read it would bring back a part of what was evicted.
 */
static int take(void (*f)(uint64_t n), uint64_t n, enum pmu_part part, uint64_t operations,
		const struct eviction *eviction, struct batch *out, struct error *e)
{
	*out = (struct batch){ .n = n, .runs = 1 };
	account_start(&out->account);
	if (eviction) {
		uint64_t start = clock_start();

		if (caches_touch(eviction->bytes, e))
			return -1;
		out->evicting = (double)(int64_t)(clock_stop() - start);
	}
	if (!copies_index())
		pmu_start(part);
	out->ticks = clock_time(f, n);
	if (!copies_index())
		pmu_stop(part, operations);
	account_stop(&out->account);
	return 0;
}

double batch_elapsed(const struct batch *b)
{
	return b->ticks + b->evicting;
}

void batch_add(struct batch *total, const struct batch *b)
{
	total->n += b->n;
	total->runs += b->runs;
	total->ticks += b->ticks;
	total->evicting += b->evicting;
	total->alone += b->alone;
	account_sum(&total->account, &b->account);
}

/* Chills the CPU of the peer, and returns to that of the caller. */
static int evict_peer(const struct eviction *eviction, struct error *e)
{
	const int *cpus = eviction->cpus;

	if (cpus[1] != cpus[0] && (cpus_pin(cpus[1], e) || caches_touch(eviction->bytes, e)))
		return -1;
	return cpus_pin(cpus[0], e);
}

int batch_run(const struct bench *bench, uint64_t n, const struct eviction *eviction,
	      struct batch *out, struct error *e)
{
	const char *wrong;

	copies_announce(n);
	if (bench->prepare)
		bench->prepare(n);
	if (eviction && eviction->cpus && evict_peer(eviction, e))
		return -1;
	copies_meet();
	uint64_t start = clock_nanoseconds();
	if (take(bench->run, n, PMU_WORK, n, eviction, out, e))
		return -1;
	uint64_t end = clock_nanoseconds();
	if (bench->check && (wrong = bench->check(n)))
		return error_set(e, "the work was not done: %s", wrong);
	if (out->ticks < 0)
		return error_set(e, "the clock (%s) went backwards; try -C clock or pin with -P",
				 clock_name());
	copies_complete(bench, out, start, end);
	watchdog_reset();
	return 0;
}

/* The cost of `while (n--)` in run(), aligned as hot loops are. */
__attribute__((noinline, aligned(64))) static void empty_loop(uint64_t n)
{
	while (n--)
		bench_clobber();
}

static void nothing(uint64_t n)
{
	(void)n;
}

/* The median cost of timing nothing. */
static void time_timer(double *ticks, double *cpu)
{
	enum { PAIRS = 7 };
	double t[PAIRS], c[PAIRS];

	for (int i = 0; i < PAIRS; i++) {
		struct batch b;

		take(nothing, 0, PMU_NOTHING, 0, NULL, &b, NULL);
		t[i] = b.ticks;
		c[i] = account_cpu(&b.account);
	}
	*ticks = sample_median(t, PAIRS);
	*cpu = sample_median(c, PAIRS);
}

int overhead_sample(struct overhead *o, const struct bench *bench, uint64_t n,
		    const struct eviction *eviction, struct error *e)
{
	enum { TURNS = 1 << 15 };
	double timer, timer_cpu;
	uint64_t turns = bench->overhead ? n : TURNS;
	uint64_t operations = turns * (bench->overhead || !bench->unroll ? 1 : bench->unroll);
	struct batch b;

	time_timer(&timer, &timer_cpu);
	take(bench->overhead ? bench->overhead : empty_loop, turns, PMU_LOOP, operations, NULL, &b,
	     NULL);
	vec_push(&o->timer_cpus, timer_cpu);
	vec_push(&o->operations, fmax((b.ticks - timer) / (double)operations, 0));
	vec_push(&o->cpus, fmax((account_cpu(&b.account) - timer_cpu) / (double)operations, 0));
	if (eviction) {
		if (take(nothing, 0, PMU_NOTHING, 0, eviction, &b, e))
			return -1;
		timer = b.ticks;
	}
	vec_push(&o->timers, timer);
	return 0;
}

void overhead_reduce(struct overhead *o)
{
	const double *v = o->operations.v;
	size_t n = o->operations.n, half = n / 2;

	o->timer = sample_median(o->timers.v, n);
	o->operation = sample_median(v, n);
	o->timer_cpu = sample_median(o->timer_cpus.v, n);
	o->cpu = sample_median(o->cpus.v, n);
	o->uncertainty = half ? fabs(sample_median(v, half) - sample_median(v + half, half)) : 0;
}

void overhead_free(struct overhead *o)
{
	vec_free(&o->timers);
	vec_free(&o->operations);
	vec_free(&o->timer_cpus);
	vec_free(&o->cpus);
}
