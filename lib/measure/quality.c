/* SPDX-License-Identifier: MIT */
#include "measure/quality.h"

#include <math.h>
#include <stdlib.h>

#include "stats/sample.h"
#include "util/xalloc.h"

/* Medians differ if both the relative difference and the number of standard errors are exceeded. */
static const double differ_share = 0.05, differ_errors = 3;
static const double interrupted_share = 0.25, skew_share = 0.1;

/* The variance of the median of n normal values, from their median absolute deviation. */
static double variance(double mad, size_t n)
{
	return 1.4826 * mad * 1.4826 * mad * M_PI / 2 / (double)n;
}

/* -1: the median of the second group is below that of the first, 1: above, 0: they agree. */
static int compare(const double *first, size_t n, const double *second, size_t m)
{
	double a = sample_median(first, n), b = sample_median(second, m);

	if (a <= 0 || b <= 0)
		return -1;
	if (fabs(log(b / a)) <= log(1 + differ_share))
		return 0;
	double *off = xreallocarray(NULL, n + m, sizeof(*off));
	for (size_t i = 0; i < n + m; i++)
		off[i] = i < n ? fabs(first[i] - a) : fabs(second[i - n] - b);
	double mad = sample_median(off, n + m);
	free(off);
	if (fabs(b - a) <= differ_errors * sqrt(variance(mad, n) + variance(mad, m)))
		return 0;
	return b < a ? -1 : 1;
}

bool quality_is_steady(const double *times, size_t n)
{
	size_t half = n / 2;

	return half < 2 || !compare(times, half, times + half, half);
}

/* Involuntary switches per batch that are part of the operation. */
static double own_switches(const double *switches, size_t n, double operations)
{
	double usual = 2 * sample_median(switches, n);

	return usual < 0.02 * operations ? 0 : usual;
}

size_t quality_interrupted(const double *switches, size_t n, double operations)
{
	double own = own_switches(switches, n, operations);
	size_t interrupted = 0;

	for (size_t i = 0; i < n; i++)
		interrupted += switches[i] > own;
	return interrupted;
}

bool quality_is_disturbed(const double *times, const double *switches, size_t n, double operations)
{
	double own = own_switches(switches, n, operations);
	double *sorted = xcalloc(n, sizeof(*sorted));
	size_t quiet = 0, hit = n;

	for (size_t i = 0; i < n; i++)
		sorted[switches[i] > own ? --hit : quiet++] = times[i];
	bool disturbed = (double)(n - hit) > interrupted_share * (double)n &&
			 (!quiet || compare(sorted, quiet, sorted + hit, n - hit) > 0);
	free(sorted);
	return disturbed;
}

bool quality_is_skewed(double mean, double median)
{
	return fabs(mean / median - 1) > skew_share;
}
