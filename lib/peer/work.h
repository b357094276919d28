/* SPDX-License-Identifier: MIT */
/*
 * work.h - what the other end of a connection does: a child of the benchmark, or `hbench peer` on
 * another machine, which does nothing else.
 *
 * Orders arrive over a channel of orders: a kind of work and how much of it; when it is done, the
 * amount goes back.  Errors end the process with status 1.
 */
#ifndef PEER_WORK_H
#define PEER_WORK_H

#include <stdint.h>

#include "sockets.h"
#include "util/address.h"

enum { WORK_BYTE = 0x5a }; /* each byte of a message */
/* The most that one peer takes. */
enum { WORK_CHANNELS = 16, WORK_CONNECTIONS = 16, WORK_SIZE = 64 << 20 };
/* The exit status of a process that has moved all the bytes that it may. */
enum { WORK_SPENT = 4 };

enum work {
	WORK_ECHO,   /* sends back each message of the first channel, its first byte increased;
		      * never ends */
	WORK_SINK,   /* reads this many bytes of the first channel */
	WORK_TAKE,   /* reads a message of each of so many channels, and replies with a byte */
	WORK_GIVE,   /* reads a byte of each of so many channels, and replies with a message */
	WORK_ACCEPT, /* accepts so many connections and closes them */
	WORKS,
};

/* A peer's side. */
struct worker {
	struct channel_end channels[WORK_CHANNELS];
	uint64_t count;	       /* of channels */
	int listener;	       /* for WORK_ACCEPT; -1: none */
	struct address client; /* whose connections it takes */
	unsigned char *message;
	size_t size;
	uint64_t bytes; /* that it may move before it ends by WORK_SPENT */
};

/* Allocates the message, of size bytes of WORK_BYTE. */
void worker_init(struct worker *w, size_t size);
/* Obeys orders until the channel of orders is closed; then, or at a bad order, ends the process. */
_Noreturn void worker_serve(struct worker *w, const struct channel_end *orders);

/* Sends an order over the channel of orders. */
void work_order(const struct channel_end *orders, enum work work, uint64_t amount);
/* Waits until it is done, and returns the amount. */
uint64_t work_done(const struct channel_end *orders);

/* Parts of the work, which also the peers do that are called through memory (bench/common/peer.h).
 */

/* Reads a message; ends the program when its first and last byte are not WORK_BYTE. */
void work_receive(const struct channel_end *end, unsigned char *message, size_t size);
/* Reads a message and replies with a byte. */
void work_take(const struct channel_end *end, unsigned char *message, size_t size);
/* Reads a byte and replies with a message. */
void work_give(const struct channel_end *end, const unsigned char *message, size_t size);
/* Accepts a connection of the client; those of others are closed. */
int work_accept(const struct worker *w);

#endif
