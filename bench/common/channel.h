/* SPDX-License-Identifier: MIT */
/*
 * channel.h - two connected ends of a pipe or socket on this machine.
 * Part of the front end of a benchmark program: what fails ends it with status 1.  Nothing waits
 * forever: sockets time out, and pipes end when the process at the other end does.
 */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <stddef.h>
#include <stdint.h>

enum channel_kind { CHANNEL_PIPE, CHANNEL_UNIX, CHANNEL_TCP, CHANNEL_UDP };
/* Their names as the values of a BENCH_CHOICE parameter, in order. */
#define CHANNEL_KINDS "pipe unix tcp udp"

/* Where one end reads and writes: the same descriptor, unless it has two pipes. */
struct channel_end {
	int in, out;
};

struct channel {
	struct channel_end a, b;
};

/* Why no channel of this kind can carry messages of size bytes here, or NULL. */
const char *channel_reason(enum channel_kind kind, uint64_t size);
/* Why none can hold a message of size bytes that nobody is reading yet, or NULL. */
const char *channel_hold_reason(enum channel_kind kind, uint64_t size);

/* Connects two ends: two pipes, a pair of stream sockets, TCP with TCP_NODELAY or UDP on the
 * loopback interface. */
void channel_open(struct channel *c, enum channel_kind kind);
/* Both ends. */
void channel_close(struct channel *c);
/* One of them, for the process that has the other. */
void channel_close_end(struct channel_end *end);

/* Writes size bytes, by one write(2) unless a stream takes them in parts. */
void channel_send(const struct channel_end *end, const void *message, size_t size);
/* Reads until size bytes are there. */
void channel_receive(const struct channel_end *end, void *message, size_t size);

#endif
