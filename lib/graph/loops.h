/* SPDX-License-Identifier: MIT */
/*
 * loops.h - which loops of a run limit how fast it goes round: those through a queue that was full,
 * in the order in which they bind, and what binds when there is room in all of them.
 *
 * The run is taken as a marked graph (cycle.h).  Its nodes are puts into and gets out of queues.
 * Its edges are what a thread does from one of these to its next one, what came through a queue, a
 * wake-up, and room that was waited for.  The tokens of an edge are by how much of all units of
 * its queues the later of its ends is ahead of the earlier one, and its delay is the work on the
 * way, without what was waited for; both are means.  So a ratio is how long the whole run takes if
 * nothing but that loop limits it.  One through room for N units with laps of T lets N / T a second
 * pass.
 *
 * This holds for a run that does the same all the time.  A loop that would take longer than the run
 * did was not gone round all the time: its rarest edge is left out.  A queue may limit all the same
 * where lengths differ by chance, since it is full now and empty then: means do not tell how much.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include "graph/graph.h"

struct loop {
	uint32_t queue;	   /* that was full; GRAPH_NOBODY: of none */
	uint32_t from, to; /* programs, in which the longest part of a lap begins and ends */
	double units;	   /* that there is room for in the queue; NaN: of none */
	/* NaN of these three: the queue is full by chance only. */
	double lap;	/* ns once round */
	double slowest; /* ns of its longest part */
	double bound;	/* ns of the whole run, if nothing else limited it */
	uint64_t laps;	/* times the global path waits for room in the queue */
};

/* The loops through full queues in the order in which they bind, then the one that binds when there
 * is room in all, then queues that the path waited for by chance: `most` at most; their number. */
size_t loops(struct graph *g, struct loop *v, size_t most);

#endif
