/* SPDX-License-Identifier: MIT */
/*
 * fdtable.h - keeps track of the object behind each descriptor of each process.
 *
 * From the events of a trace, in order, it follows open, socket, pipe, accept, dup, close, fork,
 * exec, exit and the rest, and adds to every call the object (open file description) that it worked
 * on.  Objects are numbered from 1, and a number is used again when the last descriptor of its
 * object is closed, so that memory depends on the descriptors open at one time.  An EVENT_FD says
 * what a number means from then on.
 */
#ifndef FD_FDTABLE_H
#define FD_FDTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/os.h"

struct fdtable;

/*
 * Finds out what a descriptor refers to whose object was made unseen (inherited, received) or is a
 * guess (opened by path).  *kind holds the guess and *name the path or NULL.  Both may be replaced,
 * *name by a string that lives until the next call.
 */
typedef void fdtable_resolve(void *arg, uint32_t pid, int fd, enum fd_kind *kind,
			     const char **name);

/* Returns an empty table for calls of that system and ABI.  resolve may be NULL.  Free the table
 * with fdtable_free(). */
struct fdtable *fdtable_new(const struct os *os, enum abi abi, fdtable_resolve *resolve, void *arg);
/* Sets the ABI of the calls to come. */
void fdtable_set_abi(struct fdtable *t, enum abi abi);
/*
 * Processes an event.  Sets call.kind and call.object of a finished EVENT_SYSCALL: those of the
 * descriptor that it works on or, if it makes a descriptor from nothing, of the new one. EVENT_FORK
 * copies the descriptors of the parent, EVENT_EXEC closes some, EVENT_EXIT of the last thread
 * closes all; other events change nothing.  Neither does a call of clone or execve: the FORK or
 * EXEC event does.
 */
void fdtable_event(struct fdtable *t, struct event *e);
/* Sets kind and name (NULL: none) of descriptor fd of process pid, as the source knows them. */
void fdtable_set(struct fdtable *t, uint32_t pid, int fd, enum fd_kind kind, const char *name);
/* Returns the object behind descriptor fd of process pid and stores its kind; 0 and FD_UNKNOWN if
 * it is not known. */
uint32_t fdtable_find(struct fdtable *t, uint32_t pid, int fd, enum fd_kind *kind);
/*
 * Stores in *out the next EVENT_FD that results from the last event, or returns false if there is
 * no more.  Call it after each event until it returns false, and store what it gives before that
 * event. The name lives until the next event.
 */
bool fdtable_next(struct fdtable *t, struct event *out);
/* Frees t.  NULL is fine. */
void fdtable_free(struct fdtable *t);

#endif
