/* SPDX-License-Identifier: MIT */
/*
 * distribution.h - probabilities and quantiles of Student's t and of the rank statistics that make
 * distribution-free intervals.
 *
 * Accurate to 1e-10 relative, also far out in the tails.  Arguments outside the domain give NaN.
 */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include <stddef.h>

/* P(X <= x) of Student's t with nu > 0 degrees of freedom; nu may be INFINITY: the normal. */
double distribution_student_cdf(double x, double nu);
/* The x with P(X <= x) = p; minus and plus infinity for p = 0 and 1. */
double distribution_student_quantile(double p, double nu);
/* The same of the normal distribution. */
double distribution_normal_quantile(double p);

/*
 * Depths of distribution-free intervals: the interval runs from the k-th smallest to the k-th
 * largest of the values named.  Each function returns the largest k with which it misses the truth
 * with probability alpha at most, and stores the confidence reached (>= 1 - alpha); 0 and NaN when
 * there are too few values for any interval.
 */

/* Of the n (n + 1) / 2 Walsh averages of n values: 2 P(S <= k - 1) <= alpha for the signed-rank
 * statistic S (Hollander and Wolfe).  Exact to n = 200, then within 1 (Cornish-Fisher). */
size_t distribution_signed_rank_depth(size_t n, double alpha, double *reached);
/* Of the na nb differences between two samples: 2 P(U <= k - 1) <= alpha for the Mann-Whitney
 * statistic U.  Exact to na nb = 1000, then within 1 (Cornish-Fisher). */
size_t distribution_rank_sum_depth(size_t na, size_t nb, double alpha, double *reached);
/* Of the n values: 2 P(B <= k - 1) <= alpha for B binomial(n, 1/2).  Exact. */
size_t distribution_sign_depth(size_t n, double alpha, double *reached);

#endif
