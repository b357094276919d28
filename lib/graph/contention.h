/* SPDX-License-Identifier: MIT */
/*
 * contention.h - charges the time that threads waited for a shared resource to the users of that
 * resource.
 *
 * Charging waits to classes of requests is the contention analysis of W. Meira, T. LeBlanc, V.
 * Almeida, SPDT 1998, section 3.1.
 *
 * A wait for a CPU is charged to the threads that ran on that CPU meanwhile, moment by moment; what
 * remains is time in which no thread of the trace had the CPU.  A wait for the answer of a thread
 * that serves several others is charged to those for whom it worked: it works for the thread whose
 * message it took last.  A wait for a disk is charged in equal parts to all who wait for a disk at
 * the same time; so is the time of a message on a link, to the senders of all messages on it.  The
 * charges of a wait add up to it exactly.  Users and waiters come with their states outside of
 * calls, those of a disk also with the call, when they had the CPU, sent the message, or waited for
 * the disk.
 *
 * One forward pass over the tape, one more where messages use links, and one backward pass for
 * disks; memory depends on the number of CPUs and threads.  The last 4096 turns of each resource
 * are remembered; what was before is charged to USER_UNKNOWN.
 */
#ifndef GRAPH_CONTENTION_H
#define GRAPH_CONTENTION_H

#include "graph/graph.h"

/* A thread and where it was, which tells its requests of different kinds apart. */
struct party {
	uint32_t thread; /* or one of the values below */
	struct site at;
};

extern const struct party contention_unknown; /* USER_UNKNOWN */

/* Waits for locks are reported by explain.h instead. */
enum resource {
	RESOURCE_CPU,
	RESOURCE_LOCK,
	RESOURCE_SERVER,
	RESOURCE_DISK,
	RESOURCE_LINK,
	RESOURCES
};

enum {
	CONTENTION_PARTS = 64,
	/* Values of party.thread that are not threads: */
	USER_IDLE = UINT32_MAX - 1,    /* nobody used the resource; a server worked for nobody */
	USER_OUTSIDE = UINT32_MAX - 2, /* a thread outside of the trace, or nobody */
	USER_UNKNOWN = UINT32_MAX,
};

/* `user` had the resource for ns of the wait, in one or several turns. */
struct charge {
	struct party user;
	int64_t ns;
};

struct charges {
	struct charge v[CONTENTION_PARTS];
	size_t n;
};

struct contention {
	enum resource resource;
	struct party waiter;
	/* A thread: the server, or who carried or received the message; else GRAPH_NOBODY. */
	uint32_t at;
	uint32_t link; /* a word; GRAPH_NOBODY: the link between the hosts of the two */
	int64_t from, until;
	const struct charge *charges; /* each user once; they add up to until - from */
	size_t n;
};

/* Receives the waits in the order of the tape; those for links and disks come last, in another one.
 * What it gets is valid during the call only. */
typedef void contention_take(void *arg, const struct contention *c);

/* Reports all waits for a CPU or a disk, the waits for answers of threads that serve at least two
 * others, and all messages that are known to have used a link. */
void contention(struct graph *g, contention_take *take, void *arg);
/* Reports the waits for a CPU only. */
void contention_cpu(struct graph *g, contention_take *take, void *arg);
/* Adds ns to the charge of a user, unless ns <= 0.  With more than CONTENTION_PARTS users the last
 * place becomes USER_UNKNOWN. */
void charges_add(struct charges *charges, struct party user, int64_t ns);

#endif
