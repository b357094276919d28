/* SPDX-License-Identifier: MIT */
/*
 * loops.h - finds the loops that limit the throughput of a run: loops through a queue that was
 * full, in the order in which they bind, and the one that binds when all queues have room.
 *
 * The run is treated as a marked graph (cycleratio.h).  Its nodes are the puts into and the gets
 * out of each queue.  Its edges are: from one put or get of a thread to its next one; from a put to
 * the get of the same data; from a wake-up; and from the get that made room to the put that waited
 * for it.  The delay of an edge is the work on it, without waits for others, known or not; waits
 * for CPUs, timers and devices count as work.  Its tokens are by how large a share of all units its
 * later end is ahead of its earlier one; both are means over all occurrences.  So the cycle ratio
 * is how long the whole run takes if only that loop limits it.  A loop through a queue with room
 * for N units and a lap time of T lets N / T units pass in a second (J. D. C. Little: A Proof for
 * the Queuing Formula L = lambda W, Operations Research 9(3), 1961).
 *
 * This holds for a run that does the same all the time.  A loop whose bound is much longer than the
 * run cannot have been active all the time; its least frequent edge is removed.  Queues can also
 * limit a run because lengths vary, so that a queue is sometimes full and sometimes empty; means do
 * not show how much that costs.
 */
#ifndef GRAPH_LOOPS_H
#define GRAPH_LOOPS_H

#include "graph/graph.h"

struct loop {
	uint32_t queue;	   /* that was full; GRAPH_NOBODY: no queue */
	uint32_t from, to; /* programs at both ends of the longest part of a lap */
	/* Units in the mean between the two ends of a lap, which can exceed the queue's capacity by
	 * what is being written; without a bound the capacity, or the most that was in the queue.
	 * NaN without a queue. */
	double units;
	/* NaN in these two: the queue was full fewer than three times, or no loop of mean times
	 * goes through it. */
	double lap;   /* ns for one lap */
	double bound; /* ns that the run would take if only this loop limited it; up to 1.25 runs */
	uint64_t laps; /* how often the global critical path waits for room in the queue */
};

/*
 * Fills v[] with at most `most` loops: those through full queues in the order in which they bind,
 * the one that binds when all queues have room, and then the other full queues by which the
 * critical path was blocked.  Returns their number.
 */
size_t loops(struct graph *g, struct loop *v, size_t most);

#endif
