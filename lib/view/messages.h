/* SPDX-License-Identifier: MIT */
/*
 * messages.h - finds the messages that the hosts of several traces sent each other over
 * connections, by addresses and positions in the byte stream, without capturing packets.
 *
 * The call that read the byte at some position ended after the call that wrote that byte began.
 * This holds if all writes were seen; so a connection is used from its beginning to the first gap
 * in its trace.
 *
 * UDP sockets are used if both ends are connected: when one end has received n datagrams, the other
 * has begun to send its n-th, whatever was lost or reordered; only duplicated datagrams would break
 * this.
 */
#ifndef VIEW_MESSAGES_H
#define VIEW_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/connections.h"
#include "util/map.h"
#include "util/vec.h"

struct message {
	uint32_t from, to; /* traces */
	int64_t sent,
	    received; /* ns of their own traces: sent at the earliest, received at the latest */
};

/* A zeroed struct is valid and empty. */
struct messages {
	VEC(struct message) list; /* filled by messages_match() */
	/*
	 * Directions of connections between two traces that gave no messages: they began before the
	 * recording, several traces have the same addresses, or more was read than written
	 * (io_uring, splice).
	 */
	uint64_t unusable;

	/* Private: */
	struct connections connections;
	VEC(struct flow) flows;
	struct map chains;  /* by direction and role: first flow plus one */
	struct map latest;  /* by direction and role: last flow plus one */
	struct map sockets; /* objects created in this trace and not connected yet */
	uint32_t trace;
	size_t open;	/* first flow of the trace that may still be open */
	size_t unnamed; /* direction, plus one, of an object that accept may have created */
};

/* Begins the trace of that number. */
void messages_begin(struct messages *m, uint32_t trace);
/* Processes an event; all events of the trace must be passed. */
void messages_event(struct messages *m, const struct event *e);
/* Matches writes and reads after all traces were read. */
void messages_match(struct messages *m);
/* Frees everything. */
void messages_free(struct messages *m);

#endif
