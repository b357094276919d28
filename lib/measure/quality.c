/* SPDX-License-Identifier: MIT */
#include "measure/quality.h"

#include <math.h>
#include <stdlib.h>

#include "stats/sample.h"
#include "util/xalloc.h"

/* Medians differ if both the relative difference and the number of standard errors are exceeded. */
static const double differ_share = 0.05, differ_errors = 3;
static const double skew_share = 0.1;

/* The variance of the median of n normal values, from their median absolute deviation. */
static double variance(double mad, size_t n)
{
	return 1.4826 * mad * 1.4826 * mad * M_PI / 2 / (double)n;
}

/* Do the medians of the two groups agree? */
static bool agree(const double *first, size_t n, const double *second, size_t m)
{
	double a = sample_median(first, n), b = sample_median(second, m);

	if (a <= 0 || b <= 0)
		return false;
	if (fabs(log(b / a)) <= log(1 + differ_share))
		return true;
	double *off = xreallocarray(NULL, n + m, sizeof(*off));
	for (size_t i = 0; i < n + m; i++)
		off[i] = i < n ? fabs(first[i] - a) : fabs(second[i - n] - b);
	double mad = sample_median(off, n + m);
	free(off);
	return fabs(b - a) <= differ_errors * sqrt(variance(mad, n) + variance(mad, m));
}

bool quality_is_steady(const double *times, size_t n)
{
	size_t half = n / 2;

	return half < 2 || agree(times, half, times + half, half);
}

bool quality_is_skewed(double mean, double median)
{
	return fabs(mean / median - 1) > skew_share;
}
