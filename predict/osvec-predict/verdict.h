/* SPDX-License-Identifier: MIT */
/* verdict.h - the scores of trials as tables: of one beside naive guesses, and of all. */
#ifndef VERDICT_H
#define VERDICT_H

#include "model/modelerror.h"
#include "trial.h"
#include "util/table.h"

/* Prints the scores of t and of the baselines. */
void verdict_print(const struct trial *t);
/* Prints the scores of all, one line each, their sum, and the model error they show, in the format of q; used
 * is the model error in their intervals. */
void verdict_print_all(const struct query *q, const struct trials *all,
		       const struct model_error *used);

/* The next cell of t: a share as "12.3 %". */
void verdict_put_percent(struct table *t, double share);
/* "yes" or "no" */
void verdict_put_answer(struct table *t, bool yes);

#endif
