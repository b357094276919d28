/* SPDX-License-Identifier: MIT */
/*
 * alignment.h - aligns the clocks of several hosts by the messages between them.
 *
 * Each host is aligned with the host relative to which its clock is known best, up to the first
 * host, whose clock is the reference: a spanning tree of the pairs of hosts that exchange messages.
 */
#ifndef VIEW_ALIGNMENT_H
#define VIEW_ALIGNMENT_H

#include "view/clocks.h"
#include "view/messages.h"

struct aligned_host {
	bool has_wall;
	int64_t wall; /* ns: its wall clock minus the time of its trace */

	size_t beside;	      /* the host that it is aligned with; SIZE_MAX: none */
	struct clock_fit fit; /* of its clock to the clock of that host */
};

/* Two hosts that exchange messages, from < to. */
struct aligned_pair {
	uint32_t from, to;
	uint64_t messages[2];	/* by direction */
	uint64_t before, after; /* messages that arrive too early: by wall clocks, aligned */
};

struct alignment {
	struct aligned_host *v;
	size_t n;
	VEC(struct aligned_pair) pairs;
};

/* Aligns n hosts. a->v is the caller's; only has_wall and wall need to be set in it. */
void alignment_make(struct alignment *a, const struct messages *m);
/* Converts a time of that host to a time of the first host; by wall clocks if no messages connect
 * them. */
int64_t alignment_time(const struct alignment *a, size_t host, int64_t time);
/* Converts an event of that host into one of the first: its times, and its numbers (see
 * HOST_SHIFT). */
void alignment_event(const struct alignment *a, size_t host, struct event *e);
/* Frees everything except a->v. */
void alignment_free(struct alignment *a);

#endif
