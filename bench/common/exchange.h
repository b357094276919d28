/* SPDX-License-Identifier: MIT */
/* exchange.h - the requests and replies of lat_send, lat_recv, lat_sendfile and
 * lat_splice: one end is this
 * process, the other its peer.  Errors end the program with status 1. */
#ifndef COMMON_EXCHANGE_H
#define COMMON_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "measure/bench.h"
#include "peer/sockets.h"

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

/* For those that send SIZE bytes of a file, their first parameter, over TCP. */
const char *exchange_file_supported(void);
/* Makes the file, which has the contents of a message, and starts; returns its descriptor. */
int exchange_file_start(size_t size);

#endif
