/* SPDX-License-Identifier: MIT */
/* sample.h - what a set of numbers looks like: order, spread, modes, outliers. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

/* A sorted copy; the caller frees. */
double *sample_sorted(const double *x, size_t n);
/* Quantile p in [0, 1] of a sorted array, linear between neighbours (type 7 of Hyndman and Fan). */
double sample_quantile(const double *sorted, size_t n, double p);
double sample_mean(const double *x, size_t n);
/* Sample standard deviation, n - 1 in the denominator; NaN when n < 2. */
double sample_sd(const double *x, size_t n);
/* Median absolute deviation from the median, not scaled. */
double sample_mad(const double *x, size_t n);
/* Shamos spread: the median of |x_i - x_j|, i < j. */
double sample_shamos(const double *x, size_t n);

/* The mode rule of statistics.md C.4: two modes when a gap splits the values. */
struct modes {
	bool bimodal;
	double low, high;	/* mean of each side */
	double weight_low;	/* share of values in the low mode */
	double gap;		/* gap / larger side sd: above 2.5 counts */
};
struct modes sample_modes(const double *x, size_t n);

struct outliers {
	size_t mild, severe;	/* modified z above 5 (and at most 10), above 10 */
};
struct outliers sample_outliers(const double *x, size_t n);
/* mean / centre - 1. */
double sample_tail_excess(const double *x, size_t n, double centre);

#endif
