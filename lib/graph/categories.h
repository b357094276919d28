/* SPDX-License-Identifier: MIT */
/*
 * categories.h - what threads spent their time on, each moment of each thread in one category.
 *
 * M. Crovella, T. LeBlanc: Parallel Performance Prediction Using Lost Cycles Analysis,
 * Supercomputing 1994.
 */
#ifndef CATEGORIES_H
#define CATEGORIES_H

#include "graph/graph.h"

enum category {
	COMPUTATION,	 /* it ran, outside of calls */
	COMMUNICATION,	 /* it ran in calls on pipes and sockets, or its message was on the way */
	SYSTEM,		 /* it ran in other calls, or waited for a disk or the page of a fault */
	SYNCHRONIZATION, /* it waited for another thread, or for a lock, child or pipe */
	CONTENTION,	 /* it waited for a CPU */
	IDLE,		 /* it waited for a timer, or for somebody outside of the trace */
	TRACING,	 /* what recording added to calls, where that is known */
	UNKNOWN,	 /* events are missing */
	CATEGORIES
};

/* "computation", ... */
const char *category_name(enum category category);
/*
 * ns[thread][category]: they add up to the time from the thread's beginning to its last piece.
 * scopes[state][category], unless NULL: the same time by what the thread was in outside of calls,
 * a state that a mark said or its program's own.
 * call_cost: ns that recording added to each call.  One forward pass.
 */
void categories(struct graph *g, uint64_t call_cost, int64_t (*ns)[CATEGORIES],
		int64_t (*scopes)[CATEGORIES]);

/* A time that a thread was in a category. */
struct category_span {
	uint32_t thread;
	int64_t from, to;
	enum category category;
	bool runs; /* it had a CPU */
};

/* Gets them in the order of the tape, those of a thread without gaps; valid during the call. */
typedef void category_take(void *arg, const struct category_span *span);

/* The same, one after the other.  Time in which events are missing stands before the rest of its
 * piece. */
void categories_each(struct graph *g, uint64_t call_cost, category_take *take, void *arg);

#endif
