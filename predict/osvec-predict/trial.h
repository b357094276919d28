/* SPDX-License-Identifier: MIT */
/* trial.h - the predictions of one application, scored against its measured times of one kind. */
#ifndef OSVEC_PREDICT_TRIAL_H
#define OSVEC_PREDICT_TRIAL_H

#include "intervals.h"
#include "measured.h"
#include "next.h"
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

/* Two machines; ratios are the time on the first to that on the second. */
struct pair {
	const struct cell *a, *b;
	double measured;
	struct samples_interval predicted;
	struct next_parts doubt; /* all 0 where the interval was filed */
};

/*
 * Guesses that a prediction must beat.  The first three know nothing of the application: the cost
 * of the null call, of one CPU benchmark, and the geometric mean of all entries that every machine
 * has.  The others say that all machines are as fast as the reference, which is chosen; what
 * applications of other families took, relative to the reference, in the geometric mean; and what
 * is predicted for another application.
 */
enum {
	GUESS_CALL,
	GUESS_CPU,
	GUESS_MEAN,
	GUESSES_OF_VECTORS,
	GUESS_REFERENCE = GUESSES_OF_VECTORS,
	GUESS_OTHERS,
	GUESS_WRONG,
	GUESSES
};

struct guess {
	const char *name;
	double *value;	    /* of each cell, to any scale; NaN: unknown there */
	struct score score; /* n = 0: unknown somewhere */
};

struct trial {
	struct query q;
	char *name; /* "redis-set cpu" */
	enum measured_kind kind;
	struct cell *cells; /* the fastest first, as measured */
	size_t n;
	struct score score;
	size_t tried, inside; /* number of cells */
	struct guess guesses[GUESSES];
	struct pair *pairs;
	size_t npairs;
	double *draws;	       /* of the times of the cells, [ndraws][n] */
	size_t ndraws;	       /* 0: filed */
	double level;	       /* of the intervals */
	double measured_share; /* of the intervals' squared width */
	char *calibration;
};

struct trials {
	struct trial **v;
	size_t n, cap;
};

extern const double trial_apart; /* pairs that differ by more count: 0.05 */

/* Reads an application and finds the machines, n of them, with a measured time; measured is NULL:
 * all, as if a second were measured.  Machines, which stay the caller's, level, reference, the
 * state of hosts and the format are those of common. */
struct trial *trial_new(const struct query *common, const char *application,
			const struct measured *measured, enum measured_kind kind);
/* Predicts and scores; filed, unless NULL, holds predictions (the lower bound, the value and the
 * upper bound as three times) that count instead, and cells without one are dropped.  -1 and *e
 * when level 1 lacks the time measured on the reference, or nothing was filed. */
int trial_score(struct trial *t, const struct intervals *intervals, const struct measured *filed,
		struct error *e);
/* The score of other predictions for the cells of t. */
struct score trial_score_of(const struct trial *t, const double *predicted);
/* Whether the names of two applications agree up to the first "-". */
bool trial_same_family(const char *a, const char *b);
/* Whether the cells of t are counted where all applications are: once, by their wall time where it
 * was measured, else by their CPU time. */
bool trial_counts(const struct trials *all, const struct trial *t);
/* The kind of the machine that is less like the reference. */
enum kind trial_pair_kind(const struct pair *p);
/* The cell of the machine on which the application was recorded, or NULL. */
const struct cell *trial_reference(const struct trial *t);
void trial_free(struct trial *t);

#endif
