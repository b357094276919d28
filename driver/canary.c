/* SPDX-License-Identifier: MIT */
#include "canary.h"

#include <math.h>
#include <stdlib.h>

#include "stats/sample.h"
#include "util/xalloc.h"

enum { ASIDE = 2 }; /* rounds on either side that count */

/* noise_most: of the standard deviation of one value, some three of a median of five. */
static const double move_least = 0.03, noise_most = 1.5;

static double median(const double *x, size_t n)
{
	double *sorted = sample_sorted(x, n);
	double m = sample_quantile(sorted, n, 0.5);

	free(sorted);
	return m;
}

/* The standard deviation of one value, by the steps from each to the next: what moves slowly is no
 * noise. */
static double noise(const double *x, size_t n)
{
	const double normal = 0.9539; /* the median step of normal values */
	double *steps = xcalloc(n, sizeof(*steps)), sd = 0;

	for (size_t i = 0; i + 1 < n; i++)
		steps[i] = fabs(x[i + 1] - x[i]);
	if (n > 1)
		sd = median(steps, n - 1) / normal;
	free(steps);
	return sd;
}

void canary_watch(const double *values, size_t n, double centre, bool *moved)
{
	double limit = fmax(move_least * centre, noise_most * noise(values, n));

	for (size_t i = 0; i < n; i++) {
		size_t from = i > ASIDE ? i - ASIDE : 0, to = i + ASIDE < n ? i + ASIDE + 1 : n;

		moved[i] = fabs(median(values + from, to - from) - centre) > limit;
	}
}
