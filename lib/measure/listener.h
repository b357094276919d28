/* SPDX-License-Identifier: MIT */
/*
 * listener.h - a TCP or unix socket of this process that listens on an address nobody else has: a
 * fresh port of the loopback interface, or an abstract name (no path to walk).
 * Except for listener_try, part of the front end of a benchmark program: what fails ends it with
 * status 1.
 */
#ifndef LISTENER_H
#define LISTENER_H

#include <stdbool.h>
#include <sys/socket.h>

struct listener {
	int fd;
	struct sockaddr_storage address;
	socklen_t length;
};

/* Binds fd (AF_INET, AF_UNIX) to a fresh address and says which; false and errno. */
bool listener_bind(int fd, struct sockaddr_storage *address, socklen_t *length);
/* Opens l for AF_INET or AF_UNIX stream sockets; false and errno, l->fd -1. */
bool listener_try(struct listener *l, int family);
/* Why no connection of that family can be made here, or NULL. */
const char *listener_reason(int family);

void listener_open(struct listener *l, int family);
/* socket(2) and connect(2). */
int listener_connect(const struct listener *l);
/* accept(2). */
int listener_accept(const struct listener *l);
/* Lets close(2) of a TCP connection reset it, so that nothing of it stays: not even the TIME_WAIT of
 * the other end when that one was closed before. */
void listener_reset_on_close(int fd);
void listener_close(struct listener *l);

#endif
