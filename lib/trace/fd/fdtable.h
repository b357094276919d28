/* SPDX-License-Identifier: MIT */
/*
 * fdtable.h - which object stands behind each descriptor of each process.
 *
 * Fed with the events of a trace in order, it follows open, socket, pipe, accept, dup, close,
 * fork, exec, exit and the rest, and adds to every call the open file description that it worked
 * on. Object numbers start at 1 and are used again when the last descriptor is gone, so that memory
 * depends on the descriptors open at one time; an EVENT_FD gives the meaning of a number from
 * then on.
 */
#ifndef FDTABLE_H
#define FDTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/os.h"

struct fdtable;

/*
 * Called for a descriptor whose object was not seen when it was made (inherited, received) or is a
 * guess (opened by path).  *kind holds the guess and *name the path or NULL; both may be replaced,
 * *name by a string that lives until the next call.
 */
typedef void fdtable_resolve(void *arg, uint32_t pid, int fd, enum fd_kind *kind,
			     const char **name);

/* An empty table for calls of that system and ABI; resolve may be NULL. */
struct fdtable *fdtable_new(const struct os *os, enum abi abi, fdtable_resolve *resolve, void *arg);
/* The calls to come are of that ABI. */
void fdtable_set_abi(struct fdtable *t, enum abi abi);
/*
 * Follows one event.  A finished EVENT_SYSCALL gets its call.kind and call.object: of the
 * descriptor it works on or, for one that makes a descriptor out of nothing, of the new one.
 * EVENT_FORK hands the parent's descriptors on, EVENT_EXEC closes some, EVENT_EXIT of the last
 * thread all; other events pass.  A clone or execve call itself changes nothing: the FORK or EXEC
 * event does.
 */
void fdtable_event(struct fdtable *t, struct event *e);
/* Says that fd of process pid is of that kind and name (NULL: nameless), as a source knows it. */
void fdtable_set(struct fdtable *t, uint32_t pid, int fd, enum fd_kind kind, const char *name);
/* The object behind fd of process pid, and its kind; 0 (and FD_UNKNOWN) when it is not known. */
uint32_t fdtable_find(struct fdtable *t, uint32_t pid, int fd, enum fd_kind *kind);
/*
 * The next EVENT_FD that results from the last event; false: no more.  To be called after each
 * event until it is false, and stored before that event.  The name lives until the next event.
 */
bool fdtable_next(struct fdtable *t, struct event *out);
/* NULL is fine. */
void fdtable_free(struct fdtable *t);

#endif
