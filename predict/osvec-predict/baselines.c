/* SPDX-License-Identifier: MIT */
#include "baselines.h"

#include <math.h>
#include <stdlib.h>

#include "util/xalloc.h"

static const char *const names[BASELINES] = { "null call", "cpu_int", "geometric mean" };

const char *baseline_name(enum baseline b)
{
	return names[b];
}

static const struct osvec *vector(const struct query *q, size_t machine)
{
	return q->machines.v[machine].vector;
}

static bool guess_entry(const char *entry, const struct query *q, const size_t *machine, size_t n,
			double *value)
{
	for (size_t i = 0; i < n; i++) {
		const struct osvec_entry *e = osvec_find(vector(q, machine[i]), entry);

		if (!e)
			return false;
		value[i] = e->seconds;
	}
	return true;
}

static bool guess_mean(const struct query *q, const size_t *machine, size_t n, double *value)
{
	const struct osvec *first = vector(q, machine[0]);
	double *cost = xcalloc(n, sizeof(*cost));
	size_t common = 0;

	for (size_t i = 0; i < n; i++)
		value[i] = 0;
	for (size_t k = 0; k < first->n; k++) {
		if (!guess_entry(first->entries[k].name, q, machine, n, cost))
			continue;
		common++;
		for (size_t i = 0; i < n; i++)
			value[i] += log(cost[i]);
	}
	for (size_t i = 0; i < n; i++)
		value[i] = exp(value[i] / (double)common);
	free(cost);
	return common > 0;
}

bool baseline_guess(enum baseline b, const struct query *q, const size_t *machine, size_t n,
		    double *value)
{
	if (b == BASELINE_MEAN)
		return guess_mean(q, machine, n, value);
	return guess_entry(b == BASELINE_CPU ? "cpu_int" : q->demand->null_entry, q, machine, n,
			   value);
}
