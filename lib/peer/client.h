/* SPDX-License-Identifier: MIT */
/* client.h - how a benchmark reaches an `hbench peer` (server.h) on another machine. */
#ifndef PEER_CLIENT_H
#define PEER_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "handshake.h"
#include "sockets.h"
#include "util/address.h"
#include "util/error.h"

/* Why no peer carries messages of size bytes over such a channel, or NULL. */
const char *client_reason(enum channel_kind kind, uint64_t size);
/* Connects to the peer at this address, which accepts or refuses h->request; *a is its answer.
 * Returns the connection for orders (work.h), or -1 and *e. */
int client_greet(const struct address *at, struct handshake *h, struct answer *a, struct error *e);
/* Opens one of the channels requested, to where the peer accepts connections, and returns its
 * descriptor.  Errors end the program with status 1. */
int client_connect(const struct address *listener, enum channel_kind kind,
		   const struct channel_end *orders, const struct handshake *h);

#endif
