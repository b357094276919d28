/* SPDX-License-Identifier: MIT */
/*
 * extents.h - tells which bytes of which file a call reads or writes, which calls append to a file
 * or sync one that was appended to, and which writes are synced, as the file was opened so.
 *
 * Calls without an offset go on where the last one on the same open file ended, and those on a file
 * that was opened for appending where the file ends.  The length of a file before the trace is
 * unknown: it counts as empty when it is first seen.  What goes through memory that a file is
 * mapped to is no call, and is not seen.
 *
 * Appended bytes need a page and a block, and the next sync has to write the new size to the
 * journal; overwritten bytes need none of these, so the two have different costs.  As every file
 * counts as empty at first, the first pass over an existing one looks like appending, later ones do
 * not.
 */
#ifndef TRACE_EXTENTS_H
#define TRACE_EXTENTS_H

#include <stdbool.h>

#include "trace/event.h"
#include "util/map.h"

/* A zeroed struct is valid: no file has been seen. */
struct extents {
	struct names files; /* by path */
	struct map objects; /* private: object -> struct open_file * */
	struct map ends;    /* private: number of a file -> its end */
};

struct extent {
	size_t file; /* its number in extents.files; SIZE_MAX: it has no name */
	uint64_t from, until;
	bool writes, appends, /* beyond the last byte that was written through the object */
	    synced; /* the call returns when the bytes are on the device: O_DSYNC, O_SYNC */
};

/* Processes an event; call it with all of them, in order.  If e is a finished call that moved bytes
 * of a file, returns true and stores in *out which. */
bool extents_event(struct extents *x, const struct event *e, struct extent *out);
/*
 * Processes an event, in place of extents_event() for callers that need only this.  Returns
 * CALL_APPENDS if e writes beyond the last byte of a file, or syncs a file where this happened
 * since its last sync, and CALL_SYNCED if it writes to a file whose writes are synced.
 */
unsigned extents_flags(struct extents *x, const struct event *e);
/* Forgets all files and frees them. */
void extents_free(struct extents *x);

#endif
