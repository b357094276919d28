/* SPDX-License-Identifier: MIT */
/*
 * exists.h - which calls open a file that was there before, though they would have made it.
 *
 * Creating a file takes several times as long as opening it, and programs that append to a log say
 * O_CREAT each time.  A file is known to be there when a call with its path has succeeded, as long
 * as no later call has removed or renamed it; that of another directory with the same relative path
 * counts as the same.
 */
#ifndef EXISTS_H
#define EXISTS_H

#include <stdbool.h>

#include "trace/event.h"
#include "util/map.h"

/* Zeroed is valid: nothing is known. */
struct exists {
	struct map paths; /* hash -> 1 */
};

/*
 * To be called with every event, in order.  True if e is a finished call with O_CREAT, without
 * O_TRUNC, of a file that is known to be there; a call without an object is none.
 */
bool exists_event(struct exists *x, const struct event *e);
/* Returns the memory; nothing is known any more. */
void exists_free(struct exists *x);

#endif
