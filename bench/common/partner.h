/* SPDX-License-Identifier: MIT */
/*
 * partner.h - the far end of connections: what another CPU does while the clock stands.
 *
 * Sockets and pipes connect programs that mostly run on different CPUs.  What one end writes lies in the
 * cache of its CPU, and the call of the other end, which is timed, has to fetch it.  With both ends on one
 * CPU that call looks up to three times as cheap.
 *
 * The partner waits by looking at a word of memory: it never sleeps, so that nobody has to wake it.
 */
#ifndef PARTNER_H
#define PARTNER_H

#include <stddef.h>

/* Starts a thread on the partner's CPU, or nothing when that is our own. */
void partner_start(void);
/* Calls turn(0) ... turn(turns - 1) on the partner's CPU, and returns when that is done. */
void partner_do(void (*turn)(size_t i), size_t turns);
/* Ends the thread if there is one. */
void partner_stop(void);

#endif
