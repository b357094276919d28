/* SPDX-License-Identifier: MIT */
/*
 * contention.h - to whom the time was lost that threads waited for what others used meanwhile.
 *
 * The wait for a CPU is charged to the threads that ran there during it, instant by instant; the
 * rest is that nobody of the trace had the CPU.  The wait for an answer of a thread that serves
 * several is charged to those for whom that thread worked: what it took from somebody's queue last
 * is what it works on.  The wait for a disk is charged to those who wait for one at the same
 * time, in equal parts.  Charges of a wait add up to it exactly.
 *
 * One forward pass over the tape, and for disks one backward; memory depends on CPUs and threads.
 * The last 512 turns of each are remembered; what was before them is unknown.
 */
#ifndef CONTENTION_H
#define CONTENTION_H

#include "graph/graph.h"

enum resource { RESOURCE_CPU, RESOURCE_SERVER, RESOURCE_DISK };

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

struct charges {
	struct charge v[CONTENTION_PARTS];
	size_t n;
};

struct contention {
	enum resource resource;
	uint32_t waiter, server; /* threads; the server of RESOURCE_SERVER */
	int64_t from, until;
	const struct charge *charges; /* each user once; their sum is until - from */
	size_t n;
};

/* Gets the waits in the order of the tape, those for disks last and backward; valid during the
 * call. */
typedef void contention_take(void *arg, const struct contention *c);

/* All waits for a CPU or a disk, and those for answers of threads that serve at least two others.
 */
void contention(struct graph *g, contention_take *take, void *arg);
/* Those for a disk alone. */
void contention_disk(struct graph *g, contention_take *take, void *arg);
/* Adds ns of a user, if they are more than 0; who are too many are unknown. */
void charges_add(struct charges *charges, uint32_t user, int64_t ns);

#endif
