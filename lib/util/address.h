/* SPDX-License-Identifier: MIT */
/* address.h - Internet addresses, written as HOST:PORT or [HOST]:PORT. */
#ifndef UTIL_ADDRESS_H
#define UTIL_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "util/error.h"

enum { ADDRESS_TEXT = 64 }; /* bytes of an address as numeric text, including the NUL */

struct address {
	struct sockaddr_storage at; /* AF_INET or AF_INET6 */
	socklen_t length;
};

/* Resolves a host name or address and a port number.  Returns 0, or -1 and sets *e. */
int address_parse(struct address *a, const char *text, struct error *e);
/* Writes the numeric address to out and returns out. */
const char *address_text(const struct address *a, char out[ADDRESS_TEXT]);
/* Returns the port. */
uint16_t address_port(const struct address *a);
/* Sets the port. */
void address_set_port(struct address *a, uint16_t port);
/* Returns whether both are the same host; ports are ignored. */
bool address_is_same_host(const struct address *a, const struct address *b);
/* Returns whether it stands for every address of this host: 0.0.0.0, [::] or [::ffff:0.0.0.0]. */
bool address_is_every(const struct address *a);

#endif
