/* SPDX-License-Identifier: MIT */
#include "view/tally.h"

#include <math.h>

void tally_add(struct tally *t, const struct event *call)
{
	int64_t ns = call->call.duration;
	uint64_t n = event_calls(call);

	t->calls += n;
	t->errors += event_failed(call) ? n : 0;
	if (ns < 0)
		return;
	if (!t->timed || ns < t->min)
		t->min = ns;
	if (ns > t->max)
		t->max = ns;
	t->timed += n;
	t->total += (double)n * (double)ns;
	/* Welford's update: summing the squares themselves would lose precision. */
	double distance = (double)ns - t->mean;
	t->mean += distance * (double)n / (double)t->timed;
	t->m2 += (double)n * distance * ((double)ns - t->mean);
	histogram_add(&t->times, (uint64_t)ns, n);
}

void tally_merge(struct tally *t, const struct tally *from)
{
	double n = (double)t->timed, m = (double)from->timed;

	t->calls += from->calls;
	t->errors += from->errors;
	if (!from->timed)
		return;
	t->min = t->timed && t->min < from->min ? t->min : from->min;
	t->max = t->max > from->max ? t->max : from->max;
	/* The formula of Chan, Golub and LeVeque, the pairwise form of Welford's. */
	double distance = from->mean - t->mean;
	t->mean += distance * m / (n + m);
	t->m2 += from->m2 + distance * distance * n * m / (n + m);
	t->total += from->total;
	t->timed += from->timed;
	histogram_merge(&t->times, &from->times);
}

static double percentile(const struct tally *t, double q)
{
	return fmin(fmax(histogram_quantile(&t->times, q), (double)t->min), (double)t->max);
}

static double nanoseconds(const struct tally *t, enum tally_time which)
{
	switch (which) {
	case TALLY_TOTAL: return t->total;
	case TALLY_MIN: return (double)t->min;
	case TALLY_MAX: return (double)t->max;
	case TALLY_MEAN: return t->mean;
	case TALLY_DEVIATION: return t->timed > 1 ? sqrt(t->m2 / (double)(t->timed - 1)) : NAN;
	case TALLY_P50: return percentile(t, 0.50);
	case TALLY_P95: return percentile(t, 0.95);
	case TALLY_P99: return percentile(t, 0.99);
	}
	return NAN;
}

double tally_seconds(const struct tally *t, enum tally_time which)
{
	return t->timed ? nanoseconds(t, which) * 1e-9 : NAN;
}

void tally_free(struct tally *t)
{
	histogram_free(&t->times);
}
