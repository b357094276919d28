/* SPDX-License-Identifier: MIT */
/*
 * explain.h - explains why each wait for another thread or a disk took as long as it did
 * (cause-effect analysis).
 *
 * Waiter and waker have followed two paths since they last synchronized, directly or through other
 * threads: one path leads back from the wake-up, the other from the beginning of the wait.  Had
 * both taken the same time, there would have been no wait.  So the wait is explained by what one
 * path has more of than the other, place by place and state by state, and the differences add up to
 * it exactly.
 * Neither path contains waits for other threads: there it continues with the thread that was waited
 * for.  The method is that of W. Meira, T. LeBlanc, V. Almeida, SPDT 1998 (see forest.h).
 *
 * Of what the waker's path has more, that is indirect which is not the waker's own work since its
 * last wait: it made the waker wait, and through it the waiter.  D. Boehme, M. Geimer, F. Wolf, L.
 * Arnold: Identifying the Root Causes of Wait States in Large-Scale Parallel Applications, ICPP
 * 2010, call these short-term and long-term costs.
 *
 * A second explanation lists the holders: what the waker did during the wait; if the waker was
 * itself woken during the wait, what its waker did before that; and so on.
 *
 * Nothing is compared across missing events.  One forward pass over the tape; memory depends on the
 * number of threads and of wake-ups whose effect is still to come.
 */
#ifndef GRAPH_EXPLAIN_H
#define GRAPH_EXPLAIN_H

#include "graph/forest.h"
#include "graph/graph.h"

/* Keys of items: what a thread did and where, as explain_key gives it, or'ed with EXPLAIN_EDGE
 * where that applies, or EXPLAIN_UNKNOWN. */
enum {
	EXPLAIN_EDGE = 1 << 16,	   /* a wake-up or message on its way to the waiter */
	EXPLAIN_UNKNOWN = 1 << 17, /* before both threads were seen, or events are missing */
};

/* Returns the key of what is done at that site; it orders keys by the state outside of calls. */
static inline uint64_t explain_key(struct site site)
{
	return (uint64_t)site.user << 32 | site.call;
}

/* Returns the site of a key that is not EXPLAIN_UNKNOWN. */
static inline struct site explain_site(uint64_t key)
{
	return (struct site){ (uint16_t)(key >> 32), (uint16_t)key };
}

enum { EXPLAIN_HOLDERS = 32 };

/* A thread that kept the waiter waiting during a part of the wait. */
struct holder {
	uint32_t thread;  /* GRAPH_NOBODY: unknown */
	struct site site; /* where it was when it woke the previous holder or the waiter */
	int64_t ns;
};

struct explanation {
	uint32_t waiter, waker; /* threads; waker is GRAPH_NOBODY if unknown */
	struct site waits_at, woken_at;
	uint16_t state; /* of the wait */
	bool guess;	/* the waker is likely, but not recorded */
	int64_t from, until;
	int64_t worked; /* ns meanwhile during which the waker did not wait for a thread itself */
	const struct forest_item *items; /* they add up to until - from */
	const int64_t
	    *indirect; /* by item: ns that the waker did not add itself since it last waited */
	size_t n;
	/* The waker, then who had kept the waker waiting, and so on; they add up to until -
	 * from. */
	const struct holder *holders;
	size_t nholders;
};

/* Receives the explanations in the order of the tape; valid during the call only.  It must not read
 * the tape. */
typedef void explain_take(void *arg, const struct explanation *e);

/* Explains all waits for other threads and for disks. */
void explain(struct graph *g, explain_take *take, void *arg);

#endif
