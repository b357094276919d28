/* SPDX-License-Identifier: MIT */
/*
 * quiet.h - the delay of a message on a quiet network, without other traffic, as a function of its
 * size.
 *
 * The function is fitted to points (size, seconds) measured by a ping-pong benchmark.  It consists
 * of line segments with base and slope >= 0; dynamic programming finds the partition into segments
 * with the smallest sum of squared relative residuals, and the Bayesian information criterion
 * (Schwarz 1978) the number of segments.
 */
#ifndef NETWORK_QUIET_H
#define NETWORK_QUIET_H

#include <stddef.h>

#include "util/error.h"

enum { QUIET_SEGMENTS = 6, QUIET_POINTS = 2000 };

/* A zeroed struct is valid and has no points. */
struct quiet {
	struct quiet_point {
		double size, seconds;
	} * v;
	size_t n, cap;
	struct quiet_segment {
		double from;	    /* smallest size of the segment */
		double base, slope; /* seconds, seconds per byte */
		double error;	    /* root mean square of the relative residuals of its points */
		size_t points;
	} segments[QUIET_SEGMENTS];
	size_t nsegments;
};

/* Adds a measured point: seconds for a message of `size` bytes. */
void quiet_add(struct quiet *q, double size, double seconds);
/* Fits the segments.  Returns 0, or -1 and sets *e if there are no points, too many, or one that is
 * not positive. */
int quiet_fit(struct quiet *q, struct error *e);
/* Returns the single line that fits all points best; requires n > 0 and positive times. */
struct quiet_segment quiet_line(const struct quiet *q);
/* Returns the segment for a size; requires nsegments > 0. */
const struct quiet_segment *quiet_at(const struct quiet *q, double size);
/* Returns the delay in seconds of a message of `size` bytes; requires nsegments > 0. */
double quiet_seconds(const struct quiet *q, double size);
/* Frees the memory. */
void quiet_free(struct quiet *q);

#endif
