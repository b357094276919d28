/* SPDX-License-Identifier: MIT */
/*
 * replay.h - computes how long the run would take if the lengths of its pieces were different, for
 * up to REPLAY_LANES hypotheses in one pass over the tape.
 *
 * The order of events is frozen: each wait has the same cause as before, each queue is served in
 * the same order, and each CPU is passed on between the same threads.  A wait has no length of its
 * own: it ends when its cause has happened.  With nothing changed the result is exactly the
 * observed time.  The method is that of A. G. Saidi and others: End-To-End Performance Forecasting,
 * ISCA 2009.
 */
#ifndef GRAPH_REPLAY_H
#define GRAPH_REPLAY_H

#include "graph/graph.h"

enum { REPLAY_LANES = 32 };

/* A set of changes.  Arrays are the caller's. */
struct hypothesis {
	double *scale; /* by state: factor of its length; NULL: 1 for all */
	double *way;   /* by state: for replay(), factor of the time from the cause of a wait in it
			  to the end of the wait; NULL: as in scale */
	bool *removed; /* by state: waits in it are not waited for, nor for an idle CPU after
			  them; NULL: none */
	double *capacity;  /* by queue: units, INFINITY, NaN: unchanged; NULL: all unchanged */
	uint32_t *workers; /* by thread, for simulate(): workers that share its queues; NULL: one */
};

/*
 * Stores in ns[i] how long the run takes under h[i], from graph.begin on.  Of a queue with a
 * changed capacity, waits for room in it are computed anew; the recorded ones are ignored.  A
 * capacity below what was in the queue cannot be replayed completely, since the order is frozen.
 */
void replay(struct graph *g, const struct hypothesis *h, size_t n, double *ns);

/* Stores in ns[], by state, how long all threads together were in each state; `waits`: also those
 * for known causes. */
void replay_totals(struct graph *g, bool waits, int64_t *ns);

#endif
