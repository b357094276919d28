/* SPDX-License-Identifier: MIT */
/*
 * path.h - walks critical paths backward through a graph.
 *
 * There are two definitions, which give different answers:
 *
 * Global (last arrival): the path starts at the last event.  At a wait it continues with the waker
 * and stays with that thread.  Shortening this path shortens the run, until another path becomes
 * critical (C.-Q. Yang, B. P. Miller: Critical Path Analysis for the Execution of Parallel and
 * Distributed Programs, ICDCS 1988; P. Barford, M. Crovella: Critical Path Analysis of TCP
 * Transactions, SIGCOMM 2000).
 *
 * Anchored: the path explains the time of one thread between two moments.  A wait is filled with
 * what its waker did during the wait, and then the path returns to the thread (F. Giraldeau, M.
 * Dagenais: Wait Analysis of Distributed Systems Using Kernel Tracing, IEEE Transactions on
 * Parallel and Distributed Systems 27(8), 2016).
 *
 * Both cover the time without gaps or overlap; time that the trace does not explain, such as that
 * of lost events, becomes a step of its own.  One backward pass over the tape; memory depends on
 * the number of threads.
 */
#ifndef GRAPH_PATH_H
#define GRAPH_PATH_H

#include "graph/graph.h"

enum step_kind {
	STEP_STATE,   /* a thread was in the state */
	STEP_EDGE,    /* a wake-up or message was on the way to the thread */
	STEP_UNKNOWN, /* the trace does not say; state is not valid */
};

enum { STEP_GUESSED = 1 << 7 };

struct path_step {
	enum step_kind kind;
	uint32_t thread;
	uint16_t state;
	/* PIECE_GUESS; PIECE_FULL: what came next had waited for room, which was made here;
	 * STEP_GUESSED: that the path goes on here is a guess */
	uint8_t flags;
	int64_t from, to; /* ns; from < to */
};

/* Receives the steps, the last one first; valid during the call only. */
typedef void path_take(void *arg, const struct path_step *step);

/* Walks the global path from the end of piece `last` (plus 1, such as graph.last) back to the time
 * `from`.  Returns the sum of the steps in ns. */
int64_t path_global(struct graph *g, uint64_t last, int64_t from, path_take *take, void *arg);
/* Walks the anchored path of a thread between two times.  Returns the sum of the steps in ns. */
int64_t path_anchored(struct graph *g, uint32_t thread, int64_t from, int64_t until,
		      path_take *take, void *arg);

#endif
