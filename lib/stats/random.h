/* SPDX-License-Identifier: MIT */
/*
 * random.h - xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
 * 2018): the same seed, the same numbers, on every machine.
 */
#ifndef STATS_RANDOM_H
#define STATS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t s[4];
};

/* Fills the state from seed with splitmix64; every seed is good. */
void random_seed(struct random *r, uint64_t seed);
/* 64 uniform bits. */
uint64_t random_next(struct random *r);
/* Uniform in [0, 1), a multiple of 2^-53. */
double random_uniform(struct random *r);
/* Uniform integer in [0, n), without bias (Lemire 2019); n > 0. */
uint64_t random_below(struct random *r, uint64_t n);
/* Standard normal (Marsaglia's polar method). */
double random_normal(struct random *r);
/* Student's t with nu > 0 degrees of freedom (Bailey 1994, the polar method for t). */
double random_student(struct random *r, double nu);
/* Shuffles order[n] (Fisher and Yates). */
void random_shuffle(struct random *r, size_t *order, size_t n);
/* A seed from the kernel; from clock and pid where it has none. */
uint64_t random_fresh_seed(void);

#endif
