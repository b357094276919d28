/* SPDX-License-Identifier: MIT */
/*
 * graph.h - the causality graph of a trace: for each thread a sequence of pieces (it ran, waited,
 * or transferred something through a queue), and for each wait the piece that ended it.
 *
 * A trace is turned into a graph by calls such as these:
 *
 * 	graph_run(g, t, time, before, enter, state)	thread t ran until time
 * 	graph_block(g, t, why)				it stopped running
 * 	graph_wake(g, t, time, cause, flags)		a piece of another thread ended its wait
 * 	graph_resume(g, t, time, from, runnable)	it runs again
 * 	graph_put, graph_get				it transferred units through a queue
 *
 * Pieces are numbered in the order of the calls.  Fields and parameters commented "plus 1" hold a
 * number plus 1, so that 0 means none.  Times are in ns since the start of the trace.
 *
 * The graph has no cycles, whatever the trace says: a time before the end of the thread's last
 * piece is replaced by that end, and a cause that ends after its effect is dropped.  Both are
 * counted in graph.faults.
 */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/tape.h"
#include "util/map.h"
#include "util/vec.h"
#include "view/waiting.h"

enum { GRAPH_NOBODY = UINT32_MAX };

struct graph_thread {
	uint32_t pid, tid;
	uint32_t program; /* in graph.programs; the last one that it ran */
	int64_t begin;	  /* of its first piece */
	int64_t at;	  /* end of its last piece */
	uint64_t last;	  /* its last piece, plus 1 */
	uint16_t cpu;	  /* CPU that it has, plus 1; 0: unknown */
	/* Private: */
	bool waits, woken;
	uint16_t why;
	uint8_t flags;
	int64_t woken_at;
	uint64_t cause;
};

/* A program and what it does or waits for, such as "user", "write pipe" or "disk".  A mark may name
 * a state like a call or a wait, which is then another state. */
struct graph_state {
	uint32_t program, word; /* in graph.programs and graph.words */
	enum activity activity; /* RUNS_USER also of states that marks began */
	uint32_t place;		/* a stack of event.h in graph.words, plus 1; 0: anywhere */
};

/* Where a thread is: its state outside of calls, and its call; both are the same outside of
 * calls. */
struct site {
	uint16_t user, call; /* states */
};

enum { TAKERS = 8 };

/* A first-in first-out queue of units, such as the bytes in a pipe. */
struct graph_queue {
	size_t name;		 /* in graph.queue_names */
	uint64_t put, taken;	 /* units so far */
	uint64_t capacity;	 /* units; 0: unknown */
	uint64_t most;		 /* the most units that were in it at a time */
	bool bounded;		 /* a thread has waited for room in it */
	int64_t way;		 /* ns that the fastest message took over a network; 0: unknown */
	uint32_t from, to;	 /* programs that put and took last */
	uint64_t taker;		 /* the last get, plus 1 */
	uint64_t takers[TAKERS]; /* the last gets, plus 1, as a ring */
	uint64_t gets;
	/* Private: the messages in it. */
	struct graph_message {
		uint64_t end; /* units put, up to and including this message */
		uint64_t piece;
		int64_t time;
	} * v;
	size_t n, cap, first;
};

/* Counts of inconsistencies in the trace. */
struct graph_faults {
	uint64_t moved;	    /* times that went back within a thread */
	uint64_t inverted;  /* causes that came after their effect */
	uint64_t unread;    /* messages that were left in queues or dropped from them */
	uint64_t no_waker;  /* waits that ended although no wake-up was seen */
	uint64_t crowded;   /* uses of states beyond the first 65535, counted as the last one */
	uint64_t misplaced; /* marks such as a take from an empty queue */
	struct graph_misplaced {
		uint32_t thread, queue;
		int64_t time;
	} first; /* of these marks, if there are any */
};

struct graph_gap {
	int64_t from, until;
};

/* A zeroed struct is valid and empty. */
struct graph {
	struct tape tape;
	VEC(struct graph_thread) threads;
	VEC(struct graph_state) states;
	VEC(struct graph_queue) queues;
	struct names programs, words, queue_names;
	struct map by_state;	    /* number plus 1 */
	VEC(struct graph_gap) gaps; /* periods with missing events, in order, disjoint */
	struct graph_faults faults;
	unsigned cpus;	    /* CPUs that the threads ran on; 0: unknown */
	int64_t begin, end; /* of all pieces; valid if there are any */
	uint64_t last;	    /* the piece that ends last, plus 1 */
};

/* Adds a thread that begins at `time`, created by piece `by` (plus 1; 0: unknown).  Returns its
 * number. */
uint32_t graph_thread(struct graph *g, uint32_t pid, uint32_t tid, int64_t time, uint64_t by);
/* Returns the state of a program, a word and an activity, adding it if it is new. */
uint16_t graph_state(struct graph *g, uint32_t program, uint32_t word, enum activity activity);
/* Returns the same state at a place, as in struct graph_state. */
uint16_t graph_state_at(struct graph *g, uint16_t state, uint32_t place);
/* Returns the number plus 1 of the state without a place; 0: there is none. */
uint32_t graph_find_state(const struct graph *g, uint32_t program, const char *word,
			  enum activity activity);
/* Returns the state "user" of the program of that state, or the state itself if there is none. */
uint16_t graph_user_state(const struct graph *g, uint16_t state);
/* Returns "PROGRAM WORD", which the caller frees. */
char *graph_state_name(const struct graph *g, uint16_t state);

/*
 * graph_run, graph_delay and graph_wait add a piece of thread t that ends at `time`.  They return
 * the number plus 1 of the thread's last piece, which is an earlier one if a run would have no
 * length.
 */

/* t ran until `time`: in the state `before` until `enter`, which is no later, then in `state`. */
uint64_t graph_run(struct graph *g, uint32_t t, int64_t time, uint16_t before, int64_t enter,
		   uint16_t state);
/* t waited in `state` until `time`, for a length that does not depend on another thread. */
uint64_t graph_delay(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint8_t flags);
/* t waited in `state` for the piece `cause` (plus 1) until `time`. */
uint64_t graph_wait(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint64_t cause,
		    uint8_t flags);
/* t stops at the end of its last piece and waits from then on in the state `why`. */
void graph_block(struct graph *g, uint32_t t, uint16_t why);
/* Ends the wait of t at `time`; `cause` is the piece that did it (plus 1; 0: unknown).  Returns
 * false if t does not wait or was woken before. */
bool graph_wake(struct graph *g, uint32_t t, int64_t time, uint64_t cause, uint8_t flags);
/*
 * t takes a CPU at `time`.  Adds a piece for its wait, and one in the state `runnable` for its wait
 * for the CPU, which the thread of piece `from` (plus 1; 0: unknown) left.  Returns the piece of
 * the first wait plus 1; 0: there was none.
 */
uint64_t graph_resume(struct graph *g, uint32_t t, int64_t time, uint64_t from, uint16_t runnable);
/* Turns a wait (a piece plus 1) into a delay: it has no known cause after all. */
void graph_retract(struct graph *g, uint64_t wait);
/* Turns a delay (a piece plus 1) into a wait for the message that the piece `cause` (plus 1) put.
 * Returns false, and changes nothing, if it is no delay or `cause` ended later. */
bool graph_attach(struct graph *g, uint64_t wait, uint64_t cause);

/* Adds a queue of that name and returns its number; its capacity is unknown. */
uint32_t graph_queue(struct graph *g, const char *name);
/* Forgets the messages of a queue that is not used any more. */
void graph_queue_end(struct graph *g, uint32_t queue);
/* t put n units into the queue at `time`, after it was in `state`. `asked` is the get that this put
 * answers (a piece plus 1), or 0.  Returns the piece plus 1. */
uint64_t graph_put(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint32_t queue,
		   uint64_t n, uint64_t asked);
/* t took n units out of the queue at `time`, after it was in `state`.  The cause is the put of the
 * last of these units, if that was seen.  Returns the piece plus 1. */
uint64_t graph_get(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint32_t queue,
		   uint64_t n);
/* Counts what was taken from queue `from` and not put there as taken from `to`: it was not known
 * before that it belongs there. */
void graph_queue_move(struct graph *g, uint32_t from, uint32_t to);
/* Returns how many units were taken that no thread was seen to put, before or after. */
uint64_t graph_unmatched(const struct graph *g);
/* Returns the message that contains the last unit of a get of n units; NULL: it has not been put
 * yet.  Valid until the next put or get. */
const struct graph_message *graph_supplier(const struct graph *g, uint32_t queue, uint64_t n);

/* Notes that events are missing between two times.  After 4096 gaps, the time between further gaps
 * counts as missing, too. */
void graph_lost(struct graph *g, int64_t from, int64_t until);
/* Returns for how many ns between two times events are missing. */
int64_t graph_missing(const struct graph *g, int64_t from, int64_t until);
/* Returns the end of the last gap before `time`, INT64_MIN if there is none, or INT64_MAX if `time`
 * is in a gap. */
int64_t graph_gap_before(const struct graph *g, int64_t time);
/* Returns from when on a period that ends at `until` is known: its start or the end of the last gap
 * in it; `until` if that is in a gap. */
int64_t graph_known_from(const struct graph *g, int64_t from, int64_t until);
/* Frees everything. */
void graph_free(struct graph *g);

#endif
