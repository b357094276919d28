/* SPDX-License-Identifier: MIT */
/*
 * cost.h - what one entry costs, by the values of its processes: a centre with its interval, a
 * mean, and flags (docs/results.5).
 */
#ifndef DRIVER_COST_H
#define DRIVER_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "history.h"
#include "schedule.h"
#include "stats/estimate.h"
#include "stats/sample.h"
#include "vector/osvec.h"

#define COST_LEVEL 0.95 /* confidence of the intervals */

struct cost {
	char *name;
	struct estimate centre;	 /* seconds per operation */
	struct estimate trimmed; /* the thesis's: a tenth dropped on each side */
	struct estimate mean;	 /* of the processes' means: what sums are made of */
	double mean_error;	 /* standard error of its logarithm; NaN: unknown */
	double cpu;		 /* seconds of CPU per operation; NaN: unknown */
	struct modes modes;
	double precision; /* relative half-width of centre's interval; NaN: no interval */
	double error;	  /* standard error of the centre's logarithm; NaN: unknown */
	double minimum;
	double cv;	    /* between processes: standard deviation / mean */
	double batch_cv;    /* between the batches of one process, the usual one */
	double tail_excess; /* mean / Hodges-Lehmann - 1 */
	double drifted;	    /* share of values from rounds in which a canary entry had drifted */
	char *flags;	    /* "FEW,WIDE"; "" */
	double *all;	    /* the values of all processes */
	size_t processes;
	size_t pilot;	/* how many of them, the first, are left out below */
	double *values; /* of the others, adjusted to one state of the host if possible */
	size_t n;
	double mean_factor; /* mean cost over the states of the host / cost in the mean state */
	double inflation;   /* of intervals and errors; more than 1 where values were adjusted */
	double adjustment_error;	     /* standard error of the logarithm of the adjustment */
	const struct history_entry *history; /* of its processes; NULL: only values are there */
	const struct history_run **runs;     /* of all; NULL where the history lacks the value */
	const struct osvec_entry *shipped;   /* from osvec.json; NULL: there is a history */
};

/* Fills in the rest of x, which has name, all, processes, history and shipped, and takes the first
 * two: all but drifted and flags. */
void cost_describe(struct cost *x, const struct schedule_rule *rule, enum estimator e);
/* The estimates alone, from values[n]. */
void cost_estimate(struct cost *x, enum estimator e);
/* Once drifted is known: makes the flags anew.  logged: the run has a history, which should have
 * all processes. */
void cost_set_flags(struct cost *x, const struct schedule_rule *rule, bool logged);
/* Frees what x holds. */
void cost_done(struct cost *x);

#endif
