/* SPDX-License-Identifier: MIT */
/*
 * contention.h - to whom the time was lost that threads waited for what others used meanwhile.
 *
 * The wait for a CPU is charged to the threads that ran there during it, instant by instant; the
 * rest is that nobody of the trace had the CPU.  The wait for an answer of a thread that serves
 * several is charged to those for whom that thread worked: what it took from somebody's queue last
 * is what it works on.  Charges of a wait add up to it exactly.
 *
 * One forward pass over the tape; memory depends on CPUs and threads.  The last 512 turns of each
 * are remembered; what was before them is unknown.
 */
#ifndef CONTENTION_H
#define CONTENTION_H

#include "graph/graph.h"

enum resource { RESOURCE_CPU, RESOURCE_SERVER };

enum {
	CONTENTION_PARTS = 64,
	/* In place of a thread: */
	USER_IDLE = UINT32_MAX - 1,    /* nobody used it; the server: for nobody */
	USER_OUTSIDE = UINT32_MAX - 2, /* who is not in the trace, or nobody after that one */
	USER_UNKNOWN = UINT32_MAX,
};

/* A thread used it for ns of the wait, in one or several turns. */
struct charge {
	uint32_t user;
	int64_t ns;
};

struct contention {
	enum resource resource;
	uint32_t waiter, server; /* threads; the server of RESOURCE_SERVER */
	int64_t from, until;
	const struct charge *charges; /* each user once; their sum is until - from */
	size_t n;
};

/* Gets the waits in the order of the tape; valid during the call. */
typedef void contention_take(void *arg, const struct contention *c);

/* All waits for a CPU, and those for answers of threads that serve at least two others. */
void contention(struct graph *g, contention_take *take, void *arg);

#endif
