/* SPDX-License-Identifier: MIT */
/*
 * clocks.h - estimates the difference between the clocks of two hosts from the messages between
 * them.
 *
 * No message arrives before it was sent.  So a received message gives a lower bound for how far the
 * other clock is ahead, and a sent message an upper bound.  Plotted over the time of this host
 * these are points below and above the difference of the clocks, which is a straight line as long
 * as both clocks run evenly: any line between the two convex hulls fits (A. Duda and others:
 * Estimating global time in distributed systems, ICDCS 1987).  If no line fits all points there are
 * several pieces.
 */
#ifndef VIEW_CLOCKS_H
#define VIEW_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At `time` of this host's clock (ns) the other clock is ahead by at most (`most`) or at least
 * `ahead` ns. */
struct clock_point {
	int64_t time, ahead;
	bool most;
};

/* A straight piece of the difference. */
struct clock_piece {
	int64_t from, to; /* ns of this host's clock: its first and last message */
	double ahead;	  /* ns, at `from` */
	double drift;	  /* speed of the other clock minus 1: 1e-6 is 1 us per second */
	double bound; /* ns: largest error of the line between `from` and `to`; INFINITY: unknown */
};

struct clock_fit {
	struct clock_piece *v;
	size_t n;
	bool one_way; /* messages go one way only; the fastest of them is assumed to take no time */
};

/* Fits points[n], which it sorts.  Without points there are no pieces.  The caller frees v. */
struct clock_fit clock_fit(struct clock_point *points, size_t n);
/* Converts a time of this host's clock to the other clock; both in ns. */
int64_t clock_map(const struct clock_fit *fit, int64_t time);

#endif
