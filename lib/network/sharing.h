/* SPDX-License-Identifier: MIT */
/*
 * sharing.h - messages on their way at the same time, and how they share the links.
 *
 * SHARING_ARTICLE: a link with n messages and background load b leaves each the bandwidth
 * availability (1 - b) / n; the least on its way stretches the whole delay of a message
 * (Papaefstathiou 2001).
 *
 * SHARING_MAXMIN: each message gets as much as possible without taking from one that has less:
 * every message is held up by a full link on which none is faster, or by its own rate.  A link's
 * level is the rate of those that it holds up.  A change sets right the levels of the links
 * concerned, the lowest first, and of those whose messages this touches in turn, until nothing
 * changes: a fixed point is the max-min allocation.
 */
#ifndef SHARING_H
#define SHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum sharing_rule { SHARING_MAXMIN, SHARING_ARTICLE, SHARING_RULES };
extern const char *const sharing_names[SHARING_RULES];

struct sharing;

/* What a flow has gone through. */
struct flow_account {
	double lost;	     /* seconds more than alone, while other flows held it up */
	uint32_t bottleneck; /* the link that took most of it; UINT32_MAX: none did */
};

/* What a link has gone through. */
struct link_account {
	double bytes; /* that crossed it */
	double busy;  /* seconds with a flow on it */
	double lost;  /* seconds that flows lost while it held them up */
};

/* capacity: work per second of each link, in whose place the article's rule has 1.  Copied.
 * longest: links that a flow takes at most, up to 254. */
struct sharing *sharing_new(enum sharing_rule rule, const double *capacity, size_t links,
			    size_t longest);
/* What is to be carried: work is what the rule shares, bytes or the seconds of a quiet delay. */
struct flow_demand {
	double rate; /* work per second that it gets alone */
	double work; /* INFINITY: it never ends */
	double bytes;
};

/* A flow starts at a time not before any earlier call's.  owner comes back when it ends.
 * 0 < n <= longest. */
uint32_t sharing_start(struct sharing *s, double now, const uint32_t *links, size_t n,
		       const struct flow_demand *demand, uint32_t owner);
/* From now on the link has this capacity. */
void sharing_set_capacity(struct sharing *s, double now, uint32_t link, double capacity);
/* When the next flow ends, as things are; INFINITY: none will. */
double sharing_next(struct sharing *s);
/* Takes away a flow that has ended by then; false: none has.  *account may be NULL. */
bool sharing_finish(struct sharing *s, double now, uint32_t *owner, struct flow_account *account);
/* Closes the accounts of the links; [links]. */
const struct link_account *sharing_accounts(struct sharing *s, double now);
/* Tells arg, for each link, of an interval in which so many bytes per second of a flow crossed it.
 */
void sharing_watch(struct sharing *s,
		   void (*moved)(void *arg, uint32_t link, double from, double to, double rate),
		   void *arg);
/* How often levels were set, and how often all of them at once because that took too long. */
void sharing_effort(const struct sharing *s, uint64_t *levels, uint64_t *fallbacks);
/*
 * Whether the rates at hand are an optimal allocation: no link is over its capacity, and each flow
 * has its own rate or a full link on its way where none is faster.  -1 and *e: which is not.
 */
int sharing_check(struct sharing *s, struct error *e);
void sharing_free(struct sharing *s);

#endif
