/* SPDX-License-Identifier: MIT */
/* random.h - for tests: random numbers that are the same in each run. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include "stats/random.h"

/* Returns a number from 0 to n - 1. */
static inline int64_t below(int64_t n)
{
	static struct random r;

	if (!r.s[0])
		random_seed(&r, 1);
	return (int64_t)random_below(&r, (uint64_t)n);
}

#endif
