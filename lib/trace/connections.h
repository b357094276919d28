/* SPDX-License-Identifier: MIT */
/*
 * connections.h - finds the connections in traces: which socket is which end, and which calls move
 * bytes.
 *
 * A direction is the way of bytes from one address to another: what is written into it at one end
 * is read out of it at the other, which may be in another trace.
 */
#ifndef TRACE_CONNECTIONS_H
#define TRACE_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"
#include "util/map.h"

/* A zeroed struct is valid and empty. */
struct connections {
	/* "192.0.2.1:5000->192.0.2.7:80", with "udp " in front for datagrams.  The two directions
	 * of a connection are neighbours; see connections_back(). */
	struct names directions;
	struct map objects;   /* of this trace: object -> direction of what it sends, plus one */
	struct map datagrams; /* objects of this trace that are sockets of UDP: datagrams_learn() */
};

enum { ADDRESS_MAX = 64 }; /* bytes of an address in text */

/* Formats an address as "192.0.2.1:80" or "[2001:db8::1]:80", and IPv4 in IPv6 as IPv4.  Returns
 * out.
 */
const char *address_format(const struct address *a, char out[ADDRESS_MAX]);

/* Notes in a map of datagram sockets whether the object of an EVENT_FD is one. */
void datagrams_learn(struct map *datagrams, const struct event *fd);
/* Returns the kind of an object that has addresses: FD_UDP if it is in that map, else FD_TCP. */
enum fd_kind connection_kind(const struct map *datagrams, uint32_t object);
/* Returns the name of the connection that an EVENT_ADDRESS tells, as of a descriptor:
 * "tcp:[192.0.2.1:5000->192.0.2.7:80]"; the caller frees it.  NULL: one of its ends is unknown. */
char *connection_name(enum fd_kind kind, const struct event *address);
/* Stores the two ends that the name of a descriptor says, such as "TCP:[a:1->b:2]",
 * "UNIX:[7->8,\"path\"]" or "unix:#1->#2"; the caller frees them.  Returns false and stores nothing
 * if it says none. */
bool connection_ends(const char *name, char **here, char **there);

/* Begins a trace: the objects of the one before are forgotten, the directions stay. */
void connections_begin(struct connections *c);
/* Learns from FD events, whose names may have addresses (strace -yy), and ADDRESS events. */
void connections_event(struct connections *c, const struct event *e);
/* Returns the direction of what is written to that object, or SIZE_MAX if it is no end of a
 * connection. */
size_t connections_from(const struct connections *c, uint32_t object);

/* Returns the other direction of the same connection. */
static inline size_t connections_back(size_t direction)
{
	return direction ^ 1;
}

/* Frees everything. */
void connections_free(struct connections *c);

/* Returns what a call, or an operation of io_uring as syscall_of_uring() returns it, does with the
 * bytes of the object that it works on. */
enum transfer transfer_of(const struct event *call);
/* Returns the same for datagrams of UDP, and stores how many the call moves in *n. */
enum transfer transfer_of_datagrams(const struct event *call, uint64_t *n);

#endif
