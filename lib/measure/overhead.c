/* SPDX-License-Identifier: MIT */
#include "measure/overhead.h"

#include <math.h>
#include <string.h>

#include "measure/batch.h"

enum { TIMER_PAIRS = 15, EMPTY_TURNS = 1 << 17 };

/* A loop that does nothing: what `while (n--)` costs in run().  Aligned as hot loops are. */
__attribute__((noinline, aligned(64))) static void empty(uint64_t n)
{
	while (n--)
		bench_clobber();
}

static void nothing(uint64_t n)
{
	(void)n;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double overhead_median(const double *v, size_t n)
{
	double *sorted = xreallocarray(NULL, n, sizeof(*v));

	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*v), by_value);
	double median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	free(sorted);
	return median;
}

static double time_timer(void)
{
	double v[TIMER_PAIRS];

	for (int i = 0; i < TIMER_PAIRS; i++)
		v[i] = batch_time(nothing, 0);
	return overhead_median(v, TIMER_PAIRS);
}

void overhead_sample(struct overhead *o, const struct bench *bench, uint64_t n)
{
	double unroll = bench->unroll ? (double)bench->unroll : 1;
	double timer = time_timer(), ticks;

	if (bench->overhead)
		ticks = (batch_time(bench->overhead, n) - timer) / (double)n;
	else
		ticks = (batch_time(empty, EMPTY_TURNS) - timer) / EMPTY_TURNS / unroll;
	vec_push(&o->timers, timer);
	vec_push(&o->operations, fmax(ticks, 0));
}

void overhead_reduce(struct overhead *o)
{
	const double *v = o->operations.v;
	size_t n = o->operations.n, half = n / 2;

	o->timer = overhead_median(o->timers.v, o->timers.n);
	o->operation = overhead_median(v, n);
	o->uncertainty = 0;
	if (half)
		o->uncertainty = fabs(overhead_median(v, half) - overhead_median(v + half, half));
}

void overhead_free(struct overhead *o)
{
	vec_free(&o->timers);
	vec_free(&o->operations);
}
