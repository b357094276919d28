/* SPDX-License-Identifier: MIT */
/*
 * sample.h - the order, spread, modes and outliers of a set of numbers.
 *
 * x[n] is unsorted and left alone.  A number that is not finite among x, or too few of them, makes
 * the result NaN.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

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
 * The split of the sorted values with the largest gap relative to the spread of its sides, of
 * which each holds 15 % of the values and at least 3.  They are two modes when gap > 2.5 and the
 * means lie more than 2 % apart: rarely a false alarm at n = 15 to 30 (0.2 % of normal, 5 % of
 * heavily skewed samples), where the dip test has no power.
 */
struct modes {
	bool bimodal;
	double low, high;  /* mean of each side; NaN when there is no split */
	double weight_low; /* share of the values on the low side */
	double gap;	   /* gap / larger standard deviation of the two sides */
};
struct modes sample_modes(const double *x, size_t n);

/* Values with a modified z score |x - median| / (1.4826 MAD) above 5 and above 10; when more than
 * half of them are equal, the mean deviation stands in for the MAD (Iglewicz and Hoaglin 1993). */
struct outliers {
	size_t mild, severe; /* z in (5, 10], z > 10; both 0 when a value is not finite */
};
struct outliers sample_outliers(const double *x, size_t n);

#endif
