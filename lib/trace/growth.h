/* SPDX-License-Identifier: MIT */
/*
 * growth.h - which calls of a trace make a file longer, or sync one that became longer.
 *
 * A byte that a file did not have yet costs a page, a block and, at the next sync, a journal entry for
 * the new size; one that is overwritten costs none of them.  A file counts as empty when the trace
 * first sees it: the first pass over a file that was there before looks like growth, later ones do not.
 */
#ifndef GROWTH_H
#define GROWTH_H

#include <stdbool.h>

#include "trace/event.h"
#include "util/map.h"

/* Zeroed is valid: no file was seen. */
struct growth {
	struct map files; /* open file description -> struct file * */
};

/* Takes each event in its order: does this call write behind the end of its file, or sync a file that
 * was written there since its last sync? */
bool growth_event(struct growth *g, const struct event *e);
/* Forgets all files and returns their memory. */
void growth_free(struct growth *g);

#endif
