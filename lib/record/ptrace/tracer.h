/* SPDX-License-Identifier: MIT */
/*
 * tracer.h - follows processes with ptrace(2): creation, programs, system calls, signals, deaths.
 *
 * Every process and thread that a followed one creates is followed, too.  Signals reach the tracees
 * unchanged, and stopped jobs stay stopped.  All these functions must be called from one thread.
 */
#ifndef PTRACE_TRACER_H
#define PTRACE_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/event.h"
#include "trace/syscalls.h"
#include "util/error.h"

/* The system call at whose entry or exit a thread has stopped. */
struct callstop {
	bool begins;
	enum abi abi; /* at entry, like number and args; ABIS: unknown */
	uint32_t number;
	uint64_t args[6];
	int64_t result;	 /* at exit: minus the error number when the call failed */
	uint64_t ip, sp; /* equal those of the first entry when the kernel restarts the call */
};

/* One thread.  The caller may change calls and stops while it is stopped. */
struct tracee {
	pid_t pid, tid;
	bool calls;	/* stops at system calls; children inherit it */
	uint64_t stops; /* so far; each caused a voluntary context switch of the thread */
	bool inside;	/* its stops say that it is in a system call */
	bool seen;	/* its first stop was reported */
	bool launching; /* still runs our own code, before its first exec */
	bool ending;	/* has stopped for the last time */
};

enum stop_kind {
	STOP_WOKEN,  /* no tracee stopped; the caller received a signal, and tracee is NULL */
	STOP_FIRST,  /* the first stop of a thread that was launched or attached to */
	STOP_CALL,   /* a system call begins */
	STOP_RETURN, /* a system call is over */
	STOP_BIRTH,  /* the tracee has created a process or thread, which has not run yet */
	STOP_EXEC,   /* the tracee has a new program and is its process's only thread */
	STOP_SIGNAL, /* a signal is about to be delivered */
	STOP_PAUSE,  /* job control has stopped the thread; SIGCONT will wake it */
	STOP_END,    /* the thread is about to end, of itself or killed; only with option `calls` */
	STOP_DEATH,  /* the thread has ended */
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
			struct tracee *former; /* thread that made the call and takes over tracee's
						  number; or NULL */
		} exec;
		struct {
			int number;
		} signal; /* of SIGNAL and PAUSE */
		struct {
			bool last; /* of the threads of its process to come here */
		} end;
		struct {
			int status; /* of wait(2) */
			bool last;  /* thread of its process */
		} death;
	};
};

struct tracer_options {
	bool calls; /* stop at system calls from the start */
	bool kill; /* the tracees die when the caller is killed; otherwise they continue untraced */
	bool corpses; /* a dead thread stays in /proc until the next tracer_next() */
};

struct tracer;

/* Returns a tracer without tracees.  Free it with tracer_free(). */
struct tracer *tracer_new(const struct tracer_options *o);
/*
 * Starts the program at path (see program_find()) in a child that is traced from its execve on.
 * Returns the process ID of the child, or -1 and sets *e and errno: ENOSYS if this kernel has no
 * ptrace, EPERM if it is forbidden.
 */
pid_t tracer_launch(struct tracer *t, const char *path, char *const argv[], struct error *e);
/* Follows all threads of a running process, but not the children that it already has.  Returns 0,
 * or -1 and sets *e and errno. */
int tracer_attach(struct tracer *t, pid_t pid, struct error *e);
/* Continues the tracee of the last stop and waits for the next stop.  Returns 1 and stores that in
 * *s, which is valid until the next call; 0 if no tracee is left; or -1 and sets *e, and s->kind to
 * STOP_DEATH if the program that was launched could not be started. */
int tracer_next(struct tracer *t, struct stop *s, struct error *e);
/* Continues the tracee of the last stop at once, if the caller has more to do.  Does nothing after
 * STOP_DEATH. */
void tracer_go_on(struct tracer *t);
/*
 * Lets all tracees continue untraced.  This interrupts them, and some calls (epoll_wait) then
 * return EINTR to the program.  Unless the option `kill` is set it is better to exit: the kernel
 * then detaches from them unnoticed.
 */
void tracer_detach(struct tracer *t);
/* Returns the number of threads that are followed. */
size_t tracer_threads(const struct tracer *t);
/* Frees t, without any effect on the tracees.  NULL is fine. */
void tracer_free(struct tracer *t);

/* refusal.c */

/* Returns -1 and sets *e to the reason why PTRACE_SEIZE of pid, a child of ours or not, failed;
 * preserves errno. */
int ptrace_error(pid_t pid, bool ours, struct error *e);

/* callstop.c */

/*
 * Reads at which call thread tid has stopped, by PTRACE_GET_SYSCALL_INFO or, where that is missing
 * (Linux before 5.3, gVisor, user-mode Linux), from the registers of x86-64 and arm64.  These do
 * not show whether it is an entry or an exit, so `inside` says whether the stop before was an
 * entry. Returns 1; 0 if this is not the stop of a system call; or -1 and sets errno: ESRCH if the
 * thread was killed.
 */
int callstop_read(pid_t tid, bool inside, struct callstop *c);

enum { CALLARGS_PATH_SIZE = 4096 };

/*
 * Sets the arguments of the call that stopped thread tid begins, whose id is in *e, and its path,
 * which is read into `path`; unset if it cannot be read.
 */
void callargs_begin(pid_t tid, const uint64_t args[6], struct event *e,
		    char path[CALLARGS_PATH_SIZE]);
/*
 * Adds to a call that has returned the descriptors that pipe or socketpair left in memory.  Returns
 * false if these or the path of the call could not be read.
 */
bool callargs_end(pid_t tid, struct event *e);
/* Copies the n bytes at `address` in the memory of stopped thread tid to out.  Returns false unless
 * all of them can be read. */
bool peek(pid_t tid, uint64_t address, void *out, size_t n);

#endif
