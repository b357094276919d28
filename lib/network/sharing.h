/* SPDX-License-Identifier: MIT */
/*
 * sharing.h - how messages that are in flight at the same time (flows) share the links.
 *
 * SHARING_ARTICLE: a link with n flows and background load b gives each of them the bandwidth
 * availability (1 - b) / n.  The smallest availability on its path stretches the whole delay of a
 * message (E. Papaefstathiou, 2001).
 *
 * SHARING_MAXMIN: max-min fair allocation.  Each flow is limited by its own maximum rate or by a
 * full link on which no flow is faster, its bottleneck.  The level of a link is the rate of the
 * flows that it limits.  After a change the levels of the affected links are recomputed, the lowest
 * first, then those of links that share flows with them, until nothing changes: a fixed point is
 * the max-min fair allocation (D. Bertsekas, R. Gallager, "Data Networks", 2nd ed., 1992, 6.5.2).
 */
#ifndef NETWORK_SHARING_H
#define NETWORK_SHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum sharing_rule { SHARING_MAXMIN, SHARING_ARTICLE, SHARING_RULES };
extern const char *const sharing_names[SHARING_RULES];

struct sharing;

/* What happened to a flow. */
struct flow_account {
	double lost;	     /* seconds of delay caused by other flows and background load */
	uint32_t bottleneck; /* link that caused most of it; UINT32_MAX: none */
};

/* What happened on a link. */
struct link_account {
	double bytes; /* carried */
	double busy;  /* seconds with a flow on it */
	double lost;  /* seconds that flows lost on it as their bottleneck */
};

/* Returns a new set of links. capacity[links] is the work per second of each link; it is copied.
 * SHARING_ARTICLE uses 1 instead. `longest` is the largest number of links of a flow, up to 254. */
struct sharing *sharing_new(enum sharing_rule rule, const double *capacity, size_t links,
			    size_t longest);
/* What a flow has to carry.  Work is what the rule shares: bytes, or seconds of quiet delay. */
struct flow_demand {
	double rate; /* work per second when the flow is alone */
	double work; /* INFINITY: endless */
	double bytes;
};

/* Starts a flow over links[n], 0 < n <= longest, at a time not before that of any earlier call.
 * sharing_finish() returns `owner` when it ends.  Returns the flow's number. */
uint32_t sharing_start(struct sharing *s, double now, const uint32_t *links, size_t n,
		       const struct flow_demand *demand, uint32_t owner);
/* Sets the capacity of a link from now on. */
void sharing_set_capacity(struct sharing *s, double now, uint32_t link, double capacity);
/* Returns when the next flow ends if nothing else happens; INFINITY: none will. */
double sharing_next(struct sharing *s);
/* Removes a flow that has ended by `now` and returns true; false: there is none. account may be
 * NULL. */
bool sharing_finish(struct sharing *s, double now, uint32_t *owner, struct flow_account *account);
/* Returns the accounts of all links up to `now`; valid until the next call. */
const struct link_account *sharing_accounts(struct sharing *s, double now);
/* Calls moved() for each interval in which a flow carried `rate` bytes per second over a link. */
void sharing_watch(struct sharing *s,
		   void (*moved)(void *arg, uint32_t link, double from, double to, double rate),
		   void *arg);
/* Counts how often a level was recomputed, and how often all were recomputed at once because the
 * fixed point was not reached in time; for tests. */
void sharing_effort(const struct sharing *s, uint64_t *levels, uint64_t *fallbacks);
/*
 * Checks that the present rates are an optimal allocation: no link exceeds its capacity, and each
 * flow has its own maximum rate or a bottleneck.  Returns 0, or -1 and sets *e, which names the
 * violation.
 */
int sharing_check(struct sharing *s, struct error *e);
/* Frees it; NULL is fine. */
void sharing_free(struct sharing *s);

#endif
