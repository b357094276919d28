/* SPDX-License-Identifier: MIT */
/* tally.h - statistics of the calls of one kind, in memory that does not grow with their number. */
#ifndef TALLY_H
#define TALLY_H

#include <stdint.h>

#include "stats/histogram.h"
#include "trace/event.h"

/* A zeroed one is valid and empty. */
struct tally {
	uint64_t calls, errors;
	uint64_t timed;		/* calls whose duration is known; the rest is about them, in ns */
	double total, mean, m2; /* m2: sum of squared distances from the mean */
	int64_t min, max;
	struct histogram times;
};

/* Counts a call that returned, or the calls that the event stands for. */
void tally_add(struct tally *t, const struct event *call);
/* Counts the calls of another one too. */
void tally_merge(struct tally *t, const struct tally *from);
/*
 * Seconds; NaN when no duration is known, the deviation also for a single call.  A percentile is
 * off by at most HISTOGRAM_ERROR of itself, and never outside the extremes.
 */
enum tally_time {
	TALLY_TOTAL,
	TALLY_MIN,
	TALLY_MAX,
	TALLY_MEAN,
	TALLY_DEVIATION,
	TALLY_P50,
	TALLY_P95,
	TALLY_P99,
};
/* One of these times in seconds; NaN when no call had a duration. */
double tally_seconds(const struct tally *t, enum tally_time which);
/* Returns the memory. */
void tally_free(struct tally *t);

#endif
