/* SPDX-License-Identifier: MIT */
/* waiting.h - for which kind of thing a system call waits, as far as the call itself says. */
#ifndef WAITING_H
#define WAITING_H

#include "trace/event.h"

/* What a thread does. */
enum activity {
	RUNS_USER,
	RUNS_CALL,  /* in the kernel */
	RUNNABLE,   /* waits for a CPU */
	WAITS_WORK, /* on a listening socket, or for any of several descriptors */
	WAITS_LOCK, /* for another thread: futex, semaphore, eventfd, lock of a file */
	WAITS_TIMER,
	WAITS_CHILD,
	WAITS_SIGNAL,
	WAITS_DISK, /* for a file: its data, or its name */
	WAITS_PIPE,
	WAITS_PEER, /* on a socket */
	WAITS_TERMINAL,
	WAITS_FAULT, /* for the page of a page fault */
	WAITS_OTHER,
	ACTIVITIES
};

/* "user", "call", "runnable", "work", ... */
const char *activity_name(enum activity activity);
/*
 * What a call waits for if it waits; RUNS_CALL when nothing is known that it could wait for.  One
 * that ended because its time was over has waited for a timer.
 */
enum activity waiting_for(const struct event *call);

#endif
