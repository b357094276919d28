/* SPDX-License-Identifier: MIT */
/* connection.h - the connections of lat_connect, lat_accept, lat_accept_group, lat_accept_close and
 * lat_hangup.  Errors end the program with status 1. */
#ifndef COMMON_CONNECTION_H
#define COMMON_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/bench.h"
#include "peer/work.h"

/* Connections of a batch: its limit. */
enum { CONNECTIONS = WORK_CONNECTIONS };
uint64_t connection_limit(void);

/* Opens a listening socket of AF_INET or AF_UNIX; why that is not possible, or NULL. */
const char *connection_listen(int family);
/* The same with n sockets of one port. */
const char *connection_listen_group(int listeners[], size_t n);
/* The KIND of socket, and one that listens, unless the peer on another machine does. */
extern const struct bench_parameter connection_parameters[];
const char *connection_supported(void);

/* As setup(): starts the peer. */
void connection_setup(void);
/* socket(2) and connect(2) to the listening socket; returns the descriptor. */
int connection_connect(void);
/* accept(2): the other end of the oldest connection not yet accepted. */
int connection_accept(void);
/* The same of one of a group. */
int connection_accept_at(int listener);
/* The peer accepts and closes the n oldest connections. */
void connection_drop(uint64_t n);
/* Waits for the other end of fd to be closed; false if it has sent something or failed. */
bool connection_ended(int fd);
/* Closes fd and resets a TCP connection, which ends TIME_WAIT of an end closed before. */
void connection_reset(int fd);

#endif
