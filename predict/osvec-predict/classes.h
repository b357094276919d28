/* SPDX-License-Identifier: MIT */
/* classes.h - the scores of all trials by what the model had seen of them, and by kind of machine.
 */
#ifndef OSVEC_PREDICT_CLASSES_H
#define OSVEC_PREDICT_CLASSES_H

#include "sets.h"
#include "trial.h"

/*
 * Prints tables, in the format of q: the scores of each class, and of the guesses.  A cell counts
 * once, by its wall time where the application's is known, else by its CPU time; what was measured
 * on the reference is no prediction of another machine, and only part of the order.
 */
void classes_print(const struct query *q, const struct trials *all, const struct sets *sets);

#endif
