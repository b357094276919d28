/* SPDX-License-Identifier: MIT */
/* child.h - children that wait before their execve, so that a recorder can get ready for them. */
#ifndef RECORD_CHILD_H
#define RECORD_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#include "util/error.h"

/* A child that waits before its execve until it is released, so that it can be traced from there.
 */
struct held_child {
	pid_t pid;
	char *path;
	int release[2]; /* pipe: one byte releases it */
	int failure;	/* pipe: the errno of an execve that failed */
};

/* Raises the limit of open files to n if it is lower, but not for children of child_start().
 * Returns 0, or -1 and sets *e, which names `who` needs them, and errno. */
int files_allow(size_t n, const char *who, struct error *e);
/*
 * Keeps the signal dispositions and mask of this moment for the children that are started from now
 * on, whatever the caller catches, ignores or blocks later.  Further calls change nothing.
 */
void child_keep_signals(void);
/* Starts a child that will run the program at path (see program_find()) once it is released.
 * Returns 0, or -1 and sets *e. */
int child_start(struct held_child *c, const char *path, char *const argv[], struct error *e);
/* Lets the child call execve.  A child that is not released ends when the caller does. */
void child_release(struct held_child *c);
/* Returns 0 if the execve of a child that has ended succeeded, or -1 and sets *e. */
int child_failed(const struct held_child *c, struct error *e);
/* Frees everything; the process goes on. */
void child_close(struct held_child *c);

#endif
