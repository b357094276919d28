/* SPDX-License-Identifier: MIT */
/*
 * alignment.h - the clocks of several hosts as one, by the messages between them.
 *
 * Each host is aligned with the one beside which its clock is known best, and so on up to the first
 * host, whose clock counts: a spanning tree of the pairs that have messages.
 */
#ifndef ALIGNMENT_H
#define ALIGNMENT_H

#include "view/clocks.h"
#include "view/messages.h"

struct aligned_host {
	bool has_wall;
	int64_t wall; /* its wall clock minus its trace's time, ns */

	size_t beside;	      /* the host it is aligned with; SIZE_MAX: none */
	struct clock_fit fit; /* of its clock to that one's */
	double bound;	      /* ns: the largest error beside the first host; INFINITY */
};

/* Two hosts with messages between them, from < to. */
struct aligned_pair {
	uint32_t from, to;
	uint64_t messages[2]; /* there and back */
	uint64_t before,
	    after; /* messages that arrive before they were sent: by wall clocks, aligned */
};

struct alignment {
	struct aligned_host *v;
	size_t n;
	VEC(struct aligned_pair) pairs;
};

/* Aligns n hosts; only what is known of their wall clocks need be set in a->v, which is the
 * caller's. */
void alignment_make(struct alignment *a, const struct messages *m);
/* The time of the first host at that time of this one; by wall clocks where there are no messages.
 */
int64_t alignment_time(const struct alignment *a, size_t host, int64_t time);
/* Makes an event of that host one of the first: its times, and its numbers (see HOST_SHIFT). */
void alignment_event(const struct alignment *a, size_t host, struct event *e);
/* Returns the memory but for a->v. */
void alignment_free(struct alignment *a);

#endif
