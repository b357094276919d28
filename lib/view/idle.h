/* SPDX-License-Identifier: MIT */
/*
 * idle.h - how each thread of a trace spent its time: running, waiting for a CPU, or waiting for
 * something else.
 *
 * There are two answers: one from the scheduler events, if the trace has them, and one from the
 * calls alone, which say how long a call took but not whether it waited or worked.
 *
 * lib/graph knows the same waits, each with its cause, by a tape of the whole trace; this is one
 * pass, whose memory depends on threads alone, and it has both answers.
 */
#ifndef VIEW_IDLE_H
#define VIEW_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"
#include "util/vec.h"
#include "view/processes.h"
#include "view/waiting.h"

enum idle_source { IDLE_CALLS, IDLE_SCHEDULER, IDLE_SOURCES };

/* Who made a thread runnable: a thread ID, or IDLE_NO_THREAD plus a WAKE_ context. */
#define IDLE_NO_THREAD ((uint64_t)1 << 32)

struct idle_sum {
	int64_t time, longest; /* ns */
	uint64_t times;
	struct map wakers; /* ns of waits, by the waker that ended them */
};

struct idle_span {
	int64_t begin, woken,
	    end;	/* off the CPU from begin, runnable from woken, on a CPU at end */
	uint32_t cpu;	/* that it took, plus one; 0: unknown */
	uint64_t waker; /* 0: unknown */
	uint8_t state;	/* enum thread_state, in which it left */
	bool faulted;
};

struct idle_thread {
	uint32_t pid, tid;
	size_t process;	    /* its number */
	int64_t begin, end; /* ns */
	struct idle_sum sums[IDLE_SOURCES][ACTIVITIES];

	/* Private: */
	bool ended;
	int64_t in_calls, off_outside; /* ns within calls; ns off the CPU outside of calls */
	int64_t reported;	       /* time up to which pieces were reported */
	uint32_t cpu;		       /* at that time, plus one; 0: unknown */
	bool out, faulted;	       /* off the CPU since out_at */
	uint8_t state;		       /* enum thread_state, while it is out */
	bool unseen;		  /* `out` is a guess, because there was no scheduler event yet */
	int64_t out_at, woken_at; /* woken_at < out_at: not woken yet */
	uint64_t waker;
	/* Since the last call ended, and those before it that no call is known for yet.  Without
	 * events of the scheduler: what passed before each signal. */
	VEC(struct idle_span) spans;
	bool returned;		 /* from a handler, by its last call */
	enum activity operation; /* what the last completed io_uring operation waited for, */
	int64_t operation_end;	 /* and when it ended */
	bool inside;		 /* in a call whose end is not in the trace */
	bool exits;		 /* its last call was one that ends it */
	struct event call;
};

/* What a thread did during some time. */
struct idle_piece {
	const struct idle_thread *thread;
	enum activity activity;
	int64_t from, to;	  /* ns */
	uint32_t cpu;		  /* where it ran, plus one; 0: unknown, or it did not run */
	const struct event *call; /* the call that it was in, or NULL */
};

/* A zeroed struct is valid and empty. */
struct idle {
	/*
	 * Unless NULL, receives the pieces of all threads from the better of the two sources.  They
	 * add up to the sums, but for one case: a call that a signal interrupts is known after
	 * those of the handler, so with scheduler events what the thread ran in it before them is
	 * reported as RUNS_USER.
	 */
	void (*take)(void *arg, const struct idle_piece *piece);
	void *arg;
	int64_t shortest; /* ns: without scheduler events, a shorter call is assumed not to wait */
	bool scheduled;	  /* the trace has scheduler events */
	uint64_t timed;	  /* calls with a duration */
	uint64_t late;	 /* switches left out because later events of their thread had been taken */
	uint64_t beyond; /* events left out because they are more than a year after the start */
	VEC(struct idle_thread) threads; /* in order of their first event */
	struct map by_tid;		 /* index plus one */
	struct map ends;		 /* by process: ns; when it called exit_group */
	int64_t now;
};

/* Adds a time to a sum, without what ended it. */
void idle_sum_add(struct idle_sum *sum, int64_t time);
/* Processes an event, after processes_event(). */
void idle_event(struct idle *idle, const struct processes *p, const struct event *e);
/* Ends all threads after all events. */
void idle_end(struct idle *idle);
/* Returns the waker that ended most of the time of *sum and stores its share of that time; 0:
 * unknown. */
uint64_t idle_waker(const struct idle_sum *sum, double *share);
/* Frees everything. */
void idle_free(struct idle *idle);

#endif
