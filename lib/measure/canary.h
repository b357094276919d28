/* SPDX-License-Identifier: MIT */
/*
 * canary.h - three works that are always the same, done in the gaps between batches: what moves
 * them is the state of the machine, not the benchmark.  Most of what differs between processes on a
 * shared machine is such a state, so that a reader of results can take it out by regression.
 */
#ifndef CANARY_H
#define CANARY_H

#include <stddef.h>

#include "util/vec.h"

enum canary {
	CANARY_INTEGER, /* dependent multiplications and additions: the frequency */
	CANARY_CALL,	/* getppid(2): the entry into the kernel */
	CANARY_MEMORY,	/* dependent loads in random order, beyond the second-level cache */
	CANARIES,
};

/* The ticks of one step of each canary, in order of time; all zero is a valid empty set. */
struct canaries {
	VEC(double) ticks[CANARIES];
};

/* Makes the memory of CANARY_MEMORY, which empties the second-level cache: before the benchmark has
 * its data there, else the first batch would fetch them again. */
void canaries_prepare(void);
/* Does each canary for some 0.1 ms and adds its time.  Memory that cannot be had adds NaN. */
void canaries_take(struct canaries *c);
/* Frees the times. */
void canaries_free(struct canaries *c);

#endif
