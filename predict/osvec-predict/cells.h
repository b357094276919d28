/* SPDX-License-Identifier: MIT */
/* cells.h - the machines of trials as tables: what was predicted for each beside what was measured.
 */
#ifndef OSVEC_PREDICT_CELLS_H
#define OSVEC_PREDICT_CELLS_H

#include "trial.h"

/* Prints the machines of t, and as text the largest parts of the predictions that are far off. */
void cells_print(const struct trial *t);
/* Prints those of all trials as one table, the main one, in the format of q. */
void cells_print_rows(const struct query *q, const struct trials *all);

#endif
