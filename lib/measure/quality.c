/* SPDX-License-Identifier: MIT */
#include "measure/quality.h"

#include <math.h>
#include <stdlib.h>

#include "measure/overhead.h"

static const double steady_share = 0.05, steady_errors = 3, interrupted_share = 0.25,
		    skew_share = 0.1;

/* Of the median of n values with the given median absolute deviation, were they normal. */
static double standard_error(double mad, size_t n)
{
	return 1.4826 * mad * sqrt(M_PI / 2 / (double)n);
}

bool quality_is_steady(const double *times, size_t n)
{
	size_t half = n / 2;

	if (half < 2)
		return true;
	double first = overhead_median(times, half);
	double second = overhead_median(times + half, half);
	if (first <= 0 || second <= 0)
		return false;
	if (fabs(log(second / first)) <= log(1 + steady_share))
		return true;
	double *off = xreallocarray(NULL, 2 * half, sizeof(*off));
	for (size_t i = 0; i < 2 * half; i++)
		off[i] = fabs(times[i] - (i < half ? first : second));
	double mad = overhead_median(off, 2 * half);
	free(off);
	return fabs(second - first) <= steady_errors * M_SQRT2 * standard_error(mad, half);
}

size_t quality_interrupted(const double *switches, size_t n, double operations)
{
	double usual = 2 * overhead_median(switches, n);
	size_t interrupted = 0;

	if (usual < 0.02 * operations)
		usual = 0;
	for (size_t i = 0; i < n; i++)
		interrupted += switches[i] > usual;
	return interrupted;
}

bool quality_is_disturbed(size_t interrupted, size_t n)
{
	return (double)interrupted > interrupted_share * (double)n;
}

bool quality_is_skewed(double mean, double median)
{
	return fabs(mean / median - 1) > skew_share;
}
