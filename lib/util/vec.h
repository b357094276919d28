/* SPDX-License-Identifier: MIT */
/*
 * vec.h - a growing array of any type.
 *
 * 	struct { double *v; size_t n, cap; } xs = { 0 };	a zeroed struct is a valid empty
 * vector vec_push(&xs, 1.5);					amortised O(1) vec_reserve(&xs,
 * 100);					makes room for 100 more for (size_t i = 0; i < xs.n;
 * i++) use(xs.v[i]);
 * 	vec_free(&xs);						frees the memory; empty again
 *
 * Elements may move on push and reserve.  Running out of memory ends the program.
 */
#ifndef VEC_H
#define VEC_H

#include <stdlib.h>

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

#define vec_free(a) \
	do { \
		free((a)->v); \
		(a)->v = NULL; \
		(a)->n = (a)->cap = 0; \
	} while (0)

#endif
