/* SPDX-License-Identifier: MIT */
/*
 * path.h - critical paths of a graph: chains of what was waited for, from an end back to a
 * beginning.
 *
 * There are two definitions, which give different answers:
 *
 * Global (last arrival): from the last event back.  At a wait it goes to the waker and stays with
 * it.  Time taken away from this path shortens the run, until another path binds.
 *
 * Anchored: explains the time of one thread between two moments.  A wait is filled with what its
 * waker did during it, and then it goes on with the thread itself.
 *
 * Both tile the time exactly: the steps follow each other without gaps, what nobody knows is a step
 * of its own.  One backward pass over the tape; memory depends on the threads.
 */
#ifndef PATH_H
#define PATH_H

#include "graph/graph.h"

enum step_kind {
	STEP_STATE, /* the thread was in the state */
	STEP_EDGE,  /* on the way from the cause of its wait to the thread: a wake-up, a message */
	STEP_UNKNOWN, /* the trace does not say; the state is not valid */
};

struct path_step {
	enum step_kind kind;
	uint32_t thread;
	uint16_t state;
	uint8_t flags;	  /* PIECE_GUESS */
	int64_t from, to; /* ns; from < to */
};

/* Gets the steps, the last first. */
typedef void path_take(void *arg, const struct path_step *step);

/* The global path to the end of piece `last` (a number plus 1, as graph.last), back to `from` at
 * most.  Returns the sum of the steps in ns. */
int64_t path_global(struct graph *g, uint64_t last, int64_t from, path_take *take, void *arg);
/* The anchored path of a thread between two times; the same. */
int64_t path_anchored(struct graph *g, uint32_t thread, int64_t from, int64_t until,
		      path_take *take, void *arg);

#endif
