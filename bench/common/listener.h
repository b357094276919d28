/* SPDX-License-Identifier: MIT */
/*
 * listener.h - a TCP or unix socket of this process that listens on an address nobody else has: a
 * fresh port of the loopback interface, or an abstract name (no path to walk).
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
/* Listens for streams of AF_INET or AF_UNIX; false and errno, l->fd -1. */
bool listener_open(struct listener *l, int family);
/* It listens no more. */
void listener_close(struct listener *l);

#endif
