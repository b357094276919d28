/* SPDX-License-Identifier: MIT */
/* waiting.h - what kind of thing a system call waits for, as far as the call itself shows. */
#ifndef VIEW_WAITING_H
#define VIEW_WAITING_H

struct event;

/* What a thread does. */
enum activity {
	RUNS_USER,
	RUNS_CALL,  /* in the kernel */
	RUNNABLE,   /* waits for a CPU */
	WAITS_WORK, /* on a listening socket, or for any of several descriptors */
	WAITS_LOCK, /* for another thread: mutex, semaphore of System V, file lock */
	/* for another thread: condition variable, semaphore, barrier, message, eventfd, its end */
	WAITS_CONDITION,
	WAITS_TIMER,
	WAITS_CHILD,
	WAITS_SIGNAL,
	WAITS_DISK, /* for a file: its data or its directory entry */
	WAITS_PIPE,
	WAITS_PEER, /* on a socket */
	WAITS_TERMINAL,
	WAITS_FAULT, /* for the page of a page fault */
	WAITS_OTHER,
	WAITS_QUEUE, /* as a mark says */
	ACTIVITIES
};

/* Returns a name such as "user", "call", "runnable" or "work"; static. */
const char *activity_name(enum activity activity);
/* Returns what a call waits for if it waits; RUNS_CALL if it cannot wait for anything known.  A
 * call that ended at its time limit waited for a timer. */
enum activity waiting_for(const struct event *call);

#endif
