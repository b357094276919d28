/* SPDX-License-Identifier: MIT */
/*
 * simulate.h - computes how long the run would take if the order of events were not frozen as in
 * replay.h: each thread does the same pieces in the same order, but CPUs and queues serve whoever
 * comes first.
 *
 * Assumptions: any CPU can run any thread, in time slices of 3 ms, and runs nothing else.  Of a
 * recorded wait for a CPU that no other thread is known to have left, up to 50 us are the latency
 * of the wake-up and stay, unless the thread does not have to be woken any more; all else is
 * simulated.  A call that puts something takes longer where it has to wake somebody (wakecost.h).
 * A put waits until there is room, and a get until enough was put, by any thread.  The capacity of
 * a queue is that of the hypothesis or of a mark, or, if a thread waited for room in it, the most
 * that was in it; otherwise it is unbounded.  Where the hypothesis changes it, each message keeps
 * its own time on the way; else see after_arrival() in replay.c.  Other waits, such as for locks
 * and for the creation of threads, have the same cause as before.
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
/* Simulates the unchanged run.  A CPU on which the program only started may be one that it could
 * not use later: if g->cpus CPUs would take less than 0.9 of the time observed, sets g->cpus to the
 * most that take 0.9 to 1.1 of it, if there is such a number. */
struct simulation simulate_unchanged(struct graph *g);

#endif
