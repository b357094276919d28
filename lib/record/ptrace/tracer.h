/* SPDX-License-Identifier: MIT */
/*
 * tracer.h - follow processes with ptrace(2): births, programs, system calls, signals, deaths.
 *
 *	struct tracer *t = tracer_new(&(struct tracer_options){ .calls = true });
 *	if (tracer_launch(t, "/bin/ls", argv, &e)) ...
 *	while ((more = tracer_next(t, &stop, &e)) > 0)
 *		...		stop.tracee waits until the next tracer_next lets it go on
 *	tracer_free(t);
 *
 * Every process and thread that a followed one creates is followed.  Signals reach the tracees
 * unchanged and stopped jobs stay stopped.  All calls must come from one thread.
 */
#ifndef TRACER_H
#define TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/ptrace/callstop.h"
#include "util/error.h"

/* One thread.  The caller may change calls and state while it is stopped. */
struct tracee {
	pid_t pid, tid;
	bool calls;	/* stop at system calls; children inherit it */
	void *state;	/* the caller's; NULL at first */
	uint64_t stops; /* so far: each cost the thread a voluntary context switch */
	bool inside;	/* of a system call, as far as its stops tell */
	bool seen;	/* its first stop is behind it */
	bool launching; /* still our own code before the first exec */
};

enum stop_kind {
	STOP_WOKEN,  /* nobody stopped: the caller got a signal; tracee is NULL */
	STOP_FIRST,  /* of a thread that was launched or attached to */
	STOP_CALL,   /* a system call begins */
	STOP_RETURN, /* a system call is over */
	STOP_BIRTH,  /* the tracee made a process or thread, which has not run yet */
	STOP_EXEC,   /* the tracee has a new program and is its process's only thread */
	STOP_SIGNAL, /* a signal is about to be delivered */
	STOP_PAUSE,  /* job control has stopped the thread; SIGCONT will wake it */
	STOP_DEATH,  /* the thread is gone */
};

struct stop {
	enum stop_kind kind;
	int64_t time; /* CLOCK_MONOTONIC ns when it was noticed */
	struct tracee *tracee;
	union {
		struct callstop call; /* of CALL and RETURN */
		struct {
			struct tracee *child;
		} birth;
		struct {
			struct tracee *former;
		} exec; /* thread that made the call and took over
							   tracee's number; NULL: tracee itself */
		struct {
			int number;
		} signal; /* of SIGNAL and PAUSE */
		struct {
			int status;
			bool last;
		} death; /* of wait(2); of its process's threads */
	};
};

struct tracer_options {
	bool calls;   /* stop at system calls from the start */
	bool kill;    /* the tracees die when the caller is killed; otherwise they go on untraced */
	bool corpses; /* a dead thread can be looked at in /proc until the next tracer_next */
};

struct tracer;

/* A tracer that traces nobody yet. */
struct tracer *tracer_new(const struct tracer_options *o);
/*
 * Starts the program at path (see program_find) in a child that is traced from its execve on.
 * Returns its pid, or -1 and *e with errno: ENOSYS when there is no ptrace here, EPERM when it is forbidden.
 */
pid_t tracer_launch(struct tracer *t, const char *path, char *const argv[], struct error *e);
/* Follows all threads of a running process (not its children so far).  0, or -1, *e and errno. */
int tracer_attach(struct tracer *t, pid_t pid, struct error *e);
/* 1: *s is the next stop; 0: nobody is left to follow; -1: *e says what went wrong. */
int tracer_next(struct tracer *t, struct stop *s, struct error *e);
/* Lets the tracee of the last stop, which is not its death, go on now, while the caller has more to do. */
void tracer_go_on(struct tracer *t);
/*
 * Lets everybody go on untraced.  This interrupts them, and some calls (epoll_wait) tell their
 * program so by EINTR.  Without .kill it is kinder to exit: the kernel then lets them go unnoticed.
 */
void tracer_detach(struct tracer *t);
/* How many threads are followed. */
size_t tracer_threads(const struct tracer *t);
/* Frees the memory and changes nothing for the tracees.  NULL is fine. */
void tracer_free(struct tracer *t);

#endif
