/* SPDX-License-Identifier: MIT */
/* trial.h - the predictions of one application, scored against its measured times of one kind. */
#ifndef TRIAL_H
#define TRIAL_H

#include "intervals.h"
#include "measured.h"
#include "stats/score.h"

/* A machine with a measured time; times in seconds per unit. */
struct cell {
	const struct machine *machine;
	const struct prediction *prediction;
	const struct measured_row *measured;
	double predicted;
	struct samples_interval interval;
	double ratio; /* predicted over measured; NaN when only the order is compared */
	bool tried;   /* the measured time tests the interval: it is compared, and not calibrated */
	bool inside;  /* it is tried, and inside */
	size_t predicted_place, measured_place; /* 1 is the fastest */
};

/*
 * Guesses that know nothing of the application, which a prediction must beat: the cost of the null
 * call, of one CPU benchmark, and the geometric mean of all entries that every machine has.
 */
enum { BASELINES = 3 };

struct trial {
	struct query q;
	char *name; /* "redis-set cpu" */
	enum measured_kind kind;
	struct cell *cells; /* the fastest first, as measured */
	size_t n;
	struct score score;
	size_t tried, inside; /* number of cells */
	struct {
		const char *name;
		struct score score; /* n = 0: a machine lacks what it takes */
	} baselines[BASELINES];
	struct pair *pairs; /* pairs.h */
	size_t npairs;
	double measured_share; /* of the intervals' squared width */
	char *calibration;
};

struct trials {
	struct trial **v;
	size_t n, cap;
};

extern const double trial_apart; /* pairs that differ by more count: 0.05 */

/* Reads an application and finds the machines, n of them, with a measured time.  Machines, which
 * stay the caller's, level, reference and format are those of common. */
struct trial *trial_new(const struct query *common, const char *application,
			const struct measured *measured, enum measured_kind kind);
/* Predicts and scores.  -1 and *e when level 1 lacks the time measured on the reference. */
int trial_score(struct trial *t, const struct intervals *intervals, struct error *e);
void trial_free(struct trial *t);

#endif
