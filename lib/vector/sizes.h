/* SPDX-License-Identifier: MIT */
/*
 * sizes.h - how many calls there were of each size, in bounded memory.
 *
 * Up to SIZES_EXACT distinct sizes are exact.  If there are more, each power of two is divided into four
 * classes of equal width, which keep the mean of their sizes: the sum of calls times size stays exact.
 */
#ifndef SIZES_H
#define SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vector/appvec.h"

enum { SIZES_EXACT = 32 };

/* A zeroed one is valid and empty. */
struct sizes {
	struct sizes_class {
		uint64_t first;	   /* smallest size of the class */
		double calls, sum; /* sum of the sizes */
	} * v;			   /* ascending in first */
	size_t n, cap;
	bool merged; /* classes, no longer single sizes */
};

/* Calls of that size. */
void sizes_add(struct sizes *s, uint64_t size, double calls);
/* The classes as *n rows that the caller frees, ascending; NULL when empty. */
struct appvec_size *sizes_rows(const struct sizes *s, size_t *n);
/* Returns the memory; empty and usable again. */
void sizes_free(struct sizes *s);

#endif
