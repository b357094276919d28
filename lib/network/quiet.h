/* SPDX-License-Identifier: MIT */
/*
 * quiet.h - how long a message takes on a network without other traffic, by its size.
 *
 * From measured points (size, seconds) of a ping-pong: the optimal split into segments by dynamic
 * programming, in each the line that minimizes the relative squared error among those that start
 * and rise at or above zero, as many segments as Schwarz's criterion (BIC) pays for.
 */
#ifndef QUIET_H
#define QUIET_H

#include <stddef.h>

#include "util/error.h"

enum { QUIET_SEGMENTS = 6, QUIET_POINTS = 2000 };

/* Zeroed is valid: no points, nothing known. */
struct quiet {
	struct quiet_point {
		double size, seconds;
	} * v;
	size_t n, cap;
	struct quiet_segment {
		double from;	    /* the first size it is for */
		double base, slope; /* seconds, seconds per byte */
		double error;	    /* root mean square of the relative residuals of its points */
		size_t points;
	} segments[QUIET_SEGMENTS];
	size_t nsegments;
};

/* Adds a measured point: seconds for a message of size bytes. */
void quiet_add(struct quiet *q, double size, double seconds);
/* Finds the segments.  0, or -1 and *e: no point, too many, or one that is not positive. */
int quiet_fit(struct quiet *q, struct error *e);
/* The one line that fits all points best; n > 0, seconds > 0. */
struct quiet_segment quiet_line(const struct quiet *q);
/* The segment for a size; q->nsegments > 0. */
const struct quiet_segment *quiet_at(const struct quiet *q, double size);
/* Seconds for a size. */
double quiet_seconds(const struct quiet *q, double size);
/* Returns the memory. */
void quiet_free(struct quiet *q);

#endif
