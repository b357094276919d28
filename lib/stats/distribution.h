/* SPDX-License-Identifier: MIT */
/*
 * distribution.h - quantiles of Student's t, and the ranks between which distribution-free
 * intervals lie.
 */
#ifndef STATS_DISTRIBUTION_H
#define STATS_DISTRIBUTION_H

#include <stddef.h>

/* The x with P(X <= x) = p of Student's t with nu > 0 degrees of freedom (INFINITY: the normal),
 * to nine digits; minus and plus infinity for p = 0 and 1, NaN outside the domain. */
double distribution_student_quantile(double p, double nu);
/* P(X > t) of Student's t with nu > 0 degrees of freedom; NaN outside the domain. */
double distribution_student_tail(double t, double nu);
/* The quantile of the normal distribution. */
double distribution_normal_quantile(double p);

/*
 * Depths of distribution-free intervals: an interval from the k-th smallest to the k-th largest
 * value of a set misses the true centre with probability alpha at most.  Each function returns the
 * largest such k, or 0 when there are too few values for any interval.
 */

/* Of the n (n + 1) / 2 Walsh averages of n values: 2 P(S <= k - 1) <= alpha for the signed-rank
 * statistic S (Hollander and Wolfe).  Exact to n = 200, then within 1 (Cornish-Fisher). */
size_t distribution_signed_rank_depth(size_t n, double alpha);
/* Of the n values: 2 P(B <= k - 1) <= alpha for B binomial(n, 1/2).  Exact. */
size_t distribution_sign_depth(size_t n, double alpha);

#endif
