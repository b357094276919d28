/* SPDX-License-Identifier: MIT */
/* address.h - addresses of the Internet, "HOST:PORT" or "[HOST]:PORT" in text. */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "util/error.h"

enum { ADDRESS_TEXT = 64 }; /* bytes of an address in numbers, terminated */

struct address {
	struct sockaddr_storage at; /* AF_INET or AF_INET6 */
	socklen_t length;
};

/* Parses a name or a number and a port; 0, or -1 and *e. */
int address_parse(struct address *a, const char *text, struct error *e);
/* In numbers into out; returns out. */
const char *address_text(const struct address *a, char out[ADDRESS_TEXT]);
/* The port, and another one. */
uint16_t address_port(const struct address *a);
void address_set_port(struct address *a, uint16_t port);
/* Whether both are the same host, whatever the ports. */
bool address_is_same_host(const struct address *a, const struct address *b);
/* Whether it stands for every address of this host: 0.0.0.0, [::] or
 * [::ffff:0.0.0.0]. */
bool address_is_every(const struct address *a);

#endif
