/* SPDX-License-Identifier: MIT */
/* derive_parts.h - what the files of derive.h share. */
#ifndef DERIVE_PARTS_H
#define DERIVE_PARTS_H

#include "graph/derive.h"
#include "view/waiting.h"

struct derived_thread {
	bool out, preempted, faulted, exited;
	uint16_t user;	     /* its state outside of calls */
	uint16_t runnable;   /* ... while it waits for a CPU */
	uint32_t mark_queue; /* that a mark says it waits for, plus 1 */
	bool mark_full;
	uint64_t mark_key;     /* of the connection or request that marks say it is at */
	VEC(uint64_t) open;    /* pieces, plus 1, since its last call ended: not named yet */
	VEC(uint64_t) claimed; /* waits, plus 1, that a softirq ended on top of its present call */
	uint64_t lone;	/* its last wait on sockets, plus 1, if nobody is known to have ended it */
	uint64_t calls; /* that have ended */
	/* The other end of a connection: calls are counted, the one at hand is calls + 1. */
	uint64_t waker_call, sent_call, socket_call, reader_call;
	uint32_t waker, sent_object, reader_object;
	bool waker_soft;
};

/* The thread that left a CPU last. */
struct derived_cpu {
	uint64_t piece; /* plus 1 */
	uint32_t next;	/* thread of the trace that follows */
	bool preempted;
	int64_t since, busy; /* ns: a thread of the trace took it; had it in all */
};

/* What stands behind descriptors. */
struct derived_object {
	enum fd_kind kind;
	uint64_t name;	  /* the way from it, as in by_name; 0: unknown */
	uint32_t peer;	  /* the place of the other end; 0: unknown */
	uint32_t queue;	  /* of what is written to it, plus 1; 0: none yet */
	uint32_t inbound; /* of what is read from it while the peer is unknown, plus 1 */
	uint64_t ahead;	  /* units read before the peer was known */
	uint64_t asked;	  /* the first get since the last put, plus 1 */
};

/* What a call does with a queue. */
enum direction { NO_DIRECTION, DIRECTION_GET, DIRECTION_PUT };

/* Maps that are looked into several times an event.  What is in them stays, but for threads. */
enum known { KNOWN_THREAD, KNOWN_PLACE, KNOWN_CALL };

static inline struct derived_known *derived_known_at(struct derive *d, uint64_t of)
{
	return &d->cache[of * 0x9e3779b97f4a7c15u >> 54];
}

/* What the map has by that key, below 2^60; 0: nothing. */
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

/* The thread of an event and, in *number, its number in the graph; it begins now if it is new.
 * Valid until the next thread begins. */
struct derived_thread *derived_thread(struct derive *d, const struct event *e, uint32_t *number);
/* The number of the thread that has that tid now, or GRAPH_NOBODY. */
uint32_t derived_find(struct derive *d, uint32_t tid);
/* A thread that begins at that time, made by the piece `by` (plus 1; 0: nobody saw that); its
 * number. */
uint32_t derived_begin_thread(struct derive *d, uint32_t pid, uint32_t tid, int64_t time,
			      uint64_t by);
/* Its tid may be used by another one from now on. */
void derived_end_thread(struct derive *d, uint32_t thread);
/* The thread is in the program that its process runs now. */
void derived_set_program(struct derive *d, uint32_t thread);
/* The state of the thread's program and that word. */
uint16_t derived_state(struct derive *d, uint32_t thread, const char *word);
/* The same of a wait for that; RUNS_CALL: nothing is known of it, which is "other". */
uint16_t derived_activity(struct derive *d, uint32_t thread, enum activity activity);
/* The same of a call and what it works on: "write pipe". */
uint16_t derived_call_state(struct derive *d, uint32_t thread, const struct event *e);

/* derive_pieces.c */

/* The thread runs up to that time, in what is not known yet.  Returns its last piece, plus 1. */
uint64_t derived_cut(struct derive *d, uint32_t thread, int64_t time);
/* The piece (plus 1; 0: none) gets its name when the thread's next call ends. */
void derived_note_open(struct derived_thread *t, uint64_t piece);
/* The pieces of the thread that have no name yet were in that call, as far as they lie in it;
 * NULL: in no call. */
void derived_name_open(struct derive *d, uint32_t thread, const struct event *call);
/* A call that began at `enter`, on a socket or not, is over; a softirq on top of it ended that
 * wait (a piece plus 1): by that call, or by chance? */
void derived_settle_claim(struct derive *d, uint64_t wait, bool on_socket, int64_t enter);

/* derive_scheduler.c */

/* The thread has a CPU at that time, c, which somebody left before; NULL: unknown. */
void derived_come_in(struct derive *d, uint32_t thread, int64_t time, const struct derived_cpu *c);
/* Take an event of that type. */
void derived_switch(struct derive *d, uint32_t thread, const struct event *e);
void derived_wake(struct derive *d, const struct event *e);

/* derive.c */

/* Takes an event of a thread, all earlier ones having been taken. */
void derived_follow(struct derive *d, const struct event *e);

/* derive_queues.c */

/* Which way a finished call moves bytes through a pipe or socket. */
enum direction derived_direction(const struct event *e);
/* Takes an event that says what an object is, or which addresses a socket has. */
void derived_define(struct derive *d, const struct event *e);
/* The sockets a and b, numbers of objects, are the two ends of a connection. */
void derived_learn(struct derive *d, uint32_t a, uint32_t b);
/* The queue that a call on the object gets from or puts into, plus 1; 0: none. */
uint32_t derived_queue(struct derive *d, uint32_t object, enum direction direction);
/* The thread got or put, at that time, what the call says, having been in `state` until then.
 * Returns the piece, plus 1. */
uint64_t derived_get(struct derive *d, uint32_t thread, int64_t time, uint16_t state,
		     const struct event *e);
uint64_t derived_put(struct derive *d, uint32_t thread, int64_t time, uint16_t state,
		     const struct event *e);

/* derive_calls.c: without events of the scheduler */

/* Takes an event, which is followed when those before it are known. */
void derived_hold(struct derive *d, const struct event *e);
/* Follows the events that no earlier ones can come before; all_in: all of them. */
void derived_release(struct derive *d, bool all_in);
/* Takes a call: what it waited for is guessed from how long it took. */
void derived_call_alone(struct derive *d, uint32_t thread, const struct event *e);

/* derive_marks.c */

/* Takes an annotation. */
void derived_mark(struct derive *d, uint32_t thread, const struct event *e);

#endif
