/* SPDX-License-Identifier: MIT */
/* trial.h - the predictions of one application, scored against its measured times of one kind. */
#ifndef TRIAL_H
#define TRIAL_H

#include "intervals.h"
#include "stats/score.h"
#include "measured.h"

/* Guesses that know nothing of the application, which a prediction must beat.  Each is one number per
 * machine, in a unit of its own: only order and ratios mean something. */
enum baseline {
	BASELINE_NULL_CALL, /* the cost of the null call */
	BASELINE_CPU,	    /* one CPU benchmark */
	BASELINE_MEAN,	    /* geometric mean of all entries that every machine has */
	BASELINES
};

/* A machine with a measured time; times in seconds per unit. */
struct cell {
	size_t machine; /* of the query */
	const struct measured_row *measured;
	double predicted;
	struct samples_interval interval;
	size_t predicted_place, measured_place; /* 1 is the fastest */
};

/* A guess and how good it is. */
struct verdict {
	struct score score;
	size_t tried, inside; /* times that an interval could hold, and those it holds */
};

struct trial {
	struct query q;
	enum measured_kind kind;
	struct cell *cells; /* the fastest first, as measured */
	size_t n;
	struct verdict verdict;
	struct score baseline[BASELINES]; /* n = 0: a machine lacks what it takes */
	double measured_share;		  /* of the intervals' squared width */
	char *calibration;
};

struct trials {
	struct trial **v;
	size_t n, cap;
};

extern const double trial_apart; /* pairs that differ by more count: 0.05 */

const char *baseline_name(enum baseline b);
/* Reads an application.  Machines, which stay the caller's, level, reference and format are those of
 * common. */
struct trial *trial_new(const struct query *common, const char *application,
			enum measured_kind kind);
/* Finds the machines with a measured time; returns their number. */
size_t trial_match(struct trial *t, const struct measured *measured);
/* Predicts and scores.  -1 and *e when level 1 lacks the time measured on the reference. */
int trial_score(struct trial *t, const struct intervals *intervals, struct error *e);
/* "redis-set cpu"; the caller frees. */
char *trial_name(const struct trial *t);
double trial_ratio(const struct cell *c);
bool trial_inside(const struct cell *c);
/* Whether calibration made the prediction equal to the measured time. */
bool trial_known(const struct trial *t, const struct cell *c);
/* Whether times of this kind are predicted, and not only their order. */
bool trial_compares(const struct trial *t);
/* Whether the measured time tests the interval. */
bool trial_tried(const struct trial *t, const struct cell *c);
void trial_free(struct trial *t);

#endif
