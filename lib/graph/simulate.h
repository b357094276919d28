/* SPDX-License-Identifier: MIT */
/*
 * simulate.h - computes how long the run would take if the order of events were not frozen as in
 * replay.h: each thread does the same pieces in the same order, but CPUs and queues serve whoever
 * comes first.
 *
 * Assumptions: any CPU can run any thread, in time slices of 3 ms, and runs nothing else.  Of a
 * recorded wait for a CPU, up to 50 us are the latency of the wake-up and stay; the rest is
 * simulated.  A put waits until there is room, and a get until enough was put, by any thread.  A
 * queue in which no thread waited for room is unbounded; otherwise its capacity is that of a mark
 * or the most that was in it, unless the hypothesis sets one.  Other waits, such as for locks and
 * for the creation of threads, have the same cause as before.
 */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "graph/replay.h"

struct simulation {
	int64_t ns;	 /* simulated run time; -1: too many waits had to be forced */
	uint64_t forced; /* waits that would never have ended */
};

/* Simulates the run under the hypothesis on that many CPUs (0: one for each thread). */
struct simulation simulate(struct graph *g, const struct hypothesis *h, unsigned cpus);

#endif
