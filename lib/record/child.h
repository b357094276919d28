/* SPDX-License-Identifier: MIT */
/* child.h - a child process that waits for leave to become its program, so that it can be watched from there. */
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>

#include "util/error.h"

struct child {
	pid_t pid;
	int leave[2]; /* pipe: given by one byte */
	int failure;  /* pipe: the errno of an execve that failed */
};

/*
 * Children get from now on what signals do to the caller at this moment, whatever it catches or ignores
 * later.  Further calls change nothing.
 */
void child_keep_signals(void);
/* Starts a child for the program at path (see program_find).  0, or -1 and *e. */
int child_start(struct child *c, const char *path, char *const argv[], struct error *e);
/* Lets it call execve.  Without this it ends when the caller does. */
void child_release(struct child *c);
/* Of a child that is dead: the errno of its execve, or 0 when that worked. */
int child_failure(const struct child *c);
/* Closes the pipes. */
void child_close(struct child *c);
/* The meaning of what child_failure returned. */
const char *child_failure_text(int failure);

#endif
