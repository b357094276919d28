/* SPDX-License-Identifier: MIT */
/*
 * histogram.h - counts of integers in logarithmic buckets, for quantiles in bounded memory.
 *
 * Each octave is cut into 32 buckets of equal width and only the octaves between the smallest and
 * the largest value take memory.  Values below 32 are kept exactly; above, a quantile is off by at
 * most HISTOGRAM_ERROR of itself.
 */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_ERROR (1.0 / 64)

/* A zeroed histogram is valid and empty. */
struct histogram {
	uint64_t *counts; /* of the octaves low ... low + octaves - 1 */
	unsigned low, octaves;
	uint64_t n;
};

/* Counts a value n times. */
void histogram_add(struct histogram *h, uint64_t value, uint64_t n);
/* Counts the values of another one too. */
void histogram_merge(struct histogram *h, const struct histogram *from);
/* The value of rank ceil(q n) from below (nearest rank), as the middle of its bucket; NaN when
 * empty. */
double histogram_quantile(const struct histogram *h, double q);
/* Returns the memory; the histogram is empty and usable again. */
void histogram_free(struct histogram *h);

#endif
