/* SPDX-License-Identifier: MIT */
/*
 * replay.h - how long the same graph would take if lengths were others: up to 32 hypotheses in one
 * pass over the tape.
 *
 * The order of events is frozen: each wait is for the same cause as before, each queue is served in
 * the same order, each CPU is handed on between the same threads.  A wait has no length of its own:
 * it ends when its cause has come.  With nothing changed the result is the observed time, exactly.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include "graph/graph.h"

enum { REPLAY_LANES = 32 };

/* What is changed. */
struct hypothesis {
	const double *scale;	 /* by state: factor of what it takes; NULL: 1 for all */
	const bool *removed;	 /* by state: nobody waits in it any more; NULL: none */
	const double *capacity;	 /* by queue: units, INFINITY, or NaN as it is; NULL: all as is */
	const uint32_t *workers; /* by thread, simulated only: so many share what it does, by the
				    queues that it takes from; NULL: one each */
};

/*
 * How long each of n hypotheses takes, from graph.begin on, in ns.  A queue with another capacity
 * has no waits for room but those that its capacity asks for; one below what was in the queue
 * cannot be replayed in full, since the order is frozen.
 */
void replay(struct graph *g, const struct hypothesis *h, size_t n, double *ns);

/* What all threads together spent in each state, other than waiting for a known cause: ns[] by
 * state. */
void replay_totals(struct graph *g, int64_t *ns);

#endif
