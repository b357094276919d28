/* SPDX-License-Identifier: MIT */
/* child.h - a child process that waits before its exec until it is released, so that it can be traced from there. */
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>

#include "util/error.h"

struct held_child {
	pid_t pid;
	int release[2]; /* pipe: one byte releases it */
	int failure;	/* pipe: the errno of an execve that failed */
};

/*
 * Children started from now on get the signal dispositions that the caller has at this moment, whatever it catches or
 * ignores later.  Further calls change nothing.
 */
void child_keep_signals(void);
/* Starts a child for the program at path (see program_find).  0, or -1 and *e. */
int child_start(struct held_child *c, const char *path, char *const argv[], struct error *e);
/* Lets it call execve.  Without this it ends when the caller does. */
void child_release(struct held_child *c);
/* The errno of the execve of a dead child, or 0 when that succeeded. */
int child_failure(const struct held_child *c);
/* Closes the pipes. */
void child_close(struct held_child *c);
/* The message for a value of child_failure. */
const char *child_failure_text(int failure);

#endif
