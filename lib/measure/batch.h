/* SPDX-License-Identifier: MIT */
/* batch.h - one timed run of n operations, and its overhead. */
#ifndef BATCH_H
#define BATCH_H

#include <stdint.h>

#include "measure/account.h"
#include "measure/bench.h"
#include "util/error.h"
#include "util/vec.h"

struct batch {
	uint64_t n;    /* operations */
	uint64_t runs; /* calls of run() */
	double ticks;  /* of the clock */
	struct account account;
};

/* Prepares, times and checks n operations; between preparation and time empties the caches of both
 * CPUs in cold (see caches.h) unless it is NULL.  0, or -1 and *e: check() failed, the clock went
 * backwards, or the caches cannot be emptied. */
int batch_run(const struct bench *bench, uint64_t n, const int *cold, struct batch *out,
	      struct error *e);
/* Adds b to *total. */
void batch_add(struct batch *total, const struct batch *b);

/*
 * The cost of a batch without its operations: two readings of the clock and the loop (or
 * bench->overhead).  It is sampled between the batches, so that whatever slows the batches slows
 * the samples as well.  All zero is a valid empty set of samples.
 */
struct overhead {
	double timer;	    /* ticks per call of run() */
	double operation;   /* ticks per operation */
	double timer_cpu;   /* seconds of CPU per call of run(), NaN: not known */
	double cpu;	    /* seconds of CPU per operation */
	double uncertainty; /* of operation: the first half of the samples against the second */
	VEC(double) timers, operations, timer_cpus, cpus; /* samples in order of time */
};

/* Takes a sample, with n operations if bench has an overhead function. */
void overhead_sample(struct overhead *o, const struct bench *bench, uint64_t n);
/* Computes the figures from the samples so far, at least one. */
void overhead_reduce(struct overhead *o);
/* Frees the samples. */
void overhead_free(struct overhead *o);

#endif
