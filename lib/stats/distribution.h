/* SPDX-License-Identifier: MIT */
/* distribution.h - quantiles and probabilities of the usual distributions. */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include <stddef.h>

/* P(X <= x) of Student's t with nu degrees of freedom. */
double distribution_student_cdf(double x, double nu);
/* The x with P(X <= x) = p, 0 < p < 1. */
double distribution_student_quantile(double p, double nu);
double distribution_normal_quantile(double p);
/*
 * Largest k with 2 P(S <= k - 1) <= alpha for the signed-rank statistic S of n values: how many
 * Walsh averages to drop per side; 0 when n is too small.  *reached: the confidence 1 - 2 P.
 */
size_t distribution_signed_rank_drop(size_t n, double alpha, double *reached);
/* Likewise for the Mann-Whitney statistic of na and nb values. */
size_t distribution_rank_sum_drop(size_t na, size_t nb, double alpha, double *reached);
/* Largest k with 2 P(B < k) <= alpha, B binomial(n, 1/2): the interval is x_(k) ... x_(n+1-k). */
size_t distribution_sign_drop(size_t n, double alpha, double *reached);

#endif
