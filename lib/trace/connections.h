/* SPDX-License-Identifier: MIT */
/*
 * connections.h - the connections of traces: which socket is which end, and which calls move bytes.
 *
 * A direction is the way of bytes from one address to another: what is written into it at one end
 * is read out of it at the other, which may be in another trace.
 */
#ifndef CONNECTIONS_H
#define CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"
#include "util/map.h"

/* Zeroed is valid and empty. */
struct connections {
	/* "192.0.2.1:5000->192.0.2.7:80", behind "udp " where it is of datagrams; the way back is
	 * next to it. */
	struct names directions;
	struct map objects;   /* of the trace at hand: the way from here, plus one */
	struct map datagrams; /* objects of the trace at hand that are sockets of UDP */
};

enum { ADDRESS_MAX = 64 }; /* bytes of an address in text */

/* "192.0.2.1:80" or "[2001:db8::1]:80" into out, which is returned; IPv4 in IPv6 as IPv4. */
const char *address_format(const struct address *a, char out[ADDRESS_MAX]);

/* The ends that a name has, such as "TCP:[a:1->b:2]", "UNIX:[7->8,\"path\"]" or "unix:#1->#2", in
 * fresh memory; false: it has none. */
bool connection_ends(const char *name, char **here, char **there);

/* Begins a trace, whose objects are new. */
void connections_begin(struct connections *c);
/* Follows FD events, whose names may have addresses (strace -yy), and ADDRESS events. */
void connections_event(struct connections *c, const struct event *e);
/* The direction of what is written to that object; SIZE_MAX: it is no end of a connection. */
size_t connections_from(const struct connections *c, uint32_t object);

/* The other direction of the same connection. */
static inline size_t connections_back(size_t direction)
{
	return direction ^ 1;
}

/* Returns the memory. */
void connections_free(struct connections *c);

enum transfer {
	TRANSFER_NONE,
	TRANSFER_WRITES, /* its result is the number of bytes, here and below */
	TRANSFER_READS,
	TRANSFER_UNKNOWN, /* it may have moved bytes, nobody knows how many */
};

/* What a call, or an operation of io_uring as syscall_of_uring() gives it, does with the bytes of
 * the object that it works on. */
enum transfer transfer_of(const struct event *call);
/* The same for datagrams of UDP, of which it moves *n. */
enum transfer transfer_of_datagrams(const struct event *call, uint64_t *n);

#endif
