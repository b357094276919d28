/* SPDX-License-Identifier: MIT */
/*
 * simulate.h - computes how long the run would take if the order of events were not frozen as in
 * replay.h: each thread does the same pieces in the same order, but CPUs and queues serve whoever
 * comes first.
 *
 * Assumptions: any CPU can run any thread, in time slices of 3 ms, and runs nothing else.  Of a
 * recorded wait for a CPU that no other thread is known to have left, up to 50 us are the latency
 * of the wake-up and stay; all else is simulated.  A put waits until there is room, and a get until
 * enough was put, by any thread.  The capacity of a queue is that of the hypothesis or of a mark,
 * or, if a thread waited for room in it, the most that was in it; otherwise it is unbounded.  Where
 * the hypothesis changes it, each message keeps its own time on the way; else see after_arrival()
 * in replay.c.  Other waits, such as for locks and for the creation of threads, have the same cause
 * as before.
 *
 * A thread that has several workers in the hypothesis deals the queues that it takes from out to
 * them in turn; a worker does all from the last put before a get from one of its queues to the last
 * one before the next get.
 */
#ifndef GRAPH_SIMULATE_H
#define GRAPH_SIMULATE_H

#include "graph/replay.h"

struct simulation {
	int64_t ns;	 /* simulated run time; -1: more than 10,000 waits had to be forced */
	uint64_t forced; /* waits that would never have ended */
};

/* Simulates the run under the hypothesis on that many CPUs (0: one for each thread).  Memory: 8
 * bytes for each piece between the thread that is furthest back on the tape and the one that is
 * ahead of all. */
struct simulation simulate(struct graph *g, const struct hypothesis *h, unsigned cpus);

#endif
