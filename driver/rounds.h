/* SPDX-License-Identifier: MIT */
/*
 * rounds.h - the measuring itself: round after round, until every entry has enough, the budget is
 * spent, or someone interrupts.
 */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdint.h>

#include <jansson.h>

#include "history.h"
#include "outcome.h"
#include "results.h"
#include "schedule.h"
#include "suite.h"
#include "util/error.h"
#include "util/progress.h"

struct run {
	struct suite *suite;
	struct plan plan;
	struct results results;
	json_t *meta;
	struct schedule *schedule;
	struct progress progress;
	unsigned *failures;  /* in a row, by entry */
	double *involuntary; /* switches usual for the entry; NaN: unknown */
	double started;	     /* CLOCK_MONOTONIC */
	uint64_t round;	     /* the next one */
	size_t processes, repeated;
};

/* Makes the schedule and the clocks ready; suite, plan and results are set. */
void rounds_prepare(struct run *run, bool quiet);
/* Takes up what an earlier hbench measured in this run.  0, or -1 and *e. */
int rounds_recall(struct run *run, const struct history *before, struct error *e);
/*
 * Measures; before is the history as it was at the start.  *status becomes "complete", "budget" or
 * "interrupted".  -1 and *e when results cannot be written.
 */
int rounds_measure(struct run *run, const struct history *before, const char **status,
		   struct error *e);

#endif
