/* SPDX-License-Identifier: MIT */
/* verdict.h - the scores of trials as tables: of one beside naive guesses, and of all. */
#ifndef OSVEC_PREDICT_VERDICT_H
#define OSVEC_PREDICT_VERDICT_H

#include "intervals.h"
#include "sets.h"
#include "trial.h"

/* Prints the scores of t and of the baselines. */
void verdict_print(const struct trial *t);
/* Prints the scores of all, one line each, and the model error that their development
 * set shows (without sets: all of them), in the format of q. */
void verdict_print_all(const struct query *q, const struct trials *all, const struct sets *sets,
		       const struct intervals *intervals);

#endif
