/* SPDX-License-Identifier: MIT */
/*
 * baselines.h - guesses that know nothing of the application: what a prediction must beat.
 *
 * Each is one number per machine, in a unit of its own: only order and ratios mean something.
 */
#ifndef BASELINES_H
#define BASELINES_H

#include <stdbool.h>

#include "query.h"

enum baseline {
	BASELINE_NULL_CALL, /* the cost of the null call */
	BASELINE_CPU,	    /* one CPU benchmark */
	BASELINE_MEAN,	    /* geometric mean of all entries that every machine has */
	BASELINES
};

const char *baseline_name(enum baseline b);
/* Fills value[n] for the machines of q whose numbers are in machine[n]; false when one of them
 * lacks what it takes. */
bool baseline_guess(enum baseline b, const struct query *q, const size_t *machine, size_t n,
		    double *value);

#endif
