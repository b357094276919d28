/* SPDX-License-Identifier: MIT */
/* program.h - programs, the processes that run them, and children that wait before their exec. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

enum { PROGRAM_NAME_MAX = 256 };

/* The file that execvp(3) would run for name, in fresh memory; NULL and *e when there is none. */
char *program_find(const char *name, struct error *e);

/* The command line of process pid, quoted for sh(1), in fresh memory; "" when it has none. */
char *program_command(pid_t pid);

/* What a process runs. */
struct program {
	char name[PROGRAM_NAME_MAX]; /* by which it was started: of a script or link, for example */
	char file[PROGRAM_NAME_MAX]; /* that runs, without directories; "" when hidden */
};

/* The program of process pid; empty strings when it is gone. */
void program_of(pid_t pid, struct program *p);
/*
 * The default name of a file about process pid, or about command when pid is 0: the program's name
 * without directories and the extension (".ktr").  In fresh memory.
 */
char *program_file(pid_t pid, const char *command, const char *extension);
/* True when one of the names is the program's or its file's. */
bool program_is(const struct program *p, const char *const *names, size_t n);

/*
 * Reads n fields ("PPid") of /proc/TID/status into values: numbers of that base, or else the first
 * character.  Returns how many it found; the other values are unchanged.
 */
int program_status(pid_t tid, const char *const *fields, int base, uint64_t *values, int n);
/*
 * The same for fields of /proc/TID/stat by their numbers in proc(5), which increase and are
 * beyond 2. The recorder reads some at each exec and exit: scanf takes longer than the kernel.
 */
int program_stat(pid_t tid, const int *fields, int64_t *values, int n);

/* What a thread was doing when somebody looked, as far as /proc tells. */
struct program_doing {
	char state;	  /* as ps(1) shows it: R, S, D, T...; 0: unknown */
	unsigned cpu;	  /* that it is on or was on last */
	long call;	  /* the number of the call that it sleeps in, or -1 */
	uint64_t args[6]; /* of the call */
};

/* Stores what thread tid is doing at this moment; what /proc does not tell stays unknown. */
void program_doing(pid_t tid, struct program_doing *d);
/* Whether process pid can make system calls.  0, or -1, *e and errno: it has ended, or is a thread
 * of the kernel. */
int program_is_alive(pid_t pid, struct error *e);
/* Whether process pid runs a program of 32 bits on a kernel of 64. */
bool program_is_narrow(pid_t pid);
/* Whether perf events show nothing of what process pid runs: such a program, or one with rights
 * that we lack (set-user-ID), whose events the kernel takes away. */
bool program_is_foreign(pid_t pid);
/* The threads of process pid into fresh memory, *tids.  Their number, or -1 and errno when it is
 * gone. */
int program_threads(pid_t pid, pid_t **tids);
/* The process of thread tid and that process's parent; 0, or -1 when it is gone. */
int program_parent(pid_t tid, pid_t *pid, pid_t *parent);

/* A child that waits before its execve until it is released, so that it can be traced from there.
 */
struct held_child {
	pid_t pid;
	char *path;
	int release[2]; /* pipe: one byte releases it */
	int failure;	/* pipe: the errno of an execve that failed */
};

/* Raises the limit of open files to n if it is less, but not for children of child_start().  0, or
 * -1, *e (about `who`) and errno. */
int files_allow(size_t n, const char *who, struct error *e);
/*
 * Children started from now on get the signal dispositions and the mask that the caller has at this
 * moment, whatever it catches, ignores or blocks later.  Further calls change nothing.
 */
void child_keep_signals(void);
/* Starts a child for the program at path (see program_find).  0, or -1 and *e. */
int child_start(struct held_child *c, const char *path, char *const argv[], struct error *e);
/* Lets it call execve.  Without this it ends when the caller does. */
void child_release(struct held_child *c);
/* Whether the execve of a dead child failed: 0, or -1 and *e. */
int child_failed(const struct held_child *c, struct error *e);
/* Frees all but the process. */
void child_close(struct held_child *c);

#endif
