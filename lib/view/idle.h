/* SPDX-License-Identifier: MIT */
/*
 * idle.h - what each thread of a trace did with its time: ran, waited for a CPU, or for what else.
 *
 * Twice: from the scheduler's events, where the trace has them, and from the calls alone, which say
 * how long a call took, but not whether it waited or worked.
 */
#ifndef IDLE_H
#define IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"
#include "util/vec.h"
#include "view/processes.h"
#include "view/waiting.h"

enum idle_source { IDLE_CALLS, IDLE_SCHEDULER, IDLE_SOURCES };

/* Who made a thread runnable: the number of a thread, or one of these plus a WAKE_ context. */
#define IDLE_NO_THREAD ((uint64_t)1 << 32)

struct idle_sum {
	int64_t time, longest; /* ns */
	uint64_t times;
	struct map wakers; /* ns that ended by the waker */
};

struct idle_span {
	int64_t begin, woken, end; /* off the CPU, runnable from woken on */
	uint32_t cpu;		   /* where it goes on, plus one; 0: unknown */
	uint64_t waker;		   /* 0: unknown */
	bool faulted;
};

struct idle_thread {
	uint32_t pid, tid;
	size_t process;	    /* its number */
	int64_t begin, end; /* ns */
	struct idle_sum sums[IDLE_SOURCES][ACTIVITIES];

	/* Private: */
	bool ended;
	int64_t in_calls, off_outside; /* ns within calls; off the CPU, but in no call */
	int64_t told;		       /* up to which the pieces were handed out */
	uint32_t cpu;		       /* at that time, plus one; 0: unknown */
	bool out, preempted, faulted;  /* off the CPU, since out_at */
	bool unseen;		       /* out is a guess: no event of the scheduler yet */
	int64_t out_at, woken_at;      /* woken_at: below out_at: not yet */
	uint64_t waker;
	VEC(struct idle_span) spans; /* since the last call ended */
	enum activity operation;     /* of io_uring that completed last: what it waited for, */
	int64_t operation_end;	     /* ... and when */
	bool inside;		     /* of a call whose end the trace does not have */
	struct event call;
};

/* What a thread did for some time. */
struct idle_piece {
	const struct idle_thread *thread;
	enum activity activity;
	int64_t from, to;	  /* ns */
	uint32_t cpu;		  /* where it ran, plus one; 0: unknown, or it did not run */
	const struct event *call; /* that it was in, or NULL */
};

/* Zeroed is valid and empty. */
struct idle {
	/* Gets the pieces of all threads, as the best source knows them; or NULL. */
	void (*take)(void *arg, const struct idle_piece *piece);
	void *arg;
	int64_t shortest; /* ns: from the calls alone, one that took less is taken not to wait */
	bool scheduled;	  /* the trace has events of the scheduler */
	uint64_t timed;	  /* calls with a duration */
	uint64_t late;	  /* switches that came after later events of their thread: left out */
	VEC(struct idle_thread) threads; /* in the order of first sight */
	struct map by_tid;		 /* thread plus one */
	int64_t now;
};

/* Follows an event, once processes_event() has. */
void idle_event(struct idle *idle, const struct processes *p, const struct event *e);
/* Ends all threads, once all events are in. */
void idle_end(struct idle *idle);
/* What ended most of the time of *sum, and its share of that time; 0: unknown. */
uint64_t idle_waker(const struct idle_sum *sum, double *share);
/* Returns the memory. */
void idle_free(struct idle *idle);

#endif
