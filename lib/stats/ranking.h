/* SPDX-License-Identifier: MIT */
/*
 * ranking.h - ranks of m things from joint draws of their values (statistics.md C.6): smaller is
 * better.
 */
#ifndef RANKING_H
#define RANKING_H

#include <stddef.h>

struct rank {
	size_t low, high;	/* the rank set: simultaneous bounds, 1 is best */
	size_t tie_group;	/* things with the same number are not told apart; 0 is the best */
	double best;		/* share of draws in which it is first */
	double regret;		/* expected value / best value - 1 */
};

/*
 * Ranks m things; centre[m] are their point values (positive), draws[d * m + i] draw d of thing i
 * (positive).  Bounds hold jointly at level (max-t over all pairs, on logs); tie groups ignore differences below
 * ratio equivalence (1.03).  out[m].
 */
void ranking(const double *centre, const double *draws, size_t ndraws, size_t m, double level,
	     double equivalence, struct rank *out);

#endif
