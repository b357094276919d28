/* SPDX-License-Identifier: MIT */
#include "measure/batch.h"

#include <math.h>
#include <stddef.h>

#include "machine/caches.h"
#include "measure/clock.h"
#include "measure/pmu.h"
#include "measure/watchdog.h"
#include "stats/sample.h"

/* The timed part, of batches and of their overhead alike. */
static void take(void (*f)(uint64_t n), uint64_t n, enum pmu_part part, uint64_t operations,
		 struct batch *out)
{
	*out = (struct batch){ .n = n, .runs = 1 };
	account_start(&out->account);
	pmu_start(part);
	out->ticks = clock_time(f, n);
	pmu_stop(part, operations);
	account_stop(&out->account);
}

void batch_add(struct batch *total, const struct batch *b)
{
	total->n += b->n;
	total->runs += b->runs;
	total->ticks += b->ticks;
	account_sum(&total->account, &b->account);
}

int batch_run(const struct bench *bench, uint64_t n, const int *cold, struct batch *out,
	      struct error *e)
{
	const char *wrong;

	if (bench->prepare)
		bench->prepare(n);
	if (cold && caches_empty(cold, cold[0] == cold[1] ? 1 : 2, e))
		return -1;
	take(bench->run, n, PMU_WORK, n, out);
	watchdog_feed();
	if (bench->check && (wrong = bench->check(n)))
		return error_set(e, "the work was not done: %s", wrong);
	if (out->ticks < 0)
		return error_set(e, "the clock (%s) went backwards; try -C clock or pin with -P",
				 clock_name());
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

		take(nothing, 0, PMU_NOTHING, 0, &b);
		t[i] = b.ticks;
		c[i] = account_cpu(&b.account);
	}
	*ticks = sample_median(t, PAIRS);
	*cpu = sample_median(c, PAIRS);
}

void overhead_sample(struct overhead *o, const struct bench *bench, uint64_t n)
{
	enum { TURNS = 1 << 17 };
	double timer, timer_cpu;
	uint64_t turns = bench->overhead ? n : TURNS;
	uint64_t operations = turns * (bench->overhead || !bench->unroll ? 1 : bench->unroll);
	struct batch b;

	time_timer(&timer, &timer_cpu);
	take(bench->overhead ? bench->overhead : empty_loop, turns, PMU_LOOP, operations, &b);
	vec_push(&o->timers, timer);
	vec_push(&o->timer_cpus, timer_cpu);
	vec_push(&o->operations, fmax((b.ticks - timer) / (double)operations, 0));
	vec_push(&o->cpus, fmax((account_cpu(&b.account) - timer_cpu) / (double)operations, 0));
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
