/* SPDX-License-Identifier: MIT */
/* rounds.h - a run of a suite: round by round, one process of each entry that needs more. */
#ifndef DRIVER_ROUNDS_H
#define DRIVER_ROUNDS_H

#include <stdbool.h>

#include <jansson.h>

#include "history.h"
#include "outcome.h"
#include "results.h"
#include "schedule.h"
#include "util/progress.h"

struct run {
	struct suite *suite;
	struct plan plan;
	struct results results;
	json_t *meta;
	struct schedule *schedule; /* this and the rest by rounds_prepare */
	struct progress progress;
	struct attempts *attempts; /* of each entry */
	double started;		   /* CLOCK_MONOTONIC, less what it took before it was resumed */
	uint64_t round;		   /* the next one */
};

/* Makes the schedule and the progress of a run whose suite, plan, results and meta are set, and
 * starts its clock. */
void rounds_prepare(struct run *run, bool quiet);
/* Gives the schedule what an earlier part of the run has measured or skipped; before is its log.
 * 0, or -1 and *e. */
int rounds_recall(struct run *run, const struct history *before, struct error *e);
/* Finds out what the levels of the memory hierarchy that the suite names are here, unless the run
 * knows; entries of a level that is not there are skipped.  0, or -1 and *e. */
int rounds_resolve_levels(struct run *run, struct error *e);
/* Measures until nothing is left to do.  *status is "complete", "budget" or "interrupted".  0, or
 * -1 and *e when a result cannot be stored. */
int rounds_measure(struct run *run, const struct history *before, const char **status,
		   struct error *e);

#endif
