/* SPDX-License-Identifier: MIT */
/*
 * sockets.h - channels (two connected ends), listening sockets, and sets of descriptors.
 *
 * Nothing times out, as a timer makes each call slower: the harness ends a program that waits for
 * ever.  Errors end the program with status 1, except where a function returns false or a reason.
 */
#ifndef PEER_SOCKETS_H
#define PEER_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct listener {
	int fd;
	struct sockaddr_storage address;
	socklen_t length;
};

/* Opens a stream socket of AF_INET or AF_UNIX that listens; false and errno on error. */
bool listener_open(struct listener *l, int family);
/* Opens n TCP sockets that listen on one port (SO_REUSEPORT); l is the first.  False and errno on
 * error. */
bool listener_open_group(struct listener *l, int fds[], size_t n);

enum channel_kind { CHANNEL_PIPE, CHANNEL_UNIX, CHANNEL_TCP, CHANNEL_UDP, CHANNEL_UNIXDGRAM };
/* The values of a BENCH_CHOICE parameter, in the order of enum channel_kind. */
#define CHANNEL_KINDS "pipe unix tcp udp unixdgram"
/* The most bytes in a datagram: 64 KB less the IPv4 and UDP headers. */
enum { CHANNEL_DATAGRAM = 65507 };

/* The descriptors that one end reads and writes; they differ for pipes only. */
struct channel_end {
	int in, out;
};

struct channel {
	struct channel_end a, b;
};

/* Why no channel of this kind can carry messages of size bytes here, or NULL. */
const char *channel_reason(enum channel_kind kind, uint64_t size);
/* Why the buffers of such a channel cannot hold an unread message of size bytes, or NULL. */
const char *channel_hold_reason(enum channel_kind kind, uint64_t size);

/* Opens two pipes, a pair of unix sockets for a stream or datagrams, or TCP (with TCP_NODELAY) or
 * UDP on the loopback interface. */
void channel_open(struct channel *c, enum channel_kind kind);
/* Prepares a socket for one end, or sets errno: TCP sends small segments at once, as servers
 * configure it, and closing resets it, so that hundreds of processes leave no ports in TIME_WAIT.
 */
bool channel_prepare(int fd, enum channel_kind kind);
/* Closes both ends; keeps errno. */
void channel_close(struct channel *c);
/* Closes one end, in the process that uses the other. */
void channel_close_end(struct channel_end *end);

/* Writes size bytes, with more than one write(2) only if a stream takes a part. */
void channel_send(const struct channel_end *end, const void *message, size_t size);
/* Reads size bytes. */
void channel_receive(const struct channel_end *end, void *message, size_t size);

/* Raises the limit of open files (RLIMIT_NOFILE) for n descriptors; why that fails, or NULL. */
const char *descriptors_reason(uint64_t n);
/* n descriptors of eventfd(2) that do not block; only the last is readable.  The caller frees the
 * array. */
int *descriptors_new(size_t n);

#endif
