/* SPDX-License-Identifier: MIT */
/* derive_parts.h - declarations shared by derive*.c. */
#ifndef GRAPH_DERIVE_PARTS_H
#define GRAPH_DERIVE_PARTS_H

#include "graph/derive.h"
#include "view/waiting.h"

enum { SUBMITTED = 16 };

struct derived_submission {
	int64_t from, until; /* of the call */
	uint64_t piece;	     /* that ended it, plus 1 */
};

struct derived_thread {
	bool out, faulted, exited;
	bool born;	     /* what made it is in the trace */
	bool at_once;	     /* its present call put or got what it transfers without a wait */
	bool dead;	     /* it left its CPU in the state DEAD; its exit is still to come */
	uint16_t user;	     /* state outside of calls */
	uint16_t runnable;   /* state while it waits for a CPU */
	uint32_t mark_queue; /* queue that a mark says it waits for, plus 1 */
	bool mark_full;
	uint64_t mark_key; /* connection or request that it has identified with a mark */
	uint32_t place;	   /* of the call that ends next, as in struct graph_state */
	uint32_t outer;	   /* the same of the call that the last signal interrupted */
	int64_t signalled; /* when the last signal came; INT64_MIN: there was none */
	VEC(uint64_t)
	open;			 /* pieces, plus 1, whose states are not known yet */
	VEC(uint64_t) passed;	 /* pieces, plus 1, that a signal's handler followed */
	VEC(uint64_t) claimed;	 /* waits, plus 1, that a softirq ended during its present call */
	uint64_t lone;		 /* last wait, plus 1, if it was one on a socket; 0: none */
	uint64_t calls;		 /* calls that have ended */
	enum activity operation; /* what the wait of its present call on an io_uring was for */
	/* Its last calls on io_urings, as a ring; most threads make none. */
	VEC(struct derived_submission) submitted;
	uint64_t nsubmitted;
	/* For finding connected sockets.  Calls are numbered; the present call is calls + 1. */
	uint64_t waker_call, sent_call, reader_call;
	uint64_t on_socket; /* whether its last 64 calls were on a socket; bit 0: the last one */
	uint32_t waker, sent_object, reader_object;
	bool waker_soft;
};

/* What is known of a CPU.  The first three members describe the thread that left it last. */
struct derived_cpu {
	uint64_t piece; /* its last piece, plus 1 */
	uint32_t next;	/* ID of the thread that followed it */
	bool preempted;
	int64_t since, busy; /* ns: busy since; busy in total with threads of the trace */
};

/* The object behind a descriptor: a file, pipe end or socket. */
struct derived_object {
	enum fd_kind kind;
	uint64_t name;	  /* name of its outgoing direction, as in by_name; 0: unknown */
	uint32_t peer;	  /* index of the other end; 0: unknown */
	uint32_t queue;	  /* queue of what is written to it, plus 1; 0: none yet */
	uint32_t inbound; /* queue of what is read from it while the peer is unknown, plus 1 */
	uint64_t asked;	  /* the first get since the last put, plus 1 */
};

/* Whether a call takes from a queue or puts into one. */
enum direction { NO_DIRECTION, DIRECTION_GET, DIRECTION_PUT };

/* The maps with a cache in front, because each event looks into them several times.  Entries of
 * KNOWN_PLACE and KNOWN_CALL never change. */
enum known { KNOWN_THREAD, KNOWN_PLACE, KNOWN_CALL };

/* Returns the place in the cache that `of`, a key with its kind, shares with others. */
static inline struct derived_known *derived_known_at(struct derive *d, uint64_t of)
{
	return &d->cache[of * 0x9e3779b97f4a7c15u >> 54];
}

/* Looks `key` (below 2^60) up in the map, through the cache.  Returns 0 if it is not there. */
static inline uint64_t derived_known(struct derive *d, enum known kind, const struct map *m,
				     uint64_t key)
{
	uint64_t of = key << 2 | kind;
	struct derived_known *k = derived_known_at(d, of);

	if (k->key != of || !k->value) {
		const uint64_t *at = map_find(m, key);

		*k = (struct derived_known){ of, at ? *at : 0 };
	}
	return k->value;
}

/* derive_threads.c */

/* Returns the thread of an event and stores its number in the graph in *number.  A thread that is
 * seen for the first time begins here.  The pointer is valid until the next thread begins. */
struct derived_thread *derived_thread(struct derive *d, const struct event *e, uint32_t *number);
/* Returns the number of the thread that has this ID at present, or GRAPH_NOBODY. */
uint32_t derived_find(struct derive *d, uint32_t tid);
/* Adds a thread that begins at `time`, created by piece `by` (plus 1; 0: unknown).  Returns its
 * number. */
uint32_t derived_begin_thread(struct derive *d, uint32_t pid, uint32_t tid, int64_t time,
			      uint64_t by);
/* Ends the thread; another thread may reuse its ID from now on. */
void derived_end_thread(struct derive *d, uint32_t thread);
/* Sets the thread's program to the one that its process runs now. */
void derived_set_program(struct derive *d, uint32_t thread);
/* Returns the state made of the thread's program, a word and an activity. */
uint16_t derived_state(struct derive *d, uint32_t thread, const char *word, enum activity activity);
/* Returns the state of a wait of that kind, "other" for RUNS_CALL. */
uint16_t derived_activity(struct derive *d, uint32_t thread, enum activity activity);
/* Returns the state of a call and the kind of its descriptor, such as "write pipe". */
uint16_t derived_call_state(struct derive *d, uint32_t thread, const struct event *e);

/* derive_pieces.c */

/* Extends the thread to that time with a run whose state is not known yet.  Returns its last piece,
 * plus 1. */
uint64_t derived_cut(struct derive *d, uint32_t thread, int64_t time);
/* Notes that the piece (plus 1; 0: none) gets its state when the thread's next call ends. */
void derived_note_open(struct derived_thread *t, uint64_t piece);
/* Sets the states of the noted pieces.  Those that lie in `call` were in that call, the others were
 * not; NULL: none was. */
void derived_name_open(struct derive *d, uint32_t thread, const struct event *call);
/* Notes the queue of a wait (a piece plus 1) in that call, or NULL: for room if the call writes,
 * for data if it reads. */
void derived_name_queue(struct derive *d, uint64_t wait, const struct event *call);
/*
 * Decides about `wait` (a piece plus 1), which a softirq ended on top of a call that began at
 * `enter` and is over.  If the call was on a socket, its thread was the waker; otherwise that was a
 * coincidence, and the wait loses its cause.
 */
void derived_settle_claim(struct derive *d, uint64_t wait, bool on_socket, int64_t enter);

/* derive_scheduler.c */

/* The thread takes a CPU at `time`; c is that CPU, or NULL if unknown. */
void derived_come_in(struct derive *d, uint32_t thread, int64_t time, const struct derived_cpu *c);
/* Processes an EVENT_SWITCH, by which the thread leaves its CPU and another may take it. */
void derived_switch(struct derive *d, uint32_t thread, const struct event *e);
/* Processes an EVENT_WAKE, by which the thread makes another able to run. */
void derived_wake(struct derive *d, const struct event *e);

/* derive.c */

/* Processes an event of a thread.  All earlier events must have been processed. */
void derived_follow(struct derive *d, const struct event *e);

/* derive_queues.c */

/* Returns in which direction a finished call moves bytes through a pipe or socket. */
enum direction derived_direction(const struct event *e);
/* Processes an EVENT_FD or EVENT_ADDRESS, which may reveal the peer of the object. */
void derived_define(struct derive *d, const struct event *e);
/* Connects the objects a and b: they are the two ends of one connection. */
void derived_learn(struct derive *d, uint32_t a, uint32_t b);
/* Returns the queue that a call on the object takes from or puts into, plus 1; 0: none. */
uint32_t derived_queue(struct derive *d, uint32_t object, enum direction direction);
/* Records that the thread got at `time` what the call says, after it was in `state`.  Returns the
 * piece, plus 1. */
uint64_t derived_get(struct derive *d, uint32_t thread, int64_t time, uint16_t state,
		     const struct event *e);
/* The same for what it put. */
uint64_t derived_put(struct derive *d, uint32_t thread, int64_t time, uint16_t state,
		     const struct event *e);

/* derive_requests.c */

/* Processes an EVENT_BLOCK. */
void derived_block(struct derive *d, const struct event *e);
/* Returns the piece at whose end the request began that was completed in the interrupt of this
 * wake-up, plus 1; 0: unknown, there was none, or `target` itself issued it just before its wait.
 */
uint64_t derived_request(const struct derive *d, uint32_t target, const struct event *wake);
/* Notes a call that has ended, with its last piece (plus 1), if it may have submitted operations.
 */
void derived_note_submission(struct derived_thread *t, uint64_t piece, const struct event *e);
/* Processes an EVENT_URING: an operation that the thread submitted is complete. */
void derived_operation(struct derive *d, uint32_t thread, const struct event *e);

/* derive_calls.c: without events of the scheduler */

/* Holds an event back until those before it are known. */
void derived_hold(struct derive *d, const struct event *e);
/* Processes the held events that no earlier event can precede any more; all_in: all of them. */
void derived_release(struct derive *d, bool all_in);
/* Processes a finished call: whether it waited, and for what, is guessed from how long it took. */
void derived_call_alone(struct derive *d, uint32_t thread, const struct event *e);

/* derive_marks.c */

/* Processes a mark. */
void derived_mark(struct derive *d, uint32_t thread, const struct event *e);

#endif
