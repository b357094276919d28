/* SPDX-License-Identifier: MIT */
/*
 * server.h - `hbench peer`: the other end for benchmarks of another machine.  Errors at the start
 * end the program with status 1.
 *
 * One process only listens, reads requests of a fixed size, and checks their proof (handshake.h).
 * Who has proved to know the secret gets a process of its own, which does the work of work.h; who
 * has not is dropped after a few seconds, or as soon as others need the place.
 */
#ifndef PEER_SERVER_H
#define PEER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/address.h"

struct server_limits {
	uint64_t sessions; /* benchmarks served at once */
	uint64_t bytes;	   /* moved for one benchmark */
	double time;	   /* seconds for one benchmark */
	bool quiet;	   /* no messages about benchmarks refused */
};

/* Why so many benchmarks cannot be served at once, or NULL. */
const char *server_reason(uint64_t sessions);
/* Listens at *at, which becomes the address with its port. */
void server_open(struct address *at);
/* Serves until a signal is to end the program. */
void server_serve(const struct server_limits *limits);

#endif
