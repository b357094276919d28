/* SPDX-License-Identifier: MIT */
#include "view/tally.h"

#include <math.h>

void tally_add(struct tally *t, const struct event *call)
{
	int64_t ns = call->call.duration;

	t->calls++;
	t->errors += event_failed(call);
	if (ns < 0)
		return;
	if (!t->timed || ns < t->min)
		t->min = ns;
	if (ns > t->max)
		t->max = ns;
	t->timed++;
	t->total += (double)ns;
	/* Welford's update: the sum of squares itself would cancel. */
	double distance = (double)ns - t->mean;
	t->mean += distance / (double)t->timed;
	t->m2 += distance * ((double)ns - t->mean);
	histogram_add(&t->times, (uint64_t)ns);
}

static double seconds(const struct tally *t, double ns)
{
	return t->timed ? ns * 1e-9 : NAN;
}

double tally_total(const struct tally *t)
{
	return seconds(t, t->total);
}

double tally_min(const struct tally *t)
{
	return seconds(t, (double)t->min);
}

double tally_max(const struct tally *t)
{
	return seconds(t, (double)t->max);
}

double tally_mean(const struct tally *t)
{
	return seconds(t, t->mean);
}

double tally_deviation(const struct tally *t)
{
	return t->timed > 1 ? seconds(t, sqrt(t->m2 / (double)(t->timed - 1))) : NAN;
}

double tally_quantile(const struct tally *t, double q)
{
	double ns = histogram_quantile(&t->times, q);

	return seconds(t, fmin(fmax(ns, (double)t->min), (double)t->max));
}

void tally_free(struct tally *t)
{
	histogram_free(&t->times);
}
