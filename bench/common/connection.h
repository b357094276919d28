/* SPDX-License-Identifier: MIT */
/*
 * connection.h - connections of one KIND, tcp or unix, both ends in this process: what lat_connect, lat_accept_close
 * and lat_accept share.  Part of the front end of a benchmark program: what fails ends it with
 * status 1.
 */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "measure/bench.h"
#include "partner.h"

/* So many may wait to be accepted. */
enum { CONNECTIONS = 16 };

/* The one parameter, and the hooks that belong to it: a socket listens, and the partner is there. */
extern const struct bench_parameter connection_parameters[];
const char *connection_supported(void);
void connection_setup(void);
void connection_teardown(void);

/* The descriptor of a new connection to it: socket(2) and connect(2). */
int connection_connect(void);
/* The other end of the oldest connection that nobody has accepted yet: accept(2). */
int connection_accept(void);
/* Closes the descriptor and lets that reset a TCP connection, so that nothing of it stays: not even the TIME_WAIT
 * of the other end when that was closed before. */
void connection_reset(int fd);

#endif
