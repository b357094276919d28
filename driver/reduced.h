/* SPDX-License-Identifier: MIT */
/* reduced.h - the values of one entry as a cost with its interval, its mean and its flags. */
#ifndef REDUCED_H
#define REDUCED_H

#include <stdbool.h>
#include <stddef.h>

#include "history.h"
#include "schedule.h"
#include "stats/estimate.h"
#include "stats/sample.h"
#include "vector/osvec.h"

#define REDUCED_LEVEL 0.95 /* confidence of the intervals */

struct reduced {
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
	double drifted;	    /* share of values from rounds in which a canary moved */
	char *flags;	    /* "FEW,WIDE"; "" */
	double *all;	    /* the values of all processes */
	size_t processes;
	size_t pilot; /* how many of them, the first, are left out below */
	double
	    *values; /* of the others, in one state of the host where that is known (variates.h) */
	size_t n;
	double mean_factor; /* mean cost over the states of the host / cost in the mean state */
	double inflation;   /* of intervals and errors; more than 1 where values were adjusted */
	double adjustment_error;	   /* standard error of the logarithm of the adjustment */
	const struct history_entry *log;   /* of its processes; NULL: only values are there */
	const struct history_run **runs;   /* of all; NULL where the value is in no log */
	const struct osvec_entry *shipped; /* by an earlier reduction; NULL: there is a log */
};

/* Fills in x of the given name, all, processes, log and shipped: what they say, but for drifted and
 * flags.  x takes name and all. */
void reduced_describe(struct reduced *x, const struct schedule_rule *rule, enum estimator e);
/* The estimates alone, from values[n]. */
void reduced_estimate(struct reduced *x, enum estimator e);
/* Once drifted is known: the flags.  logged: the run has a log, which should have all processes. */
void reduced_set_flags(struct reduced *x, const struct schedule_rule *rule, bool logged);
/* Frees what x holds. */
void reduced_done(struct reduced *x);
/* Whether word stands in a list of flags. */
bool reduce_has_flag(const char *flags, const char *word);

#endif
