/* SPDX-License-Identifier: MIT */
/* tally.h - statistics of the calls of one kind, in memory that does not grow with their number. */
#ifndef VIEW_TALLY_H
#define VIEW_TALLY_H

#include <stdint.h>

#include "stats/histogram.h"
#include "trace/event.h"

/* A zeroed struct is valid and empty. */
struct tally {
	uint64_t calls, errors;
	uint64_t timed; /* calls with a known duration; the members below are about these, in ns */
	double total, mean, m2; /* m2: sum of squared distances from the mean */
	int64_t min, max;
	struct histogram times;
};

/* Adds a call that returned, or all calls that the event stands for. */
void tally_add(struct tally *t, const struct event *call);
/* Adds the calls of another tally. */
void tally_merge(struct tally *t, const struct tally *from);
/* The times that tally_seconds() returns.  A percentile has a relative error of at most
 * HISTOGRAM_ERROR and is never outside of the extremes. */
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
/* Returns one of these times in seconds; NaN if no call had a duration, and for the deviation of a
 * single call. */
double tally_seconds(const struct tally *t, enum tally_time which);
/* Frees everything. */
void tally_free(struct tally *t);

#endif
