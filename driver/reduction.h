/* SPDX-License-Identifier: MIT */
/*
 * reduction.h - a run as costs: reads the files of docs/results.5, measures nothing, and can be
 * repeated at any time.
 *
 * The centre of an entry (cost.h) is Hodges-Lehmann's, or the estimator asked for, adjusted to the
 * mean state of the host during the run (host_state.h).  Nothing is left out as an outlier; values
 * that decided that an entry ends are no part of its result (schedule.h).
 *
 * Two kinds of entries of the suite judge the run itself: a canary entry is known to be steady, and
 * drifts only when the machine does; a control is another entry measured again, and should cost the
 * same.
 */
#ifndef DRIVER_REDUCTION_H
#define DRIVER_REDUCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "cost.h"
#include "util/error.h"

/* A control, beside the entry that it repeats. */
struct control {
	char *twin;   /* that entry */
	double ratio; /* of the centre of the control to that of the twin */
	bool judged;  /* both have a half-width */
	bool trusted; /* they differ by no more than these claim */
};

/* What a canary entry showed. */
struct drift {
	char *entry;
	unsigned rounds; /* in which it was off its centre */
};

struct reduction {
	char *path; /* of the run */
	json_t *meta;
	struct history *history;
	struct osvec *shipped;	   /* osvec.json of a run that came without runs.jsonl; or NULL */
	struct schedule_rule rule; /* by which entries ended */
	enum estimator estimator;
	char *state_of; /* the run to whose state costs were adjusted; NULL: its own */
	double state[OSVEC_CANARIES]; /* that: seconds per step of each canary; NaN: not known */
	struct cost *costs;	      /* sorted by name; controls included */
	size_t n;
	struct control *controls;
	size_t ncontrols;
	struct drift *drifts;
	size_t ndrifts;
	unsigned rounds; /* begun */
	struct skipped *skipped;
	size_t nskipped;
};

/* The run at path.  NULL and *e when one of its files cannot be read. */
struct reduction *reduction_of(const char *path, enum estimator estimator, struct error *e);
/* Returns the memory. */
void reduction_free(struct reduction *r);
/* The cost of the entry of that name, or NULL. */
const struct cost *reduction_find(const struct reduction *r, const char *name);
/*
 * Where a canary entry shows that the machine changed: drifted[i] when value i of the n, in the
 * order of rounds, comes from a time when the median of the five values around it was off the
 * centre by over 3 %, and by more than the noise from one round to the next explains (an entry that
 * is noisy in itself would always be off).
 */
void reduction_find_drift(const double *values, size_t n, double centre, bool *drifted);
/* The OS vector, controls left out; NULL and *e when an entry's numbers make no vector. */
struct osvec *reduction_vector(const struct reduction *r, struct error *e);
/* Writes it into path, NULL: osvec.json of the run.  0, or -1 and *e. */
int reduction_write_vector(const struct reduction *r, const char *path, struct error *e);

#endif
