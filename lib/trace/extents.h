/* SPDX-License-Identifier: MIT */
/*
 * extents.h - which bytes of which file a call reads or writes.
 *
 * Calls without an offset go on where the last one on the same open file ended, and those on a file
 * that was opened for appending where the file ends.  The length of a file before the trace is
 * unknown: it counts as empty when it is first seen.  What goes through memory that a file is
 * mapped to is no call.
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
	bool writes;
};

/* To be called with every event, in order.  True: e is a finished call that moved those bytes. */
bool extents_event(struct extents *x, const struct event *e, struct extent *out);
/* Forgets all files and frees them. */
void extents_free(struct extents *x);

#endif
