/* SPDX-License-Identifier: MIT */
/*
 * sample.h - the order, spread, modes and outliers of a set of numbers.
 *
 * x[n] is unsorted and left alone.  A number that is not finite among x, or too few of them, makes
 * the result NaN.
 */
#ifndef STATS_SAMPLE_H
#define STATS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

/* True when no value is infinite or NaN. */
bool sample_finite(const double *x, size_t n);
/* An ascending copy, NaN last; the caller frees. */
double *sample_sorted(const double *x, size_t n);
/* Quantile p in [0, 1] of an ascending array, linear between neighbours (Hyndman and Fan 1996,
 * type 7). */
double sample_quantile(const double *sorted, size_t n, double p);
/* The median of x[n]; n >= 1. */
double sample_median(const double *x, size_t n);
/* The arithmetic mean; n >= 1. */
double sample_mean(const double *x, size_t n);
/* Sample standard deviation, n - 1 in the denominator; n >= 2. */
double sample_sd(const double *x, size_t n);

/*
 * The split of the sorted values into two modes, of which each holds 10 % of the values and at
 * least 3.  The measure of a split is the gap between its sides, relative to the larger of their
 * standard deviations, times the size of the smaller side: in an exponential tail the gap below
 * the uppermost m values is 1/m of their spread on average (Renyi 1953), so that chance splits of
 * all sizes measure alike.  The split that measures most makes two modes when it measures over 13
 * and the means lie more than four of those standard deviations and more than 2 % apart.
 * tests/unit/coverage.c has the shares found and the false alarms (below 2 %).
 */
struct modes {
	bool bimodal;
	double low, high;  /* mean of each side; NaN when there is no split */
	double weight_low; /* share of the values on the low side */
	double measure;	   /* of the split */
};
/* The split of x[n] that measures most. */
struct modes sample_modes(const double *x, size_t n);

/* Values with a modified z score |x - median| / (1.4826 MAD) above 5 and above 10; when more than
 * half of them are equal, the mean deviation stands in for the MAD (Iglewicz and Hoaglin 1993). */
struct outliers {
	size_t mild, severe; /* z in (5, 10], z > 10; both 0 when a value is not finite */
};
/* How many of x[n] there are. */
struct outliers sample_outliers(const double *x, size_t n);

#endif
