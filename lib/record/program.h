/* SPDX-License-Identifier: MIT */
/* program.h - finds programs, and reads what /proc says of the processes that run them. */
#ifndef RECORD_PROGRAM_H
#define RECORD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

enum { PROGRAM_NAME_MAX = 256 };

/* Returns the path of the file that execvp(3) would run for `name`, which the caller frees.  If
 * there is none, returns NULL and sets *e. */
char *program_find(const char *name, struct error *e);

/* Returns the command line of process pid, quoted for sh(1) and "" if it has none.  The caller
 * frees it. */
char *program_command(pid_t pid);

/* What a process runs. */
struct program {
	char name[PROGRAM_NAME_MAX]; /* by which it was started: of a script or link, for example */
	char file[PROGRAM_NAME_MAX]; /* that runs, without directories; "" when hidden */
};

/* Stores the program that process pid runs; empty strings if the process is gone. */
void program_of(pid_t pid, struct program *p);
/*
 * Returns the default name of a file about process pid, or about `command` if pid is 0: the name of
 * the program without directories, followed by the extension (".ktr").  The caller frees it.
 */
char *program_file(pid_t pid, const char *command, const char *extension);
/* Returns whether one of names[n] is that of the program or of its file. */
bool program_is(const struct program *p, const char *const *names, size_t n);

/*
 * Reads n fields ("PPid") of /proc/TID/status into values: the number, which is written in that
 * base, or else the first character.  Returns how many fields it found; the values of the others
 * are unchanged.
 */
int program_status(pid_t tid, const char *const *fields, int base, uint64_t *values, int n);
/*
 * Reads n fields of /proc/TID/stat in the same way, by their numbers in proc(5), which must
 * increase and be above 2.  The recorder reads some at each exec and exit, and scanf takes longer
 * than the kernel.
 */
int program_stat(pid_t tid, const int *fields, int64_t *values, int n);

/* What a thread was doing when somebody looked, as far as /proc tells. */
struct program_doing {
	char state;	  /* as ps(1) shows it: R, S, D, T...; 0: unknown */
	unsigned cpu;	  /* that it is on or was on last */
	long call;	  /* the number of the call that it sleeps in, or -1 */
	uint64_t args[6]; /* of the call */
};

/* Stores what thread tid is doing at this moment.  What /proc does not tell is unknown in *d. */
void program_doing(pid_t tid, struct program_doing *d);
/* Returns 0 if process pid can make system calls.  If it has ended or is a thread of the kernel,
 * returns -1 and sets *e and errno. */
int program_is_alive(pid_t pid, struct error *e);
/* Returns whether process pid runs a 32-bit program on a 64-bit kernel. */
bool program_is_narrow(pid_t pid);
/* Returns whether perf events do not show what process pid does: it runs a 32-bit program, or one
 * with rights that we lack (set-user-ID), whose events the kernel takes away.  Of a process that
 * has ended this is not known, and false is returned unless it ran as a user whom we may not look
 * at. */
bool program_is_foreign(pid_t pid);
/* Stores the IDs of all threads of process pid in *tids, which the caller frees.  Returns their
 * number, or -1 and sets errno if the process is gone. */
int program_threads(pid_t pid, pid_t **tids);
/* Stores the process of thread tid and the parent of that process.  Returns 0, or -1 if the thread
 * is gone. */
int program_parent(pid_t tid, pid_t *pid, pid_t *parent);

#endif
