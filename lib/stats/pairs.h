/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - order statistics of all pairwise sums of a sorted array, without forming them.
 *
 * Walsh averages are of this kind.  The sums x[i] + x[j], i <= j, are a triangle that grows along
 * rows and columns, so those up to a bound are counted in one walk along its staircase; bisection
 * on that count needs no memory (Monahan 1984 has a variant).
 */
#ifndef STATS_PAIRS_H
#define STATS_PAIRS_H

#include <stddef.h>
#include <stdint.h>

/* How many sums n values have: n (n + 1) / 2. */
uint64_t pairs_count(size_t n);
/* The k-th smallest, 1 <= k <= pairs_count(n), of values that ascend and are finite.  O(n) for each
 * of about log2(pairs_count) steps, more when the values span many orders of magnitude. */
double pairs_select(const double *x, size_t n, uint64_t k);
/* The mean of the middle two, or the middle one. */
double pairs_median(const double *x, size_t n);

#endif
