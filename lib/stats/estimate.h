/* SPDX-License-Identifier: MIT */
/*
 * estimate.h - a centre and its confidence interval from the values of independent processes.
 *
 * Formulas: ../shared/reference/statistics.md C.8.  Every function takes x[n] unsorted and leaves it alone, and
 * returns NaN for low and high when n is too small for the level, NaN for everything when n is 0.
 */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include <stddef.h>

struct estimate {
	double centre, low, high; /* in the unit of x */
	double level;		  /* the confidence really reached (exact methods: >= asked) */
	size_t n;
};

enum estimator { ESTIMATE_HODGES_LEHMANN, ESTIMATE_TRIMMED, ESTIMATE_MEDIAN, ESTIMATE_MEAN };

/* "hl", "trimmed", "median", "mean" to the estimator; -1 when unknown. */
int estimator_parse(const char *name);
const char *estimator_name(enum estimator e);
/* The estimator e of x[n] at level (0.95); the trimmed mean drops a tenth on each side. */
struct estimate estimate(enum estimator e, const double *x, size_t n, double level);

/* Trimmed mean, share trim in [0, 0.5) dropped per side; Tukey-McLaughlin interval (Winsorized
 * standard deviation, Student t with h-1 degrees). */
struct estimate estimate_trimmed(const double *x, size_t n, double trim, double level);
/* Hodges-Lehmann: median of the Walsh averages; interval from the exact signed-rank
 * distribution.  Needs n >= 6 for 95 %. */
struct estimate estimate_hodges_lehmann(const double *x, size_t n, double level);
/* Median; distribution-free order-statistic interval. */
struct estimate estimate_median(const double *x, size_t n, double level);
/* Arithmetic mean; Student t interval. */
struct estimate estimate_mean(const double *x, size_t n, double level);
/* Ratio of centres a/b: exp of the Hodges-Lehmann shift of the logs with its Mann-Whitney
 * interval.  All values must be positive. */
struct estimate estimate_ratio(const double *a, size_t na, const double *b, size_t nb,
			       double level);

/* Half-width of the interval relative to the centre: (high - low) / 2 / centre. */
double estimate_precision(const struct estimate *e);

#endif
