/* SPDX-License-Identifier: MIT */
/*
 * explain.h - why each wait for another thread took as long as it did.
 *
 * The waiter and the one who woke it have gone two ways since they last synchronized, if only
 * through others: back from the wake-up, and back from where the wait began.  Had both taken the
 * same time, nobody would have waited.  So the wait is what one way has more than the other, state
 * by state, and the differences add up to it exactly.  Neither way holds waits for other threads:
 * there it goes on with the thread that was waited for.
 *
 * In time, the wait is what its waker did meanwhile, and before the waker was itself woken, what
 * that one's waker did, and so on.
 *
 * Where events are missing nothing is compared, and a wait that was ended there has no cause.
 * One forward pass over the tape; memory depends on threads and on wake-ups that are not taken yet.
 */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "graph/forest.h"
#include "graph/graph.h"

/* Where a thread is: outside of calls, and in which call; the same twice: in none. */
struct site {
	uint16_t user, call; /* states */
};

/* Keys of items: a state, and perhaps EXPLAIN_EDGE, or EXPLAIN_UNKNOWN. */
enum {
	EXPLAIN_EDGE = 1 << 16, /* on the way from the waker to the waiter: a wake-up, a message */
	EXPLAIN_UNKNOWN = 1 << 17, /* before both were seen, or events are missing */
};

enum { EXPLAIN_HOLDERS = 32 };

/* Who kept the waiter waiting during a part of the wait. */
struct holder {
	uint32_t thread;  /* GRAPH_NOBODY: unknown */
	struct site site; /* where it ended the wait of the one before */
	int64_t ns;
};

struct explanation {
	uint32_t waiter, waker; /* threads; no waker: GRAPH_NOBODY */
	struct site waits_at, woken_at;
	uint16_t state; /* of the wait */
	bool guess;	/* the trace does not say that it was this waker */
	int64_t from, until;
	const struct forest_item *items; /* their sum is until - from */
	size_t n;
	/* The waker, then who had kept that one waiting, and so on; their sum is until - from. */
	const struct holder *holders;
	size_t nholders;
};

/* Gets the explanations, in the order of the tape; valid during the call.  It must not read the
 * tape. */
typedef void explain_take(void *arg, const struct explanation *e);

/* Explains all waits for other threads. */
void explain(struct graph *g, explain_take *take, void *arg);

#endif
