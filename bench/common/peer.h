/* SPDX-License-Identifier: MIT */
/*
 * peer.h - the peer of connections: a thread that acts on another CPU while the clock is paused,
 * the request/reply exchanges of lat_send, lat_recv and lat_sendfile, and the connections of
 * lat_connect, lat_accept and lat_accept_close.
 *
 * Programs that communicate mostly run on different CPUs: what one end writes is in the cache of
 * its CPU, and the timed call of the other end has to fetch it.  With both ends on one CPU that
 * call takes as little as a third.  The peer polls memory and never sleeps, so that no wake-up is
 * timed.  Errors end the program with status 1.
 */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>

#include "measure/bench.h"
#include "files.h"
#include "sockets.h"

/* Starts a thread on the peer's CPU unless that is the CPU of this process. */
void peer_start(void);
/* Calls turn(0) ... turn(turns - 1) on the peer's CPU and returns when the last has returned. */
void peer_do(void (*turn)(size_t i), size_t turns);

/* Each byte of a message has this value; sendfile sends files as messages. */
enum { EXCHANGE_BYTE = FILES_BYTE };

/* Opens channels for messages of size bytes: as many as hold 64 KB in all, 1 to 16.  Starts the
 * peer. */
void exchange_start(enum channel_kind kind, size_t size);
/* The number of channels. */
size_t exchange_count(void);
/* The descriptor that the first end of channel i writes. */
int exchange_out(size_t i);
/* The first end sends a message. */
void exchange_send(size_t i);
/* The second end reads a message; ends the program when it is not the message sent. */
void exchange_receive(size_t i);
/* The peer receives the messages sent on the first turns channels, and replies. */
void exchange_take(size_t turns);
/* Replies as the second end of the first turns channels; the peer sends the next messages. */
void exchange_ask(size_t turns);

/* For benchmarks whose parameters are the KIND of channel and the SIZE of messages. */
extern const struct bench_parameter exchange_parameters[];
const char *exchange_supported(void);
void exchange_setup(void);

/* Connections that may wait to be accepted. */
enum { CONNECTIONS = 16 };

/* The KIND of socket.  connection_supported opens a listening socket. */
extern const struct bench_parameter connection_parameters[];
const char *connection_supported(void);

/* socket(2) and connect(2) to the listening socket; returns the descriptor. */
int connection_connect(void);
/* accept(2): the other end of the oldest connection not yet accepted. */
int connection_accept(void);
/* Closes fd and resets a TCP connection, which ends TIME_WAIT of an end closed before. */
void connection_reset(int fd);

#endif
