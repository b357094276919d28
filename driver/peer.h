/* SPDX-License-Identifier: MIT */
/* peer.h - the peer on another machine that a run measures with (hbench run --peer); `hbench peer`
 * is in lib/peer/server.h. */
#ifndef DRIVER_PEER_H
#define DRIVER_PEER_H

#include "suite.h"
#include "util/error.h"

struct peer {
	char *address; /* in numbers; NULL: there is none */
	char *system;  /* what it says of itself: "host Linux 6.1.0 x86_64" */
};

/* Asks the peer at this address who it is; secret is the file of the secret, NULL:
 * $OSVEC_SECRET.  0; -1 and *e when it does not answer, or does not share the secret. */
int peer_find(struct peer *p, const char *address, const char *secret, struct error *e);
/* 0; -1 and *e when nothing in the suite would be measured with it. */
int peer_check_suite(const struct suite *s, struct error *e);
/* Whether the peer of this entry is on another machine. */
bool peer_is_needed(const struct suite_entry *x);
/* Returns the memory. */
void peer_free(struct peer *p);

#endif
