/* SPDX-License-Identifier: MIT */
/*
 * conversation.h - a few conversations whose two ends are both in this process, so that one call of
 * one end can be timed alone (lat_send, lat_recv, lat_sendfile).  The other end is used by the partner
 * (partner.h), on another CPU where there is one.
 *
 * Each message is answered by one byte before the next goes out, as between client and server:
 * buffers are empty at each send, and TCP's acknowledgements ride on answers.  There are several,
 * in turn, so that the clock stops and goes on once for all of them.
 */
#ifndef CONVERSATION_H
#define CONVERSATION_H

#include "measure/bench.h"
#include "channel.h"
#include "scratch.h"

/* What messages are filled with: the same as files, whose bytes are messages too. */
enum { CONVERSATION_BYTE = SCRATCH_BYTE };

/* Opens conversations of messages of size bytes: as many as hold 64 KB in all, at most 16.  Starts the partner. */
void conversation_start(enum channel_kind kind, size_t size);
/* How many there are. */
size_t conversation_count(void);
/* Where the first end of conversation i writes. */
int conversation_out(size_t i);
/* The first end sends a message, filled with CONVERSATION_BYTE. */
void conversation_send(size_t i);
/* The second end reads a message whole; ends the program when it is another one. */
void conversation_receive(size_t i);
/* The partner receives what was sent in the first turns conversations, and answers. */
void conversation_take(size_t turns);
/* We, as the second end, answer in the first turns conversations, and the partner sends the next messages. */
void conversation_ask(size_t turns);
/* Ends the partner, closes the channels and returns their memory. */
void conversation_stop(void);

/* For benchmarks whose parameters are the KIND of channel and the SIZE of messages. */
extern const struct bench_parameter conversation_parameters[];
const char *conversation_supported(void);
void conversation_setup(void);
uint64_t conversation_bytes(void);

#endif
