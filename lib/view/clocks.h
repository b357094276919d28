/* SPDX-License-Identifier: MIT */
/*
 * clocks.h - what the clock of one host shows beside that of another, by messages between them.
 *
 * No message arrives before it was sent.  One that comes in says that the other clock is at least
 * so far ahead, one that goes out that it is at most so far.  Over the time of the host these are
 * points below and above the difference of the clocks, which is a straight line while both run
 * evenly: any line between the two convex hulls fits (A. Duda et al., "Estimating global time in
 * distributed systems", ICDCS 1987).  Where no line fits all points there are several pieces.
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At `time` of this host's clock (ns) the other is ahead by at least, or at most, so much. */
struct clock_point {
	int64_t time, ahead;
	bool most;
};

/* One straight piece of the difference. */
struct clock_piece {
	int64_t from, to; /* ns of this host's clock: of its first and last message */
	double ahead;	  /* ns, at `from` */
	double drift; /* how much faster the other clock runs: 1e-6: by a microsecond a second */
	double bound; /* ns: the largest error of the line between `from` and `to`; INFINITY */
};

struct clock_fit {
	struct clock_piece *v;
	size_t n;
	bool one_way; /* messages go one way alone: the fastest of them is taken to need no time */
};

/* The fit to points[n], which it sorts; no pieces where n is 0.  The caller frees v. */
struct clock_fit clock_fit(struct clock_point *points, size_t n);
/* The time of the other clock at that time of this one, both in ns. */
int64_t clock_map(const struct clock_fit *fit, int64_t time);

#endif
