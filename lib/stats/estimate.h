/* SPDX-License-Identifier: MIT */
/*
 * estimate.h - a centre and its confidence interval from the values of independent processes.
 *
 * Every function takes x[n] unsorted and leaves it alone.  level is the confidence asked for, say
 * 0.95; the exact methods may reach more.  When n is too small for it, low and high are NaN; when n
 * is 0 or a value is not finite, the centre is NaN too.
 */
#ifndef STATS_ESTIMATE_H
#define STATS_ESTIMATE_H

#include <stddef.h>

struct estimate {
	double centre, low, high; /* in the unit of x */
};

enum estimator { ESTIMATE_HODGES_LEHMANN, ESTIMATE_TRIMMED, ESTIMATE_MEDIAN, ESTIMATE_MEAN };

/* "hl", "trimmed", "median", "mean" to the estimator; -1 when unknown. */
int estimator_parse(const char *name);
/* The name that estimator_parse knows. */
const char *estimator_name(enum estimator e);
/* The estimator e of x[n] at level. */
struct estimate estimate(enum estimator e, const double *x, size_t n, double level);

/* Mean without the smallest and the largest tenth of the values; interval of Tukey and McLaughlin
 * (1963): the Winsorized standard deviation, Student's t with h - 1 degrees for h values kept. */
struct estimate estimate_trimmed(const double *x, size_t n, double level);
/* Hodges and Lehmann (1963): the median of the Walsh averages (x_i + x_j) / 2, i <= j; interval by
 * inverting the signed-rank test (Hollander and Wolfe).  Needs n >= 6 for 95 %. */
struct estimate estimate_hodges_lehmann(const double *x, size_t n, double level);
/* Median; interval between two order statistics, by the sign test (Hettmansperger and McKean).
 * Needs n >= 6 for 95 %. */
struct estimate estimate_median(const double *x, size_t n, double level);
/* Arithmetic mean; Student's t interval, on the side of the longer tail wider by 2.5 times the
 * skewness term of the Edgeworth expansion, g (2 t^2 + 1) / (6 sqrt n) standard errors (Johnson
 * 1978): n values rarely hold enough of a long tail.  tests/unit/coverage.c and stopping.c simulate
 * what it covers, by which 2.5 was chosen; what no value shows of the tail is in no interval.
 */
struct estimate estimate_mean(const double *x, size_t n, double level);
/* The standard error of log mean with which Student's 95 % interval is that of estimate_mean; NaN
 * for one value. */
double estimate_mean_error(const double *x, size_t n);
/* Half-width of the interval relative to the centre: (high - low) / 2 / |centre|. */
double estimate_precision(const struct estimate *e);

/*
 * z[p] = n HL - (n - 1) HL without x[p], HL being the Hodges-Lehmann centre of log x (Tukey 1958).
 * The mean of a bootstrap sample of z is a draw of log HL at the price of a mean.  Needs n >= 3
 * and positive x, otherwise z is all NaN.  Not for two-mode samples: their spread comes out far
 * too small.
 */
void estimate_pseudo_values(const double *x, size_t n, double *z);

/* The standard error of log HL, of two values that of the mean of their logarithms; NaN for one. */
double estimate_log_error(const double *x, size_t n);

#endif
