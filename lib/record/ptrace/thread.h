/* SPDX-License-Identifier: MIT */
/* thread.h - a thread that is being recorded, and the calls that it is inside of. */
#ifndef THREAD_H
#define THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/ptrace/callstop.h"
#include "trace/event.h"

/* A call that has begun. */
struct call {
	bool open;
	struct event event;
	uint64_t ip, sp;
	char *path; /* of callargs_begin() */
};

struct thread {
	pid_t pid, tid;
	struct call call;   /* it is inside of */
	struct call broken; /* interrupted by a signal; to be restarted, perhaps */
	size_t index;	    /* in its set */
};

/* All threads at hand.  Zeroed it is empty. */
struct threads {
	struct thread **v;
	size_t n, cap;
};

/* Adds a thread that is inside of no call; the set owns it. */
struct thread *thread_new(struct threads *set, pid_t pid, pid_t tid);
/* Takes t out of the set and frees it with its calls. */
void thread_free(struct threads *set, struct thread *t);
/* Frees the threads, too. */
void threads_free(struct threads *set);

/* An event of t's with nothing but its type and time. */
struct event thread_event(const struct thread *t, enum event_type type, int64_t time);
/* Exchanges the call that t is inside of and the broken one. */
void thread_swap_calls(struct thread *t);
/*
 * Is the call that begins here the broken one again?  Then the kernel goes back to the same
 * instruction with the same stack; restart: the id of restart_syscall.
 */
bool thread_restarts(const struct thread *t, unsigned id, unsigned restart,
		     const struct callstop *stop);
/* The result of a call that a signal interrupted and that the kernel may restart. */
bool thread_will_restart(int64_t result);
/* t goes on with the call that thread former is inside of, as after an execve. */
void thread_take_call(struct thread *t, struct thread *former);

#endif
