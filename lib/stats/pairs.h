/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - order statistics of all pairwise sums of two sorted arrays, without forming them.
 *
 * Walsh averages, shifts between two samples and pairwise spreads are all of this kind.  The sums
 * are a matrix that grows along rows and columns, so those up to a bound are counted in one walk
 * along its staircase; bisection on that count needs no memory (Monahan 1984 has a variant).
 */
#ifndef PAIRS_H
#define PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sums row[i] + column[j]; both arrays ascend and are finite. */
struct pairs {
	const double *row, *column;
	size_t rows, columns;
	bool triangle; /* only those with i <= j; rows == columns */
};

/* How many sums there are. */
uint64_t pairs_count(const struct pairs *p);
/* The k-th smallest, 1 <= k <= pairs_count.  O(rows + columns) for each of about
 * log2(pairs_count) steps, more when the values span many orders of magnitude. */
double pairs_select(const struct pairs *p, uint64_t k);
/* The mean of the middle two, or the middle one. */
double pairs_median(const struct pairs *p);

#endif
