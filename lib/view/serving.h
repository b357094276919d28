/* SPDX-License-Identifier: MIT */
/*
 * serving.h - guesses for whom a server works.  What a thread does between two reads from
 * connections that its process accepted is done for the process at the other end of the first, and
 * for those that this one works for.
 *
 * The guess may be wrong if a thread continues with what another thread read, or between the
 * requests of several clients.  It is certain if a process reads requests of the subtree only, in
 * the whole trace.
 */
#ifndef VIEW_SERVING_H
#define VIEW_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/connections.h"
#include "util/map.h"
#include "util/vec.h"
#include "view/processes.h"

/* A zeroed struct is valid and empty. */
struct serving {
	VEC(struct served {
		uint64_t within; /* calls for the subtree on another host */
		uint64_t others; /* calls for others */
	})
	processes; /* by number */

	/* Private: */
	struct connections connections;
	struct map threads;   /* by thread ID: the direction that it has read, plus one */
	struct map writers;   /* by direction: the writing process plus one; FOR_SUBTREE */
	struct map connected; /* directions that begin where connect was called */
};

/* Begins a trace. */
void serving_begin(struct serving *v);
/*
 * Processes an event of the process with that number (SIZE_MAX: none), after processes_event().
 * Returns true for a call made on behalf of a process in the subtree of p->roots on another host.
 */
bool serving_event(struct serving *v, const struct processes *p, size_t process,
		   const struct event *e);
/* Returns whether a thread of a process outside of the subtree works for the subtree now. */
bool serving_works(const struct serving *v, const struct processes *p, size_t process,
		   uint32_t tid);
/* Returns whether a call reads from a connection that the process accepted; it may be a request. */
bool serving_is_request(const struct serving *v, const struct event *call);
/* Frees everything. */
void serving_free(struct serving *v);

#endif
