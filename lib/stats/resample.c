/* SPDX-License-Identifier: MIT */
#include "stats/resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/pairs.h"
#include "stats/sample.h"
#include "util/xalloc.h"

/* The median of half[i] + half[j], i <= j, of n ascending halves. */
static double hodges_lehmann(const double *half, size_t n)
{
	struct pairs walsh = { half, half, n, n, true };

	return pairs_median(&walsh);
}

void resample_pseudo_values(const double *x, size_t n, double *z)
{
	for (size_t p = 0; p < n; p++)
		z[p] = n >= 3 && x[p] > 0 ? log(x[p]) / 2 : NAN;
	if (!sample_finite(z, n)) {
		for (size_t p = 0; p < n; p++)
			z[p] = NAN;
		return;
	}
	double *all = sample_sorted(z, n), *others = xreallocarray(NULL, n, sizeof(*others));
	double centre = hodges_lehmann(all, n), count = (double)n;
	for (size_t p = 0; p < n; p++) {
		size_t at = 0;

		while (all[at] < z[p])
			at++;
		memcpy(others, all, at * sizeof(*all));
		memcpy(others + at, all + at + 1, (n - at - 1) * sizeof(*all));
		z[p] = count * centre - (count - 1) * hodges_lehmann(others, n - 1);
	}
	free(all);
	free(others);
}

double resample_log_error(const double *x, size_t n)
{
	double *z = xcalloc(n, sizeof(*z)), error = NAN;

	resample_pseudo_values(x, n, z);
	for (size_t i = 0; n == 2 && i < n; i++)
		z[i] = log(x[i]);
	if (n > 1)
		error = sample_sd(z, n) / sqrt((double)n);
	free(z);
	return error;
}
