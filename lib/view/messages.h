/* SPDX-License-Identifier: MIT */
/*
 * messages.h - what the hosts of several traces sent each other over connections, found by
 * addresses and positions in the stream of bytes, without any capture of packets.
 *
 * The call that read the byte at some position ended after the call that wrote it had begun.  That
 * holds if all that was written is seen; so a connection counts from its beginning to the first
 * place where its trace lacks something.
 *
 * Of UDP, sockets that are connected at both ends count, and their datagrams: when one has received
 * n, the other has begun to send its nth, whatever was lost or came in another order.  Which
 * datagram it was need not be known, only that none came twice.
 */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/connections.h"
#include "util/map.h"
#include "util/vec.h"

struct message {
	uint32_t from, to;	/* traces */
	int64_t sent, received; /* ns, each of its own trace: no later than, no earlier than */
};

/* Zeroed is valid and empty. */
struct messages {
	VEC(struct message) list; /* set by messages_match() */
	/* Directions of connections between two traces that gave none: they began before the
	 * recording, the same addresses are in several traces, or more was read than written (by
	 * io_uring, splice). */
	uint64_t unusable;

	/* Private. */
	struct connections connections;
	VEC(struct flow) flows;
	struct map chains;  /* the first flow plus one, by direction and role */
	struct map latest;  /* the last one of them */
	struct map sockets; /* objects of the trace at hand: made in it, and not connected yet */
	uint32_t trace;
	size_t open;	/* the first flow of the trace that may go on */
	size_t unnamed; /* direction, plus one, of an object that an accept may have made */
};

/* Begins the trace of that number. */
void messages_begin(struct messages *m, uint32_t trace);
/* Follows all events of it. */
void messages_event(struct messages *m, const struct event *e);
/* Puts all traces together, once they are read. */
void messages_match(struct messages *m);
/* Returns the memory. */
void messages_free(struct messages *m);

#endif
