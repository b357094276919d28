/* SPDX-License-Identifier: MIT */
/*
 * categories.h - splits the time of each thread into categories such as computation and
 * synchronization; every moment of a thread belongs to exactly one.
 *
 * The categories are those of M. Crovella, T. LeBlanc: Parallel Performance Prediction Using Lost
 * Cycles Analysis, Supercomputing 1994.
 */
#ifndef GRAPH_CATEGORIES_H
#define GRAPH_CATEGORIES_H

#include "graph/graph.h"

enum category {
	COMPUTATION,   /* running, outside of calls */
	COMMUNICATION, /* running in calls on pipes and sockets, or its message was on the way */
	SYSTEM, /* running in other calls, or waiting for a disk or for the page of a fault */
	SYNCHRONIZATION, /* waiting for another thread, or for a lock, child or pipe */
	CONTENTION,	 /* waiting for a CPU */
	IDLE,		 /* waiting for a timer, or for something outside of the trace */
	TRACING,	 /* what recording added to calls, if call_cost says so */
	UNKNOWN,	 /* events are missing */
	CATEGORIES
};

/* Returns the name of a category, such as "computation"; static. */
const char *category_name(enum category category);
/*
 * Sums up the time in ns by thread and category into ns[g->threads.n][CATEGORIES]; a row adds up to
 * the time from the thread's beginning to the end of its last piece.  Unless it is NULL,
 * scopes[g->states.n][CATEGORIES] gets the same time by the state that the thread was in outside of
 * calls: one set by a mark, or its program's "user". call_cost is the time in ns that recording
 * added to each call.  Makes one forward pass over the tape.
 */
void categories(struct graph *g, uint64_t call_cost, int64_t (*ns)[CATEGORIES],
		int64_t (*scopes)[CATEGORIES]);

/* A period that a thread spent in one category. */
struct category_span {
	uint32_t thread;
	int64_t from, to;
	enum category category;
	bool runs;	/* the thread had a CPU */
	uint16_t scope; /* the state that it was in outside of calls, as for categories() */
};

/* Receives the spans in the order of the tape, those of one thread without gaps between them.  The
 * span is valid during the call only. */
typedef void category_take(void *arg, const struct category_span *span);

/* Passes each span to `take`; otherwise like categories().  Of a piece with missing events, the
 * missing time is reported first, whichever part of the piece it was. */
void categories_each(struct graph *g, uint64_t call_cost, category_take *take, void *arg);

#endif
