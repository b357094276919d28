/* SPDX-License-Identifier: MIT */
/* events.h - for the fuzz targets of trace readers: reads all that a reader gives. */
#ifndef FUZZ_EVENTS_H
#define FUZZ_EVENTS_H

#include <stdlib.h>
#include <string.h>

#include "trace/source.h"

static inline size_t length(const char *s)
{
	return s ? strlen(s) : 0;
}

/* Reads every string of an event, so that a sanitizer finds bad pointers. */
static inline size_t touch(const struct event *e)
{
	if (e->type == EVENT_SYSCALL)
		return length(e->call.path) + length(e->call.text) + length(syscall_variant(e));
	return e->type == EVENT_EXEC   ? length(e->exec.command)
	       : e->type == EVENT_FD   ? length(e->fd.name)
	       : e->type == EVENT_COMM ? length(e->comm.name)
				       : 0;
}

/* Reads s to its end, with at most that many events. */
static inline void touch_all(struct source *s, size_t most)
{
	struct event e;
	size_t seen = 0, events = 0;

	while (source_next(s, &e, NULL) == 1) {
		seen += touch(&e);
		if (events++ > most)
			abort();
	}
	if (seen == SIZE_MAX)
		abort();
}

#endif
