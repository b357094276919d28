/* SPDX-License-Identifier: MIT */
/*
 * peer.h - the other end of connections: a thread that acts on another CPU while the clock is paused,
 * the request/reply exchanges of lat_send, lat_recv and lat_sendfile, and the connections of
 * lat_connect, lat_accept and lat_accept_close.
 *
 * Programs that talk to each other mostly run on different CPUs.  What one end writes is in the cache
 * of its CPU, from where the timed call of the other end has to fetch it; with both ends on one CPU
 * that call takes as little as a third.  The peer polls a word of memory and never sleeps, so that
 * nobody has to wake it.  Errors end the program with status 1.
 */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>

#include "measure/bench.h"
#include "files.h"
#include "sockets.h"

/* Starts a thread on the peer's CPU, or nothing when that is our own. */
void peer_start(void);
/* Calls turn(0) ... turn(turns - 1) on the peer's CPU, and returns when that is done. */
void peer_do(void (*turn)(size_t i), size_t turns);
/* Ends the thread if there is one. */
void peer_stop(void);

/* What messages are filled with: the same as files, whose bytes are messages too. */
enum { EXCHANGE_BYTE = FILES_BYTE };

/* Opens exchanges of messages of size bytes: as many as hold 64 KB in all, at most 16.  Starts the peer. */
void exchange_start(enum channel_kind kind, size_t size);
/* The number of exchanges. */
size_t exchange_count(void);
/* Where the first end of exchange i writes. */
int exchange_out(size_t i);
/* The first end sends a message, filled with EXCHANGE_BYTE. */
void exchange_send(size_t i);
/* The second end reads a whole message; another message than the one sent ends the program. */
void exchange_receive(size_t i);
/* The peer receives what was sent in the first turns exchanges, and answers. */
void exchange_take(size_t turns);
/* We, as the second end, answer in the first turns exchanges, and the peer sends the next messages. */
void exchange_ask(size_t turns);
/* Ends the peer, closes the channels and returns their memory. */
void exchange_stop(void);

/* For benchmarks whose parameters are the KIND of channel and the SIZE of messages. */
extern const struct bench_parameter exchange_parameters[];
const char *exchange_supported(void);
void exchange_setup(void);

/* Connections that may wait to be accepted. */
enum { CONNECTIONS = 16 };

/* The one parameter, and the hooks that belong to it: a socket listens, and the peer is there. */
extern const struct bench_parameter connection_parameters[];
const char *connection_supported(void);
void connection_setup(void);

/* The descriptor of a new connection to it: socket(2) and connect(2). */
int connection_connect(void);
/* The other end of the oldest connection that nobody has accepted yet: accept(2). */
int connection_accept(void);
/* Closes the descriptor and lets that reset a TCP connection, so that nothing of it stays: not even the TIME_WAIT
 * of the other end when that was closed before. */
void connection_reset(int fd);

#endif
