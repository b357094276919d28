/* SPDX-License-Identifier: MIT */
/*
 * canary.h - two works that are always the same, done in the gaps between batches: what moves
 * them is the state of the machine, not the benchmark.  Most of what differs between processes on a
 * shared machine is such a state, so that a reader of results can take it out by regression.
 */
#ifndef MEASURE_CANARY_H
#define MEASURE_CANARY_H

#include <stddef.h>

#include "util/vec.h"

enum canary {
	CANARY_CODE, /* an interpreter: the frequency, and what others leave of the core */
	CANARY_CALL, /* getppid(2): the entry into the kernel */
	CANARIES,
};

/* The ticks of one step of each canary, in order of time; all zero is a valid empty set. */
struct canaries {
	VEC(double) ticks[CANARIES];
};

/* Does each canary for some 0.1 ms and adds its time. */
void canaries_take(struct canaries *c);
/* Frees the times. */
void canaries_free(struct canaries *c);

#endif
