/* SPDX-License-Identifier: MIT */
/*
 * ring.h - an io_uring through system calls alone.  Requests are prepared one by one, submitted
 * together, and waited for.  Errors end the program with status 1, except where a reason is
 * returned.
 */
#ifndef COMMON_RING_H
#define COMMON_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Opens a ring for batches of up to n requests; why that cannot be had here, or NULL.  poller: a
 * thread of the kernel on the peer's CPU takes the requests (IORING_SETUP_SQPOLL). */
const char *ring_open(unsigned n, bool poller);
/* Registers a buffer, number 0, for fixed reads; why that cannot be had here, or NULL. */
const char *ring_register(struct iovec buffer);

/* What a request does.  A kernel before 5.6 answers those from READ on with EINVAL. */
enum ring_operation { RING_NOP, RING_READ_FIXED, RING_READ, RING_WRITE, RING_SEND, RING_RECV };
/* Prepares a request: size bytes of buffer, at an offset of fd (0 for sockets). */
void ring_prepare(enum ring_operation operation, int fd, void *buffer, size_t size, uint64_t at);
/* Submits all that was prepared and waits until `wait` more requests have ended; returns how many
 * of these moved `size` bytes, those of RING_NOP and `size` 0 included. */
unsigned ring_submit(unsigned wait, size_t size);

#endif
