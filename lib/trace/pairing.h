/* SPDX-License-Identifier: MIT */
/*
 * pairing.h - calls in flight: the entries and exits of system calls that a source sees, thread by
 * thread, become finished EVENT_SYSCALL events.  All recorders and readers of traces share this one
 * implementation.
 *
 *	struct pairing p;
 *	pairing_init(&p, emit, arg);
 *	struct pairing_thread *t = pairing_begin(&p, pid, tid);
 *	...
 *	pairing_enter(&p, t, &event, key);		a system call begins
 *	done = pairing_exit(&p, t, result, now);	it is over: store *done, unless it is NULL
 *	pairing_signal(t);				a signal is delivered
 *	pairing_exec(&p, t, leader);			an execve has succeeded
 *	pairing_end(&p, t);				the thread is dead: ends its calls, and then
 *	last = pairing_remove(&p, t);			forgets it
 *	...
 *	pairing_end_all(&p);				the trace ends
 *	pairing_free(&p);
 *
 * A source that sees whole calls (a line of text) says pairing_whole() in place of enter and exit.
 *
 * Restarts.  A call that a signal interrupts ends with one of the kernel's ERESTART codes (512-514,
 * 516), which no program ever sees (a source of another system translates its own codes).  It is
 * kept, and folded into the call that follows if that is its restart: the same call (equal id and
 * key) or restart_syscall, made either immediately, or directly after the rt_sigreturn of the
 * handler that the signal started.  If any other call comes at that place, or rt_sigreturn gives
 * EINTR back to the program, or the thread ends, then the interrupted call is an event of its own
 * with the result -EINTR.  A handler that leaves by siglongjmp(3) never gets to its rt_sigreturn:
 * its interrupted call stays in flight until one of these happens or PAIRING_DEPTH later ones are
 * in flight above it.
 *
 * A folded call has the time of its first part, the sum of the durations of all parts (the time of
 * handlers in between is not part of it), the result and the arguments of the last part (of the
 * first, if the last is restart_syscall, which has none), and CALL_RESTARTED.
 *
 * Memory depends on the number of threads only.
 */
#ifndef PAIRING_H
#define PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"

/* Interrupted calls of a thread in flight: handlers are hardly ever nested deeper. */
enum { PAIRING_DEPTH = 8 };

/* A call in flight, with a copy of its strings. */
struct pairing_call {
	struct event event;
	uint64_t key[2];
	unsigned handlers; /* begun since it was interrupted, and not returned yet */
	char *strings;
	size_t size; /* bytes of memory at strings */
};

struct pairing_thread {
	uint32_t pid, tid;
	/* What follows belongs to pairing.c. */
	bool inside;  /* of call */
	bool expects; /* the next call may restart interrupted[depth - 1] */
	unsigned depth;
	struct pairing_call call;
	struct pairing_call *interrupted; /* PAIRING_DEPTH; NULL before the first interruption */
};

/*
 * Receives the events that do not come out of pairing_exit() and pairing_whole(): interrupted calls
 * that were not restarted, and calls that never return.  The event and its strings are valid during
 * this call only.
 */
typedef void pairing_emit(void *arg, struct event *e);

struct pairing {
	pairing_emit *emit;
	void *arg;
	struct map threads;   /* tid -> struct pairing_thread * */
	struct map processes; /* pid -> number of its threads */
	unsigned restart_syscall, rt_sigreturn, sigreturn, exit, exit_group; /* ids, Linux's */
};

/* Makes *p an empty set of threads; emit gets arg. */
void pairing_init(struct pairing *p, pairing_emit *emit, void *arg);
/* Forgets all threads without emitting anything.  A zeroed *p is fine. */
void pairing_free(struct pairing *p);

/* The thread with that number, or NULL. */
struct pairing_thread *pairing_find(const struct pairing *p, uint32_t tid);
/*
 * A new thread, in no call, valid until pairing_remove or pairing_exec frees it.  If the number is
 * that of another thread, whose death was not seen, then that one's calls are ended and it is
 * forgotten.
 */
struct pairing_thread *pairing_begin(struct pairing *p, uint32_t pid, uint32_t tid);
/*
 * Ends the calls of a thread from which nothing more will come: its event of death can be stored
 * after this.
 */
void pairing_end(struct pairing *p, struct pairing_thread *t);
/* Frees t without emitting anything; true if it was the last thread of its process. */
bool pairing_remove(struct pairing *p, struct pairing_thread *t);
/* Walks all threads in no particular order: start with *at = 0; NULL at the end. */
struct pairing_thread *pairing_next(const struct pairing *p, size_t *at);
/* The trace is over: ends the calls of all threads. */
void pairing_end_all(struct pairing *p);

/* An event of t's with nothing but type and time. */
static inline struct event pairing_event(const struct pairing_thread *t, enum event_type type,
					 int64_t time)
{
	return (struct event){ .type = type, .pid = t->pid, .tid = t->tid, .time = time };
}

/*
 * The call that t is inside of, or NULL.  The source may complete it (arguments, flags) until it is
 * over.
 */
static inline struct event *pairing_inside(struct pairing_thread *t)
{
	return t->inside ? &t->call.event : NULL;
}

/*
 * t enters the call e, which has time, id, flags, args and, if known, path and text, which are
 * copied.  key is what a restart of this call has in common with it, apart from the id: instruction
 * and stack pointer, or an argument. If t was inside of another call, that one is ended as
 * unfinished.
 */
void pairing_enter(struct pairing *p, struct pairing_thread *t, const struct event *e,
		   const uint64_t key[2]);
/*
 * The call that t is inside of has returned at that time.  Returns its event, valid until the next
 * moment of t; NULL if it was interrupted and may be restarted, or if t is inside of no call (see
 * pairing_orphan).  The result of rt_sigreturn becomes 0: what its register holds is not its own.
 */
struct event *pairing_exit(struct pairing *p, struct pairing_thread *t, int64_t result,
			   int64_t time);
/*
 * The call e is over, entry and exit at once, duration and flags set by the source.  True: *e,
 * changed if it was a restart, is to be stored; its strings are the caller's or valid until the
 * next moment of t.  False: it was interrupted, and a copy is kept.  If t was inside of another
 * call, that one is ended as unfinished.
 */
bool pairing_whole(struct pairing *p, struct pairing_thread *t, struct event *e,
		   const uint64_t key[2]);
/*
 * The same for a call of which only the exit was seen: sets CALL_ORPHAN and clears what only the
 * entry tells.
 */
bool pairing_orphan(struct pairing *p, struct pairing_thread *t, struct event *e);
/*
 * Takes the call that t is inside of out of it, for a source that completes it and then says
 * pairing_whole().  NULL if there is none.  Valid until the next moment of t.
 */
const struct event *pairing_take(struct pairing_thread *t);

/* True if a call of t was interrupted and may be restarted: only then signals matter. */
static inline bool pairing_is_interrupted(const struct pairing_thread *t)
{
	return t->depth > 0;
}

/*
 * A signal is delivered to t.  A source that knows that t has no handler for it should not say so.
 */
void pairing_signal(struct pairing_thread *t);
/*
 * An execve of t has succeeded.  leader is the number that t now has: the process's, also if
 * another thread had it, whose calls are then ended and which is forgotten.  t is the only thread
 * of its process from now on; the calls that were interrupted in it are ended.  If t is still
 * inside of the execve, it stays so.
 */
void pairing_exec(struct pairing *p, struct pairing_thread *t, uint32_t leader);

#endif
