/* SPDX-License-Identifier: MIT */
/* remote.h - a benchmark's side of `hbench peer`, a peer on another machine (--peer). */
#ifndef REMOTE_H
#define REMOTE_H

#include <stddef.h>
#include <stdint.h>

#include "handshake.h"
#include "sockets.h"
#include "util/address.h"

/* Connects to a peer, which takes or refuses h->request; *a is what it says of itself.  The
 * descriptor of the connection, or -1 and *e. */
int remote_greet(const struct address *peer, struct handshake *h, struct answer *a,
		 struct error *e);
/* Why no such messages can be sent to another machine, or NULL. */
const char *remote_reason(enum channel_kind kind, uint64_t size);
/* Begins the session of this process with the peer that --peer names, which opens n channels; ends
 * the program on failure.  Returns the control channel (work.h) and our ends of the others. */
struct channel_end remote_open(enum channel_kind kind, uint64_t size, struct channel_end *ends,
			       size_t n);
/* Where the peer of remote_open accepts connections. */
const struct address *remote_listener(void);

#endif
