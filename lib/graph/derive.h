/* SPDX-License-Identifier: MIT */
/*
 * derive.h - the graph of a trace of unmodified programs, with or without marks in them.
 *
 * With events of the scheduler each wait has its waker: a thread, whose piece becomes the cause, or
 * an interrupt, which ends what has a length of its own.  A wake-up in a softirq counts as the
 * thread's below it only if that was inside of a call on a socket: loopback delivers there.  What a
 * thread waited for or worked at is known when its call ends, and set in its pieces then.
 *
 * Without them, a call that took at least `shortest` has waited if it is one that can.  It is taken
 * to have been ended by what put into its pipe or socket, exited or woke its futex meanwhile, which
 * is a guess and marked as one; else it is a delay.
 *
 * A write to a pipe or socket puts the bytes into a queue, a read takes them out.  The sockets of a
 * connection are found by their names or, where these do not say, by who woke whom.
 */
#ifndef DERIVE_H
#define DERIVE_H

#include "graph/graph.h"
#include "trace/connections.h"
#include "trace/event.h"
#include "trace/reorder.h"
#include "trace/source.h"
#include "view/processes.h"

enum { DERIVE_CACHE = 1024 };

/* Set graph and shortest; the rest zeroed. */
struct derive {
	struct graph *graph;
	int64_t shortest; /* ns; see above */
	/* NULL, or gets each call that ended, whose state is `state`, and each page fault; its
	 * thread is in `user` outside of calls. */
	void (*taken)(void *arg, const struct event *e, uint16_t state, uint16_t user);
	void *taken_arg;
	bool scheduled; /* the trace has events of the scheduler */
	uint64_t late;	/* switches that came after later events of their thread: left out */
	struct processes processes;

	/* Private: */
	VEC(struct derived_thread) threads; /* by the graph's number */
	VEC(struct derived_object) objects; /* see places; the first is none */
	VEC(struct derived_cpu) cpus;
	struct map by_tid; /* number plus 1 */
	struct derived_known {
		uint64_t key, value;
	} cache[DERIVE_CACHE]; /* what was looked for last in these maps */
	struct map by_name;    /* the place of an object, of the way from it */
	struct connections connections;
	struct map places;	/* of objects and, with a bit more, of CPUs */
	struct map by_call;	/* state plus 1, of program, call and kind */
	struct map futexes;	/* without a scheduler: who woke last, a piece plus 1 */
	struct map exits;	/* the same: the last piece of a process, plus 1 */
	struct map tags;	/* of marks: a piece plus 1 */
	struct map mark_queues; /* queue plus 1, of the number of its name */
	struct names mark_names;
	struct reorder held; /* without a scheduler: calls, to be taken in order of time */
	uint64_t sequence;
};

/* Begins a trace: its threads and objects are new. */
void derive_begin(struct derive *d, const struct source_info *info);
/* Follows an event. */
void derive_event(struct derive *d, const struct event *e);
/* The trace is over. */
void derive_end(struct derive *d);
/* Returns the memory, but for the graph. */
void derive_free(struct derive *d);

#endif
