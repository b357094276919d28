/* SPDX-License-Identifier: MIT */
/* partner.h - the peer on another machine that a run measures with: hbench run --peer. */
#ifndef PARTNER_H
#define PARTNER_H

#include "suite.h"
#include "util/error.h"

struct partner {
	char *address; /* in numbers; NULL: there is none */
	char *system;  /* what it says of itself: "host Linux 6.1.0 x86_64" */
};

/* Asks the peer at this address who it is; secret is the file of the secret, NULL:
 * $OSVEC_SECRET.  0; -1 and *e when it does not answer, or does not share the secret. */
int partner_find(struct partner *p, const char *address, const char *secret, struct error *e);
/* 0; -1 and *e when nothing in the suite would be measured with it. */
int partner_check_suite(const struct suite *s, struct error *e);
/* Whether the peer of this entry is on another machine. */
bool partner_is_needed(const struct suite_entry *x);
void partner_free(struct partner *p);

#endif
