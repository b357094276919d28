/* SPDX-License-Identifier: MIT */
/*
 * pairing.h - calls in flight: the entries and exits of system calls that a source sees, thread by
 * thread, become finished EVENT_SYSCALL events.
 *
 *	pairing_enter(&p, t, &event, key);		a system call begins
 *	done = pairing_exit(&p, t, result, now);	it is over: store *done, unless it is NULL
 *	pairing_signal(t);				a signal is delivered
 *
 * A source that sees whole calls (a line of text) uses pairing_whole() in place of enter and exit.
 *
 * Restarts.  A call that a signal interrupts ends with one of the kernel's ERESTART codes
 * (512-514, 516), which no program ever sees.  It is kept, and folded into the call that follows if
 * that is its restart: the same call (equal id and key) or restart_syscall, made either immediately
 * or directly after the rt_sigreturn of the handler that the signal started.  If another call comes
 * at that place, or rt_sigreturn returns EINTR to the program, or the thread ends, the interrupted
 * call is an event of its own with the result -EINTR.  After siglongjmp(3) it stays in flight until
 * one of these happens or PAIRING_DEPTH later ones are in flight.
 *
 * A folded call has CALL_RESTARTED, the time of its first part, the sum of the durations of its
 * parts, and the result and arguments of the last one (arguments of the first when the last is
 * restart_syscall).
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
	bool guessed;	   /* that there was one */
	char *path, *text; /* of the event, or NULL */
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
 * Receives interrupted calls that were not restarted, and calls that never return.  The event and
 * its strings are valid during this call only.
 */
typedef void pairing_emit(void *arg, struct event *e);

struct pairing {
	pairing_emit *emit;
	void *arg;
	bool no_signals;      /* the source does not see them: what is no restart is by a handler */
	struct map threads;   /* tid -> struct pairing_thread * */
	struct map processes; /* pid -> number of its threads */
};

/* Makes *p an empty set of threads; emit gets arg. */
void pairing_init(struct pairing *p, pairing_emit *emit, void *arg);
/* Forgets all threads without emitting anything. */
void pairing_free(struct pairing *p);

/* The thread with that number, or NULL. */
struct pairing_thread *pairing_find(const struct pairing *p, uint32_t tid);
/*
 * A new thread, in no call, valid until pairing_remove or pairing_exec frees it.  The calls of an
 * earlier thread with this number, whose death was not seen, are ended.
 */
struct pairing_thread *pairing_begin(struct pairing *p, uint32_t pid, uint32_t tid);
/* Ends the calls of a thread that is dead: its EVENT_EXIT can be stored after this. */
void pairing_end(struct pairing *p, struct pairing_thread *t);
/* Frees t without emitting anything; true if it was the last thread of its process. */
bool pairing_remove(struct pairing *p, struct pairing_thread *t);
/* Walks all threads in no particular order: start with *at = 0; NULL at the end. */
struct pairing_thread *pairing_next(const struct pairing *p, size_t *at);
/* Hands take, with its argument, the calls of all threads that have not ended: unfinished, with the
 * duration that they have at the time `now`. */
void pairing_show_open(const struct pairing *p, int64_t now, pairing_emit *take, void *arg);
/* The trace is over: ends the calls of all threads. */
void pairing_end_all(struct pairing *p);

/* An event of t's with nothing but type and time. */
static inline struct event pairing_event(const struct pairing_thread *t, enum event_type type,
					 int64_t time)
{
	return (struct event){ .type = type, .pid = t->pid, .tid = t->tid, .time = time };
}

/* The call that t is inside of, or NULL.  The source may complete it until it is over. */
static inline struct event *pairing_inside(struct pairing_thread *t)
{
	return t->inside ? &t->call.event : NULL;
}

/* The path of the call that t is inside of, which is copied, for a source that learns it late. */
void pairing_set_path(struct pairing_thread *t, const char *path);
/*
 * t enters the call e, whose strings are copied.  key is what a restart of this call has in common
 * with it, apart from the id: instruction and stack pointer, or an argument.  A call that t was
 * inside of is ended as unfinished.
 */
void pairing_enter(struct pairing *p, struct pairing_thread *t, const struct event *e,
		   const uint64_t key[2]);
/*
 * The call that t is inside of has returned at that time.  Its event, valid until t's next call;
 * NULL if it may be restarted, or t is inside of none.  The result of rt_sigreturn becomes 0: what
 * its register holds is not its own.
 */
struct event *pairing_exit(struct pairing *p, struct pairing_thread *t, int64_t result,
			   int64_t time);
/*
 * The whole call e is over, duration and flags set by the source.  True: *e, changed if it was a
 * restart, is to be stored. False: it may be restarted, and a copy is kept.  A call that t was
 * inside of is ended as unfinished.
 */
bool pairing_whole(struct pairing *p, struct pairing_thread *t, struct event *e,
		   const uint64_t key[2]);
/* The same for a call of which only the exit was seen: CALL_ORPHAN, without path and arguments. */
bool pairing_orphan(struct pairing *p, struct pairing_thread *t, struct event *e);
/*
 * Takes t out of the call that it is inside of, for a source that completes it for pairing_whole().
 * Valid until t's next call.
 */
const struct event *pairing_take(struct pairing_thread *t);

/* True if a call of t was interrupted and may be restarted: only then signals matter. */
static inline bool pairing_is_interrupted(const struct pairing_thread *t)
{
	return t->depth > 0;
}

/*
 * True, while pairing_end() gives up an interrupted call of t, if nothing came behind it: then the
 * signal that interrupted it may have ended the thread.
 */
static inline bool pairing_is_last(const struct pairing_thread *t)
{
	return t->expects && t->depth == 1;
}

/* A signal is delivered to t, for which it may have a handler. */
void pairing_signal(struct pairing_thread *t);
/*
 * An execve of t has succeeded: it is the only thread of its process and has its number, leader.
 * The calls of the thread that had it before, and those interrupted in t, are ended.  If t is still
 * inside of the execve, it stays so.
 */
void pairing_exec(struct pairing *p, struct pairing_thread *t, uint32_t leader);

#endif
