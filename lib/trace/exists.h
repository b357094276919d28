/* SPDX-License-Identifier: MIT */
/*
 * exists.h - tells which calls with O_CREAT open a file that exists already.
 *
 * Creating a file takes several times as long as opening it, and programs that append to a log say
 * O_CREAT each time.  A file is known to exist when a call with its path has succeeded, as long as
 * no later call has removed or renamed it.  Files of different directories with the same relative
 * path count as one.
 */
#ifndef TRACE_EXISTS_H
#define TRACE_EXISTS_H

#include <stdbool.h>

#include "trace/event.h"
#include "util/map.h"

/* A zeroed struct is valid: no file is known to exist. */
struct exists {
	struct map paths; /* hash -> 1 */
};

/*
 * Processes an event; call it with all of them, in order.  Returns whether e is a finished call
 * with O_CREAT, without O_TRUNC and with an object, that opens a file which is known to exist.
 */
bool exists_event(struct exists *x, const struct event *e);
/* Forgets and frees everything. */
void exists_free(struct exists *x);

#endif
