/* SPDX-License-Identifier: MIT */
/*
 * counter.h - more events than a CPU has counters: each group of events is counted in some slices
 * of the time, drawn at random, and what it would have counted in all of it follows with a standard
 * error (ratio estimator of survey sampling: Cochran, Sampling Techniques, 1977, section 6).
 */
#ifndef COUNTER_H
#define COUNTER_H

#include <stddef.h>

#include "stats/random.h"

/* One event; zeroed is valid and empty. */
struct counter {
	size_t slices;			  /* in which it was counted */
	double count, time;		  /* in them */
	double counts2, products, times2; /* sums of squares: count^2, count * time, time^2 */
};

/* Adds a slice: count events while it was counted for time. */
void counter_add(struct counter *c, double count, double time);

struct counter_estimate {
	double count; /* in the whole time; NaN: never counted */
	double error; /* its standard error; NaN: from a single slice of several */
	double share; /* of the whole time in which it was counted, 0 to 1 */
};

/* What c would have counted in whole, the time of all slices, its own included. */
struct counter_estimate counter_estimate(const struct counter *c, double whole);

/*
 * Which of n groups has its turn: each once in the first round and several times in each later one,
 * in a fresh random order.  So a rhythm of the work does not meet the same group again and again,
 * and slices are nearly as independent as the standard error takes them to be.
 */
struct rotation {
	size_t *order, n, next, length; /* of the round */
	struct random random;
};

/* n > 0. */
void rotation_init(struct rotation *r, size_t n, uint64_t seed);
/* The next of 0 ... n - 1: each once in random order at first, then each equally often in longer
 * rounds. */
size_t rotation_next(struct rotation *r);
/* Returns the memory. */
void rotation_done(struct rotation *r);

#endif
