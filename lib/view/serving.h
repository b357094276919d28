/* SPDX-License-Identifier: MIT */
/*
 * serving.h - for whom a process on another host works: what a thread does after it has read from a
 * connection that its process accepted, up to the next such read, is for the process at the other
 * end, and for those that this one works for.
 *
 * A guess where a thread goes on with what another one read, or between requests of several
 * clients; sure where a process, in all the trace, read requests of the subtree alone.
 */
#ifndef SERVING_H
#define SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/connections.h"
#include "util/map.h"
#include "util/vec.h"
#include "view/processes.h"

/* Zeroed is valid and empty. */
struct serving {
	VEC(struct served {
		uint64_t within; /* calls for the subtree on another host */
		uint64_t others; /* for others */
	})
	processes; /* by number */

	/* Private. */
	struct connections connections;
	struct map threads;   /* what each serves: the direction it has read, plus one */
	struct map writers;   /* process that writes there, plus one; for whom it works by then */
	struct map connected; /* directions that begin where connect was called */
};

/* Begins a trace. */
void serving_begin(struct serving *v);
/*
 * Follows an event of the process of that number (SIZE_MAX: of none), once processes_event() has.
 * True of a call that was made for a process of the subtree of p->roots on another host.
 */
bool serving_event(struct serving *v, const struct processes *p, size_t process,
		   const struct event *e);
/* Whether the thread, of a process outside of the subtree, works for it by now. */
bool serving_works(const struct serving *v, const struct processes *p, size_t process,
		   uint32_t tid);
/* Whether a call reads from a connection that the process has accepted: a request, perhaps. */
bool serving_is_request(const struct serving *v, const struct event *call);
/* Returns the memory. */
void serving_free(struct serving *v);

#endif
