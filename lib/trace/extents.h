/* SPDX-License-Identifier: MIT */
/*
 * extents.h - which bytes of which file a call reads or writes, and which calls write behind its
 * end, or sync a file that was written there.
 *
 * Calls without an offset go on where the last one on the same open file ended, and those on a file
 * that was opened for appending where the file ends.  The length of a file before the trace is
 * unknown: it counts as empty when it is first seen.  What goes through memory that a file is
 * mapped to is no call.
 *
 * Appended bytes need a page and a block, and the next sync has to write the new size to the
 * journal; overwritten bytes need none of these, so the two have different costs.  As every file
 * counts as empty at first, the first pass over an existing one looks like appending, later ones do
 * not.
 */
#ifndef EXTENTS_H
#define EXTENTS_H

#include <stdbool.h>

#include "trace/event.h"
#include "util/map.h"

/* Zeroed is valid: no file has been seen. */
struct extents {
	struct names files; /* by path */
	struct map objects; /* private: object -> struct open_file * */
	struct map ends;    /* private: number of a file -> its end */
};

struct extent {
	size_t file; /* in extents.files; SIZE_MAX: without a name */
	uint64_t from, until;
	bool writes, appends; /* behind the last byte that was written by way of the object */
};

/* To be called with every event, in order.  True: e is a finished call that moved those bytes. */
bool extents_event(struct extents *x, const struct event *e, struct extent *out);
/*
 * Instead of extents_event(), for a caller that needs this alone: true if e writes behind the last
 * byte of a file, or syncs one that was written there since its last sync.
 */
bool extents_appends(struct extents *x, const struct event *e);
/* Forgets all files and frees them. */
void extents_free(struct extents *x);

#endif
