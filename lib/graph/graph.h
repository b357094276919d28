/* SPDX-License-Identifier: MIT */
/*
 * graph.h - who waited for whom: what threads did, told event by event, as a graph of pieces.
 *
 *	graph_run(g, t, time, before, enter, state)	it ran until then
 *	graph_block(g, t, why)		it stopped running
 *	graph_wake(g, t, time, cause)	another thread ended its wait
 *	graph_resume(g, t, time, from)	it runs again
 *	graph_put, graph_get		something went through a queue
 *	graph_link			what follows was caused by an earlier piece
 *
 * Times of one thread never go back: one that would is moved, and counted.  Edges always lead
 * forward in time; a cause that comes after its effect is dropped, and counted.  So the graph has
 * no cycles, whatever the trace says.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/tape.h"
#include "util/map.h"
#include "util/vec.h"

enum { GRAPH_NOBODY = UINT32_MAX };

struct graph_thread {
	uint32_t pid, tid;
	uint32_t program; /* in graph.programs; its last one */
	int64_t begin;	  /* of its first piece */
	int64_t at;	  /* its pieces reach to here */
	uint64_t last;	  /* the last of them, plus 1; 0: none */
	uint16_t cpu;	  /* that it has, plus 1; 0: unknown */
	/* Private: */
	bool waits, woken;
	uint16_t why;
	uint8_t flags;
	int64_t woken_at;
	uint64_t cause;
};

/* What a thread is in: a program and a word such as "user", "write pipe" or "disk". */
struct graph_state {
	uint32_t program, word; /* in graph.programs, graph.words */
};

enum { TAKERS = 8 };

/* Something that goes first in, first out.  Units are counted from its beginning. */
struct graph_queue {
	size_t name;		 /* in graph.queues_names */
	uint64_t put, taken;	 /* units, so far */
	uint64_t capacity;	 /* 0: unknown */
	uint64_t most;		 /* units in it at a time */
	bool bounded;		 /* somebody waited for room */
	int64_t way;		 /* ns that the fastest message was on its way, if one was; or 0 */
	uint32_t from, to;	 /* programs: who put and took last */
	uint64_t taker;		 /* the last get, plus 1 */
	uint64_t takers[TAKERS]; /* the last ones, plus 1, in turn */
	uint64_t gets;
	/* Private: what is in it. */
	struct graph_message {
		uint64_t end; /* units put up to and with this */
		uint64_t piece;
		int64_t time;
	} * v;
	size_t n, cap, first;
};

/* What did not fit together. */
struct graph_faults {
	uint64_t moved;	    /* times that went back within a thread */
	uint64_t inverted;  /* causes that came after their effect */
	uint64_t unmatched; /* units taken that nobody was seen to put */
	uint64_t unread;    /* messages left in queues, or forgotten there */
	uint64_t no_waker;  /* waits that ended and nothing says why */
	uint64_t crowded;   /* states that are "other", because there are too many */
	uint64_t misplaced; /* marks: taken from an empty queue, waited for one that is not */
};

struct graph_gap {
	int64_t from, until;
};

/* Zeroed is valid and empty. */
struct graph {
	struct tape tape;
	VEC(struct graph_thread) threads;
	VEC(struct graph_state) states;
	VEC(struct graph_queue) queues;
	struct names programs, words, queue_names;
	struct map by_state;	    /* number plus 1, of program << 32 | word */
	VEC(struct graph_gap) gaps; /* in which events are missing, in order, apart */
	struct graph_faults faults;
	unsigned cpus;	    /* that they ran on; 0: unknown */
	int64_t begin, end; /* of all pieces; begin > end: none */
	uint64_t last;	    /* the piece that ends last, plus 1 */
};

/* A thread that begins then; its number.  by: the piece that made it, plus 1, or 0. */
uint32_t graph_thread(struct graph *g, uint32_t pid, uint32_t tid, int64_t time, uint64_t by);
/* The state of that program and word. */
uint16_t graph_state(struct graph *g, uint32_t program, uint32_t word);
/* "PROGRAM WORD" of a state, the caller frees. */
char *graph_state_name(const struct graph *g, uint16_t state);

/*
 * Each of these adds pieces up to that time and returns the number of the last one plus 1, or, if
 * the thread was already there, of its last one.
 */

/* t ran until time: from enter on in `state`, in `before` until then. */
uint64_t graph_run(struct graph *g, uint32_t t, int64_t time, uint16_t before, int64_t enter,
		   uint16_t state);
/* t spent a length of its own in `state`. */
uint64_t graph_delay(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint8_t flags);
/* t waited for `cause`, a number plus 1, until time. */
uint64_t graph_wait(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint64_t cause,
		    uint8_t flags);
/* t stops where its last piece ends, and waits from then on, in the state `why`. */
void graph_block(struct graph *g, uint32_t t, uint16_t why);
/* t's wait ends at time, by the piece `cause` (a number plus 1; 0: by nobody who is known).  False
 * if it does not wait, or was woken before. */
bool graph_wake(struct graph *g, uint32_t t, int64_t time, uint64_t cause, uint8_t flags);
/*
 * t runs again: its wait, and what it waited for a CPU that the thread of `from` left (a piece plus
 * 1; 0: unknown), become pieces.  runnable: in the state of a wait for a CPU.  Returns the piece of
 * the wait plus 1; 0: there is none.
 */
uint64_t graph_resume(struct graph *g, uint32_t t, int64_t time, uint64_t from, uint16_t runnable);
/* The wait of that piece (plus 1) has no known cause after all. */
void graph_retract(struct graph *g, uint64_t wait);
/* A delay (a piece plus 1) turns out to be a wait for that one, a message on its way.  False: it is
 * no delay, or that one ended later. */
bool graph_attach(struct graph *g, uint64_t wait, uint64_t cause);

/* A queue of that name; its number. */
uint32_t graph_queue(struct graph *g, const char *name, uint64_t capacity);
/* The queue is used no more. */
void graph_queue_end(struct graph *g, uint32_t queue);
/* t put n units into it at time, having been in `state` until then.  asked: the get that it answers
 * (a piece plus 1), or 0. */
uint64_t graph_put(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint32_t queue,
		   uint64_t n, uint64_t asked);
/* t took n units out of it at time: what put the last of them is its cause, if that was before. */
uint64_t graph_get(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint32_t queue,
		   uint64_t n);
/* n units were taken out before the queue was known to be theirs. */
void graph_queue_skip(struct graph *g, uint32_t queue, uint64_t n);
/* The put that supplies the unit which a get of n would end with; NULL: not there yet. */
const struct graph_message *graph_supplier(const struct graph *g, uint32_t queue, uint64_t n);

/* Events are missing from then until then. */
void graph_lost(struct graph *g, int64_t from, int64_t until);
/* ns of that time in which events are missing. */
int64_t graph_missing(const struct graph *g, int64_t from, int64_t until);
/* The end of the last gap that is over before that time, or INT64_MIN; INT64_MAX: it is in one. */
int64_t graph_gap_before(const struct graph *g, int64_t time);
/* Returns the memory. */
void graph_free(struct graph *g);

#endif
