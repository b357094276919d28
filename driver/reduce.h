/* SPDX-License-Identifier: MIT */
/*
 * reduce.h - from the raw numbers of a run to a cost with its interval, per entry: reads the files
 * of docs/results.5, measures nothing, and can be repeated at any time.
 *
 * The centre is Hodges-Lehmann's (or the estimator asked for), adjusted to the mean state of the
 * host during the run (variates.h).  Nothing is left out as an outlier; values that decided that an
 * entry ends are no part of its result (schedule.h).
 */
#ifndef REDUCE_H
#define REDUCE_H

#include <stdbool.h>
#include <stddef.h>

#include "reduced.h"
#include "util/error.h"

/* One measurement under two names. */
struct reduced_control {
	char *twin;   /* the entry it repeats */
	double ratio; /* of the centre of the control to that of the twin */
	bool trusted; /* they differ by no more than their half-widths claim */
};

struct reduced_canary {
	char *name;
	unsigned moved; /* rounds in which it was off its centre */
};

struct reduction {
	char *path; /* of the run */
	json_t *meta;
	struct history *history;
	struct osvec *shipped;	   /* osvec.json of a run that came without runs.jsonl; or NULL */
	struct schedule_rule rule; /* by which entries ended */
	enum estimator estimator;
	char *
	    state_of; /* the run to whose state of the host the entries were moved; NULL: its own */
	struct reduced *entries; /* sorted by name; controls included */
	size_t n;
	struct reduced_control *controls;
	size_t ncontrols;
	struct reduced_canary *canaries;
	size_t ncanaries;
	unsigned rounds; /* begun */
	struct skipped *skipped;
	size_t nskipped;
};

/* NULL and *e when a file of the run cannot be read. */
struct reduction *reduce(const char *path, enum estimator estimator, struct error *e);
void reduce_free(struct reduction *r);
/* The entry of that name, or NULL. */
const struct reduced *reduce_find(const struct reduction *r, const char *name);
/*
 * Whether a canary, an entry known to be steady, shows that the machine changed: moved[i] when
 * value i of the n, in the order of rounds, comes from a time when the median of the five values
 * around it was off the centre by over 3 %, and by more than the noise from one round to the next
 * explains (a canary that is noisy in itself would always be off).
 */
void reduce_watch_canary(const double *values, size_t n, double centre, bool *moved);
/* The OS vector, controls left out; NULL and *e when an entry's numbers make no vector. */
struct osvec *reduce_vector(const struct reduction *r, struct error *e);
/* Writes it into path, NULL: osvec.json of the run.  0, or -1 and *e. */
int reduce_write_vector(const struct reduction *r, const char *path, struct error *e);

#endif
