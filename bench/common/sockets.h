/* SPDX-License-Identifier: MIT */
/*
 * sockets.h - connected ends, listening sockets, and sets of descriptors of this process.
 *
 * Nothing waits forever: sockets time out, and pipes end with the process at the other end.  Errors
 * end the program with status 1, except where a function returns false or a reason.
 */
#ifndef SOCKETS_H
#define SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct listener {
	int fd;
	struct sockaddr_storage address;
	socklen_t length;
};

/* Binds fd (AF_INET, AF_UNIX) to a fresh address and says which; false and errno. */
bool listener_bind(int fd, struct sockaddr_storage *address, socklen_t *length);
/* Listens for streams of AF_INET or AF_UNIX; false and errno, l->fd -1. */
bool listener_open(struct listener *l, int family);
/* It listens no more. */
void listener_close(struct listener *l);

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

/* Raises the limit of open files (RLIMIT_NOFILE) as far as n descriptors need it; why they cannot
 * be had, or NULL. */
const char *descriptors_reason(uint64_t n);
/* n descriptors of eventfd(2), of which the last is readable, now and always.  The caller frees the
 * array; the program's end closes them. */
int *descriptors_new(size_t n);

#endif
