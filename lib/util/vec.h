/* SPDX-License-Identifier: MIT */
/*
 * vec.h - a growing array of any type.
 *
 *	VEC(double) xs = { 0 };		a zeroed struct is a valid empty vector
 *
 *	vec_push(&xs, 1.5);		amortised O(1)
 *
 *	vec_insert(&xs, 0, 0.5);	moves what follows by one
 *
 *	vec_search(i, xs.n, xs.v[i] > 1);	i: the first for which this holds, or xs.n
 *
 *	vec_reserve(&xs, 100);		makes room for 100 more
 *
 *	vec_sort(&xs, compare);		as qsort(3) does
 *
 *	vec_free(&xs);			frees the memory; empty again
 *
 * Elements may move on push and reserve.  Running out of memory ends the program.
 */
#ifndef UTIL_VEC_H
#define UTIL_VEC_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

#define VEC(type) \
	struct { \
		type *v; \
		size_t n, cap; \
	}

#define vec_reserve(a, more) \
	do { \
		size_t vec_need_ = (a)->n + (more); \
		if (vec_need_ > (a)->cap) { \
			(a)->cap = vec_need_ > 2 * (a)->cap ? vec_need_ : 2 * (a)->cap; \
			(a)->v = xreallocarray((a)->v, (a)->cap, sizeof(*(a)->v)); \
		} \
	} while (0)

#define vec_push(a, ...) \
	do { \
		vec_reserve(a, 1); \
		(a)->v[(a)->n++] = (__VA_ARGS__); \
	} while (0)

#define vec_insert(a, at, ...) \
	do { \
		vec_reserve(a, 1); \
		memmove((a)->v + (at) + 1, (a)->v + (at), ((a)->n++ - (at)) * sizeof(*(a)->v)); \
		(a)->v[at] = (__VA_ARGS__); \
	} while (0)

/* Sets i to the first number below n for which the expression holds, and n if there is none.  Where
 * it holds once, it must hold from there on. */
#define vec_search(i, n, ...) \
	do { \
		size_t vec_low_ = 0, vec_high_ = (n); \
		while (vec_low_ < vec_high_) { \
			(i) = vec_low_ + (vec_high_ - vec_low_) / 2; \
			if (__VA_ARGS__) \
				vec_high_ = (i); \
			else \
				vec_low_ = (i) + 1; \
		} \
		(i) = vec_low_; \
	} while (0)

/* Returns the index of an element of a that is not in use: one from the vector of indices `unused`,
 * or that of a new, zeroed element. */
#define vec_place(a, unused) \
	((unused)->n ? (unused)->v[--(unused)->n] \
		     : ((a)->v = vec_add_(&(a)->n, &(a)->cap, (a)->v, sizeof(*(a)->v)), \
			(uint32_t)(a)->n - 1))

static inline void *vec_add_(size_t *n, size_t *cap, void *v, size_t size)
{
	if (*n == *cap) {
		*cap = *cap ? 2 * *cap : 1;
		v = xreallocarray(v, *cap, size);
	}
	memset((char *)v + (*n)++ * size, 0, size);
	return v;
}

/* Removes the first `first` elements, which are used up, and sets `first` to 0, but only once they
 * are more than half: so a queue moves each element once on average. */
#define vec_drop(a, first) \
	do { \
		if ((first)*2 > (a)->n) { \
			(a)->n -= (first); \
			memmove((a)->v, (a)->v + (first), (a)->n * sizeof(*(a)->v)); \
			(first) = 0; \
		} \
	} while (0)

/* An empty vector has no memory, which qsort() must not be given. */
#define vec_sort(a, compare) \
	do { \
		if ((a)->n) \
			qsort((a)->v, (a)->n, sizeof(*(a)->v), compare); \
	} while (0)

#define vec_free(a) \
	do { \
		free((a)->v); \
		(a)->v = NULL; \
		(a)->n = (a)->cap = 0; \
	} while (0)

#endif
