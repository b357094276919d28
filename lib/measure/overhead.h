/* SPDX-License-Identifier: MIT */
/*
 * overhead.h - what a batch costs besides its operations: reading the clock twice, and turning the
 * loop (or bench->overhead).
 *
 * Measured in the process that measures, before and between the batches: a neighbour who slows the
 * batches then slows the samples as well.
 */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "measure/bench.h"
#include "util/vec.h"

/* Zeroed is valid and empty. */
struct overhead {
	double timer;	    /* ticks for each call of run() */
	double operation;   /* ticks for each operation */
	double uncertainty; /* of operation: the first against the second half of the samples */
	VEC(double) timers, operations; /* samples in order of time */
};

/* Takes one sample, with n operations when bench has an overhead function. */
void overhead_sample(struct overhead *o, const struct bench *bench, uint64_t n);
/* Sets the figures from the samples so far, at least one. */
void overhead_reduce(struct overhead *o);
/* Returns the memory of the samples. */
void overhead_free(struct overhead *o);

/* The median of v[n], n > 0. */
double overhead_median(const double *v, size_t n);

#endif
