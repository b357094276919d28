/* SPDX-License-Identifier: MIT */
/* sizes.h - how many calls there were of each size, in bounded memory. */
#ifndef VECTOR_SIZES_H
#define VECTOR_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vector/appvec.h"

enum { SIZES_EXACT = 32 };

/*
 * Up to SIZES_EXACT different sizes are kept as they are.  When there are more, each range from a
 * power of two to the next becomes four classes of equal width, which keep the mean of their sizes:
 * the sum of calls times size stays exact.  Zeroed is valid and empty; vec_free() returns its
 * memory.
 */
struct sizes {
	struct sizes_class {
		uint64_t first;	   /* smallest size of the class */
		double calls, sum; /* sum of the sizes */
	} * v;			   /* ascending in first */
	size_t n, cap;
	bool merged; /* classes, no longer single sizes */
};

/* Adds that many calls of a size. */
void sizes_add(struct sizes *s, uint64_t size, double calls);
/* A row for each size or class, ascending: *n of them, which the caller frees; NULL: none. */
struct appvec_size *sizes_rows(const struct sizes *s, size_t *n);

#endif
