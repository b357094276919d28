/* SPDX-License-Identifier: MIT */
/*
 * peer.h - the peer of connections: a process that acts on another CPU between the batches, the
 * request/reply exchanges of lat_send, lat_recv and lat_sendfile, and the connections of
 * lat_connect, lat_accept and lat_accept_close.
 *
 * Programs that communicate mostly run on different CPUs: what one end writes is in the cache of
 * its CPU, and the timed call of the other end has to fetch it.  With both ends on one CPU that
 * call takes as little as a third.  The peer polls memory and never sleeps, so that no wake-up is
 * timed.  It is a process, not a thread, as each look-up of a descriptor costs more in a program
 * of two threads.  Errors end the program with status 1.
 */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/bench.h"
#include "files.h"
#include "sockets.h"

/* Forks the peer unless its CPU is that of this process.  It has the descriptors that are open now.
 */
void peer_start(void);
/* Calls turn(0) ... turn(turns - 1) in the peer, or here without one, and returns when the last has
 * returned.  What turn() writes to memory or opens stays in the peer. */
void peer_do(void (*turn)(size_t i), size_t turns);

/* Each byte of a message has this value; sendfile sends files as messages. */
enum { EXCHANGE_BYTE = FILES_BYTE };

/* Why no channels of this kind that hold messages of size bytes can be opened here, or NULL. */
const char *exchange_reason(enum channel_kind kind, uint64_t size);
/* Opens channels for messages of size bytes: as many as hold 64 KB in all, 1 to 16.  Starts the
 * peer. */
void exchange_start(enum channel_kind kind, size_t size);
/* The number of channels: the limit of a batch, for which each channel carries one message. */
uint64_t exchange_count(void);
/* The descriptor that the first end of channel i writes. */
int exchange_out(size_t i);
/* The first end sends a message. */
void exchange_send(size_t i);
/* The second end reads a message; ends the program when it is not the message sent. */
void exchange_receive(size_t i);
/* As check() of a batch of n messages sent on the first n channels: the peer receives them and
 * replies.  Returns NULL. */
const char *exchange_take(uint64_t n);
/* As prepare() of a batch: replies as the second end of the first n channels; the peer sends the
 * next messages. */
void exchange_ask(uint64_t n);

/* For benchmarks whose parameters are the KIND of channel and the SIZE of messages. */
extern const struct bench_parameter exchange_parameters[];
const char *exchange_supported(void);
void exchange_setup(void);

/* Connections of a batch: its limit. */
enum { CONNECTIONS = 16 };
uint64_t connection_limit(void);

/* Opens a listening socket of AF_INET or AF_UNIX; why that is not possible, or NULL. */
const char *connection_listen(int family);
/* The KIND of socket, and one that listens. */
extern const struct bench_parameter connection_parameters[];
const char *connection_supported(void);

/* socket(2) and connect(2) to the listening socket; returns the descriptor. */
int connection_connect(void);
/* accept(2): the other end of the oldest connection not yet accepted. */
int connection_accept(void);
/* Waits for the other end of fd to be closed; false if it has sent something or failed. */
bool connection_ended(int fd);
/* Closes fd and resets a TCP connection, which ends TIME_WAIT of an end closed before. */
void connection_reset(int fd);

#endif
