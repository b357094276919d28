/* SPDX-License-Identifier: MIT */
#include "measure/overhead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/batch.h"

enum { TIMER_PAIRS = 64, EMPTY_TURNS = 1 << 17 };

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

double overhead_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double timer_pair(void)
{
	double v[TIMER_PAIRS];

	for (int i = 0; i < TIMER_PAIRS; i++)
		v[i] = batch_time(nothing, 0);
	return overhead_median(v, TIMER_PAIRS);
}

static double median_of(const double *samples, size_t n)
{
	double v[2 * OVERHEAD_SAMPLES];

	memcpy(v, samples, n * sizeof(*v));
	return overhead_median(v, n);
}

void overhead_sample(struct overhead *o, const struct bench *bench, uint64_t n)
{
	double unroll = bench->unroll ? (double)bench->unroll : 1;
	double timer = timer_pair();

	o->timer = o->n ? (o->timer + timer) / 2 : timer;
	for (int i = 0; i < OVERHEAD_SAMPLES; i++) {
		double ticks;

		if (bench->overhead)
			ticks = (batch_time(bench->overhead, n) - timer) / (double)n;
		else
			ticks = (batch_time(empty, EMPTY_TURNS) - timer) / EMPTY_TURNS / unroll;
		o->samples[o->n++] = ticks > 0 ? ticks : 0;
	}
	o->operation = median_of(o->samples, o->n);
	if (o->n > OVERHEAD_SAMPLES)
		o->uncertainty = fabs(median_of(o->samples, OVERHEAD_SAMPLES) -
				      median_of(o->samples + OVERHEAD_SAMPLES, OVERHEAD_SAMPLES));
}
