/* SPDX-License-Identifier: MIT */
/*
 * loops.h - finite resources that the critical path turns on: it goes from whoever puts something
 * into a queue to whoever takes it out, and comes back because there was no room.
 *
 * Each time round is a lap.  With room for N units and laps of T seconds no more than N / T units a
 * second go through; where that is what was observed, the queue is what limits.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include "graph/graph.h"

struct loop {
	uint32_t queue;
	uint64_t laps;	     /* times the global path waits for room in it */
	int64_t first, last; /* ns: the ends of these waits */
};

/* How often the global path waits for room in each queue: v[] by queue.  One backward pass. */
void loops(struct graph *g, struct loop *v);

#endif
