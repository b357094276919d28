/* SPDX-License-Identifier: MIT */
/*
 * near.h - finds the longest chains of a run, one after the other: the critical path and those that
 * are nearly as long, which become critical when it is shortened.
 *
 * A chain leads from the end of a thread back to the beginning of the run.  Where a thread waited,
 * it continues either with what ended the wait or with what the thread did before; where a thread
 * took a message that was there already, with the thread or with whoever put it.  Each time the
 * chain is shorter than the time that passed by how much later the other one was; the sum of these
 * is its slack.  Chains are found in the order of slack, by best-first search (C. Alexander, D.
 * Reese, J. Harden: Near-Critical Path Analysis of Program Activity Graphs, MASCOTS 1994).
 */
#ifndef GRAPH_NEAR_H
#define GRAPH_NEAR_H

#include "graph/path.h"

struct near_taker {
	/* Called for each chain, with its slack in ns, before its steps. */
	void (*begin)(void *arg, int64_t slack);
	path_take *take; /* receives its steps, the last one first */
	/* Called behind its steps. */
	void (*end)(void *arg);
	void *arg;
};

/* Reports the k chains with the least slack (fewer if there are not so many), the critical path
 * first.  Makes one backward pass over the tape for each; memory depends on k. */
void near_paths(struct graph *g, size_t k, const struct near_taker *taker);

#endif
