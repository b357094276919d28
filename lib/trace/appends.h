/* SPDX-License-Identifier: MIT */
/*
 * appends.h - which calls write behind the end of their file, or sync a file that was written
 * there.
 *
 * Appended bytes need a page and a block, and the next sync has to write the new size to the
 * journal; overwritten bytes need none of these, so the two have different costs.  The length of a
 * file before the trace is unknown, so every file counts as empty when it is first seen: the first
 * pass over an existing file looks like appending, later passes do not.
 */
#ifndef APPENDS_H
#define APPENDS_H

#include <stdbool.h>

#include "trace/extents.h"

/* Zeroed is valid: no file has been seen. */
struct appends {
	struct map files; /* object -> struct file * */
	struct extents extents;
};

/*
 * To be called with every event, in order.  True if e is a finished call on a file that either
 * writes behind its last byte, or syncs a file that was written there since its last sync.
 */
bool appends_event(struct appends *a, const struct event *e);
/* Forgets all files and frees them. */
void appends_free(struct appends *a);

#endif
