/* SPDX-License-Identifier: MIT */
/*
 * score.h - how well predicted values of n things agree with measured ones: their order, their
 * ratios, and what following the prediction costs.  Smaller is better, as a time is.
 */
#ifndef STATS_SCORE_H
#define STATS_SCORE_H

#include <stdbool.h>
#include <stddef.h>

struct score {
	size_t n;
	bool exact_order;    /* no pair is swapped, or equal in one and not in the other */
	double tau_b;	     /* Kendall (1945), corrected for ties; NaN: all equal, or n < 2 */
	size_t pairs;	     /* whose measured values lie further apart than asked */
	size_t pairs_right;  /* of these, predicted in that order; equal is not right */
	double median_error; /* median of |predicted / measured - 1| */
	double factor;	     /* geometric mean of predicted / measured */
	double scaled_error; /* least possible largest |f * predicted / measured - 1|, by one
				   factor f for all (TR-03-97, Table 4): with the largest and the
				   smallest of these ratios, (a - b) / (a + b) */
	double spread;	     /* standard deviation of log(predicted / measured); NaN: n < 2 */
	bool best_found;     /* what is predicted to be the best is measured to be */
	double deficiency;   /* measured value of that / the best measured - 1; of several
				   predicted equally good, the worst counts */
};

/*
 * Scores predicted[n] against measured[n], all positive and finite, otherwise, or when n is 0, the
 * numbers are NaN and nothing is right.  apart is the share by which the values of a pair must
 * differ to count in pairs: 0.05.  O(n^2) time.
 */
struct score score(const double *predicted, const double *measured, size_t n, double apart);

/* Places 1 ... n of value[n], the smallest first; equal values share the first of theirs. */
void score_places(const double *value, size_t n, size_t *place);

#endif
