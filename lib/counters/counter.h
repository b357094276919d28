/* SPDX-License-Identifier: MIT */
/*
 * counter.h - more events than a CPU has counters: each group of events is counted in some slices
 * of the time, drawn at random, and what it would have counted in all of it follows with a standard
 * error (ratio estimator of survey sampling: Cochran, Sampling Techniques, 1977, section 6).
 *
 * What a slice was long is told by a carrier: time, or an event such as cycles that is counted in
 * every slice.  The rate per carrier changes less than that per second, so the error is smaller.
 */
#ifndef COUNTERS_COUNTER_H
#define COUNTERS_COUNTER_H

#include <stddef.h>

#include "stats/random.h"

/* What was counted of n events. */
struct counters {
	size_t n;
	/* Private. */
	size_t slices;		/* of all events */
	struct counter *v;	/* [n] */
	struct counter_pair *p; /* [n * n], of events counted together */
};

/* n events, of which nothing is known. */
void counters_init(struct counters *c, size_t n);
/* Adds a slice in which the m different events which[] were counted together: counts[], while the
 * carrier rose by carrier > 0. */
void counters_add(struct counters *c, size_t m, const size_t *which, const double *counts,
		  double carrier);
/* Forgets the slices. */
void counters_reset(struct counters *c);
/* Frees what counters_init() made. */
void counters_free(struct counters *c);

struct counter_estimate {
	double count; /* in the whole; NaN: never counted */
	double error; /* its standard error; NaN: from a single slice of several */
	double share; /* of the whole in which it was counted, 0 to 1 */
};

/*
 * What event i would have counted in whole, the carrier of all slices, those of i included.
 *
 * The error is that of a stratified sample (Cochran, section 5.6), whose strata are the rounds of a
 * rotation: it comes from what differs within blocks of as many slices as an event has in a round,
 * and what changes slowly does not widen it.  1.96 standard errors cover the truth in 95 of 100
 * cases, since it has the factor of Student's t to the normal distribution, with degrees of freedom
 * after Satterthwaite (1946): of bursts, few slices tell the error.
 */
struct counter_estimate counters_estimate(const struct counters *c, size_t i, double whole);

/* The correlation of the errors of i and j: 0 when they were never counted together, or have none.
 */
double counters_correlation(const struct counters *c, size_t i, size_t j);

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
