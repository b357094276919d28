/* SPDX-License-Identifier: MIT */
/*
 * overhead.h - what a batch costs besides its operations: reading the clock twice, and turning the
 * loop (or bench->overhead).  Measured in the process that measures, before and after the batches.
 */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "measure/bench.h"

enum { OVERHEAD_SAMPLES = 7 };	/* per call of overhead_sample */

struct overhead {
	double timer;		/* ticks per batch */
	double operation;	/* ticks per operation */
	double uncertainty;	/* of operation, in ticks */
	double samples[2 * OVERHEAD_SAMPLES];
	size_t n;
};

/* Adds samples; called once before and once after the batches of n operations, on a zeroed o. */
void overhead_sample(struct overhead *o, const struct bench *bench, uint64_t n);
/* The median of v[n], n > 0; sorts v. */
double overhead_median(double *v, size_t n);

#endif
