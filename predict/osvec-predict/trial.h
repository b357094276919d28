/* SPDX-License-Identifier: MIT */
/* trial.h - one application's predictions on trial: beside the truth of one kind, and scored. */
#ifndef TRIAL_H
#define TRIAL_H

#include "baselines.h"
#include "intervals.h"
#include "stats/score.h"
#include "truth.h"

/* A machine with truth; times in seconds per unit. */
struct cell {
	size_t machine; /* of the question */
	const struct truth_row *truth;
	double predicted;
	struct samples_interval interval;
	size_t predicted_place, measured_place; /* 1 is the fastest */
};

/* A guess and how good it is. */
struct verdict {
	struct score score;
	size_t tried, inside; /* truths that an interval could hold, and those it holds */
};

struct trial {
	struct question q;
	enum truth_kind kind;
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

/* Reads an application that is to be tried; machines, which stay the caller's, level, reference,
 * json and csv are those of common. */
struct trial *trial_new(const struct question *common, const char *application,
			enum truth_kind kind);
/* Finds the machines that truth tells about; how many. */
size_t trial_match(struct trial *t, const struct truth *truth);
/* Predicts and scores.  -1 and *e when level 1 lacks the truth of the reference. */
int trial_score(struct trial *t, const struct intervals *intervals, struct error *e);
/* "redis-set cpu"; the caller frees. */
char *trial_name(const struct trial *t);
double trial_ratio(const struct cell *c);
bool trial_inside(const struct cell *c);
/* Whether the cell was made equal to its truth by calibration. */
bool trial_known(const struct trial *t, const struct cell *c);
/* Is the truth of a kind whose size is predicted, and not only its order? */
bool trial_compares(const struct trial *t);
/* Whether the cell's truth may be held against its interval. */
bool trial_tried(const struct trial *t, const struct cell *c);
void trial_free(struct trial *t);

#endif
