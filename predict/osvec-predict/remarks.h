/* SPDX-License-Identifier: MIT */
/* remarks.h - what to know about the scores of trials, as notes. */
#ifndef OSVEC_PREDICT_REMARKS_H
#define OSVEC_PREDICT_REMARKS_H

#include "trial.h"

/* Notes of t: what its times hold, how much its order can show, which guesses do as well, and which
 * machines are left out of what was measured. */
void remarks_make(struct trial *t, const struct measured *measured);
/* Moves the notes of all trials to another query, each once and with the trials that it is about.
 */
void remarks_collect(const struct trials *all, struct query *into);

#endif
