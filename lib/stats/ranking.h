/* SPDX-License-Identifier: MIT */
/*
 * ranking.h - ranks of m things from joint draws of their values: smaller is better.
 *
 * The confidence sets for ranks of Mogstad, Romano, Shaikh and Wilhelm (2024; R package csranks):
 * simultaneous intervals for the log ratios of all pairs, their width from the distribution of the
 * largest |t| of all pairs over the draws (Romano and Wolf 2005).  Valid near ties, where bootstrap
 * quantiles of a rank are not.
 */
#ifndef STATS_RANKING_H
#define STATS_RANKING_H

#include <stddef.h>

struct rank {
	size_t low, high; /* the rank set: simultaneous bounds, 1 is best; low 1: may be the best */
	double best;	  /* share of draws in which it is first; ties share the draw */
	double loss;	  /* the quantile level of value / best value - 1 over the draws */
};

/*
 * Ranks m things into out[m].  centre[m] are their point values, draws[d * m + i] draw d of thing
 * i, all positive.  The bounds of all things hold jointly with probability level.
 *
 * Two things are told apart when the interval of their ratio lies beyond the factor equivalence
 * (1.03: differences of 3 % do not matter).  A thing's low is one more than the things surely
 * better than it.
 *
 * With fewer than 2 draws (draws may be NULL) the centres count as exact, and best and loss are
 * NaN.  O(m^2 (ndraws + 1)) time; of more than 500 things, pairs are compared in fewer of the
 * draws.
 */
void ranking(const double *centre, const double *draws, size_t ndraws, size_t m, double level,
	     double equivalence, struct rank *out);

#endif
