/* SPDX-License-Identifier: MIT */
/*
 * pairing.h - joins the entries and exits of system calls that a source sees, thread by thread,
 * into finished EVENT_SYSCALL events.
 *
 *	pairing_enter(&p, t, &event, key);		a system call begins
 *	done = pairing_exit(&p, t, result, now);	it is over: store *done, unless it is NULL
 *	pairing_signal(t);				a signal is delivered
 *
 * A source that sees whole calls (a line of text) uses pairing_whole() in place of these two.
 *
 * Restarts.  A call that a signal interrupts ends with one of the kernel's ERESTART codes
 * (512-514, 516), which no program ever sees.  It is kept, and folded into the call that follows if
 * that is its restart: the same call (equal id and key) or restart_syscall, made either immediately
 * or directly after the rt_sigreturn of the handler that the signal started.  If another call comes
 * at that place, or rt_sigreturn returns EINTR to the program, or the thread ends, the interrupted
 * call is an event of its own with the result -EINTR.  After siglongjmp(3) it is kept until one of
 * these happens or PAIRING_DEPTH later ones are kept.
 *
 * A folded call has CALL_RESTARTED, the time of its first part, the sum of the durations of its
 * parts, and the result and arguments of the last one (arguments of the first when the last is
 * restart_syscall).
 */
#ifndef TRACE_PAIRING_H
#define TRACE_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"

/* Interrupted calls that are kept for a thread: handlers are hardly ever nested deeper. */
enum { PAIRING_DEPTH = 8 };

/* A call that is not over, with a copy of its strings. */
struct pairing_call {
	struct event event;
	uint64_t key[2];
	unsigned handlers; /* of signals, which began since it was interrupted and go on */
	bool guessed;	   /* that a handler began was guessed */
	char *path, *text; /* of the event, or NULL */
};

struct pairing_thread {
	uint32_t pid, tid;
	/* What follows belongs to pairing.c. */
	bool inside;  /* the thread is in `call` */
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
	bool no_signals; /* the source sees no signals: a call that is no restart is by a handler */
	struct map threads;   /* tid -> struct pairing_thread * */
	struct map processes; /* pid -> number of its threads */
};

/* Makes *p an empty set of threads.  arg is passed to emit. */
void pairing_init(struct pairing *p, pairing_emit *emit, void *arg);
/* Forgets all threads without emitting anything. */
void pairing_free(struct pairing *p);

/* Returns the thread with that number, or NULL. */
struct pairing_thread *pairing_find(const struct pairing *p, uint32_t tid);
/*
 * Adds a thread, which is in no call.  Returns it, valid until pairing_remove() or pairing_exec()
 * frees it.  Ends the calls of an earlier thread with this number, whose death was not seen.
 */
struct pairing_thread *pairing_begin(struct pairing *p, uint32_t pid, uint32_t tid);
/* Ends the calls of a thread that is dead; its EVENT_EXIT can be stored after this. */
void pairing_end(struct pairing *p, struct pairing_thread *t);
/* Frees t without emitting anything.  Returns whether it was the last thread of its process. */
bool pairing_remove(struct pairing *p, struct pairing_thread *t);
/* Returns the next thread, in no particular order, or NULL at the end.  Start with *at = 0. */
struct pairing_thread *pairing_next(const struct pairing *p, size_t *at);
/* Passes the calls of all threads that have not ended to `take`, with arg: unfinished, with the
 * duration that they have at the time `now`. */
void pairing_show_open(const struct pairing *p, int64_t now, pairing_emit *take, void *arg);
/* Ends the calls of all threads, at the end of the trace. */
void pairing_end_all(struct pairing *p);

/* Returns an event of thread t that has a type and a time and nothing else. */
static inline struct event pairing_event(const struct pairing_thread *t, enum event_type type,
					 int64_t time)
{
	return (struct event){ .type = type, .pid = t->pid, .tid = t->tid, .time = time };
}

/* Returns the call that t is in, which the source may complete until it is over, or NULL. */
static inline struct event *pairing_inside(struct pairing_thread *t)
{
	return t->inside ? &t->call.event : NULL;
}

/* Sets the path of the call that t is in to a copy, for a source that learns it late. */
void pairing_set_path(struct pairing_thread *t, const char *path);
/*
 * Begins call e of thread t; its strings are copied.  `key` is what a restart of the call has in
 * common with it apart from the id: instruction and stack pointer, or an argument.  A call that t
 * is in already is ended as unfinished.
 */
void pairing_enter(struct pairing *p, struct pairing_thread *t, const struct event *e,
		   const uint64_t key[2]);
/*
 * Ends the call that t is in at that time.  Returns its event, valid until the next call of t, or
 * NULL if it may be restarted or t is in no call.  The result of rt_sigreturn is what the register
 * holds where it leads: -EINTR after a call that a signal ended, which strace(1) counts as its
 * error, too.
 */
struct event *pairing_exit(struct pairing *p, struct pairing_thread *t, int64_t result,
			   int64_t time);
/*
 * Processes call e as a whole; the source has set duration and flags.  Returns true if *e, changed
 * if it was a restart, is to be stored, and false if it may be restarted and a copy is kept.  A
 * call that t is in is ended as unfinished.
 */
bool pairing_whole(struct pairing *p, struct pairing_thread *t, struct event *e,
		   const uint64_t key[2]);
/* Does the same with a call of which only the exit was seen (CALL_ORPHAN), without path and
 * arguments.
 */
bool pairing_orphan(struct pairing *p, struct pairing_thread *t, struct event *e);
/*
 * Takes t out of the call that it is in and returns the call, valid until the next one of t, for a
 * source that completes it for pairing_whole().
 */
const struct event *pairing_take(struct pairing_thread *t);

/* Returns whether a call of t was interrupted and may be restarted: only then do signals matter. */
static inline bool pairing_is_interrupted(const struct pairing_thread *t)
{
	return t->depth > 0;
}

/*
 * Returns, while pairing_end() emits an interrupted call of t, whether it was the last thing that t
 * did: then the signal that interrupted it may have ended the thread.
 */
static inline bool pairing_is_last(const struct pairing_thread *t)
{
	return t->expects && t->depth == 1;
}

/* Notes that a signal is delivered to t, which may have a handler for it. */
void pairing_signal(struct pairing_thread *t);
/*
 * Notes that an execve of t has succeeded: t becomes the only thread of its process and gets the
 * number `leader`.  Ends the calls of the thread that had it before, and those interrupted in t. If
 * t is in the execve, it stays there.
 */
void pairing_exec(struct pairing *p, struct pairing_thread *t, uint32_t leader);

#endif
