/* SPDX-License-Identifier: MIT */
/*
 * peer.h - the other party of a benchmark: a process of this machine or, with --peer, one on
 * another machine that does the same work (work.h).
 *
 * Programs that communicate mostly run on different CPUs: what one end writes is in the cache of
 * its CPU, and the timed call of the other end has to fetch it.  With both ends on one CPU that
 * call is much cheaper (compare lat_recv with lat_recv -P same).  A local peer that acts between
 * the batches only polls memory and never sleeps, so that no wake-up is timed.  It is a process,
 * not a thread, as each look-up of a descriptor costs more in a program of two threads.  Errors end
 * the program with status 1.
 */
#ifndef COMMON_PEER_H
#define COMMON_PEER_H

#include <stddef.h>
#include <stdint.h>

#include "measure/bench.h"
#include "peer/sockets.h"
#include "peer/work.h"
#include "util/address.h"

/* Forks a peer that is called through memory, unless its CPU is that of this process.  It has the
 * descriptors that are open now. */
void peer_start(void);
/* Calls turn(0) ... turn(turns - 1) in the peer, or here without one, and returns when the last has
 * returned.  What turn() writes to memory or opens stays in the peer. */
void peer_do(void (*turn)(size_t i), size_t turns);

/* Why there cannot be a peer that obeys orders over such a channel, or NULL. */
const char *peer_reason(enum channel_kind kind, uint64_t size);
/* Starts one, here or where --peer says, for messages of size bytes; returns our end of the
 * channel. */
struct channel_end peer_connect(enum channel_kind kind, size_t size);
/* Begins with the one that --peer names on another machine, over n channels (none: it accepts
 * connections); ends the program on failure. */
void peer_open(enum channel_kind kind, size_t size, struct channel_end *ends, size_t n);
/* Where that one accepts connections. */
const struct address *peer_listener(void);
/* Tells a peer that obeys orders what to do, and how much of it. */
void peer_order(enum work work, uint64_t amount);
/* Waits until that is done and returns the amount. */
uint64_t peer_done(void);
/* Has n turns done: by an order on another machine, else by turn(). */
void peer_have_done(enum work work, void (*turn)(size_t i), uint64_t n);

#endif
