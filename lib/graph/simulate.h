/* SPDX-License-Identifier: MIT */
/*
 * simulate.h - how long the run would take if the order of events were not frozen as in replay.h:
 * threads do the same pieces one after the other, but CPUs and queues serve who comes first.
 *
 * Assumed: any CPU may run any thread, in turns of 3 ms, and runs nothing else.  Of a wait for a
 * CPU up to 50 us are the latency of a wake-up and stay; the rest is computed anew.  A put waits
 * for room, and a get until as much was put, by whomever.  A queue in which nobody waited for room
 * has no bound, else that of a mark or of the most that was in it, if no hypothesis says another.
 * Other waits, such as for locks and births, are for the same cause as before.
 */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "graph/replay.h"

struct simulation {
	int64_t ns;	 /* from the beginning to the last end; -1: too much had to be forced */
	uint64_t forced; /* waits that nothing would have ended: the order cannot be kept */
};

/* Simulates on that many CPUs (0: one for each thread). */
struct simulation simulate(struct graph *g, const struct hypothesis *h, unsigned cpus);

#endif
