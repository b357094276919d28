/* SPDX-License-Identifier: MIT */
/* batch.h - one timed run of n operations, and its overhead. */
#ifndef MEASURE_BATCH_H
#define MEASURE_BATCH_H

#include <stdint.h>

#include "measure/account.h"
#include "measure/bench.h"
#include "util/error.h"
#include "util/vec.h"

/* What takes the place of the operation's code and data in the caches between preparation and time
 * (see caches.h). */
struct eviction {
	uint64_t bytes;	 /* touched by the calling thread */
	const int *cpus; /* its CPU and the peer's (-1: any), where as much is touched before; NULL:
			  * only where it runs */
};

struct batch {
	uint64_t n;	 /* operations */
	uint64_t runs;	 /* calls of run() */
	double ticks;	 /* of the clock */
	double evicting; /* ticks of what preceded them, which the account includes */
	double alone;	 /* seconds in which not all of several copies ran */
	struct account account;
};

/* What every number of operations in a call of run() is a multiple of. */
uint64_t batch_multiple(const struct bench *bench);
/* The most operations in one call of run(); 0: no limit. */
uint64_t batch_limit(const struct bench *bench);
/* n as a multiple that bench can do: at least one and, when possible, within the limit. */
uint64_t batch_round(const struct bench *bench, double n);

/* Prepares, empties caches unless eviction is NULL, times and checks n operations, in each copy
 * where there are several (copies.h).  0, or -1 and *e: check() failed, the clock went backwards,
 * or there is no memory to touch. */
int batch_run(const struct bench *bench, uint64_t n, const struct eviction *eviction,
	      struct batch *out, struct error *e);
/* The ticks to which the account belongs. */
double batch_elapsed(const struct batch *b);
/* Adds b to *total. */
void batch_add(struct batch *total, const struct batch *b);

/*
 * The cost of a batch without its operations: two readings of the clock and the loop (or
 * bench->overhead).  It is sampled between the batches, so that whatever slows the batches slows
 * the samples as well.  All zero is a valid empty set of samples.
 */
struct overhead {
	double timer;	    /* ticks per call of run(), with caches as before it */
	double operation;   /* ticks per operation */
	double timer_cpu;   /* seconds of CPU per call of run(), NaN: not known */
	double cpu;	    /* seconds of CPU per operation */
	double uncertainty; /* of operation: the first half of the samples against the second */
	VEC(double) timers, operations, timer_cpus, cpus; /* samples in order of time */
};

/* Takes a sample, with n operations if bench has an overhead function, after an eviction unless
 * that is NULL.  0, or -1 and *e as batch_run. */
int overhead_sample(struct overhead *o, const struct bench *bench, uint64_t n,
		    const struct eviction *eviction, struct error *e);
/* Computes the figures from the samples so far, at least one. */
void overhead_reduce(struct overhead *o);
/* Frees the samples. */
void overhead_free(struct overhead *o);

#endif
