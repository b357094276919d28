/* SPDX-License-Identifier: MIT */
/*
 * filed.h - predictions that are filed before anything is measured, as the table of measured.h:
 *
 *	APPLICATION	MACHINE	KIND	LOW	PREDICTION	HIGH
 *
 * in seconds per unit with the bounds of the interval; MACHINE is "a/b" for the time on a relative
 * to that on b.
 */
#ifndef OSVEC_PREDICT_FILED_H
#define OSVEC_PREDICT_FILED_H

#include "trial.h"

/* Prints the predictions of t, and the ratio of each two machines, the earlier to the later one. */
void filed_print(const struct trial *t);
/* Reads such a table.  0, or -1 and *e: what measured_read() refuses, or a row whose numbers are
 * not LOW, PREDICTION and HIGH. */
int filed_read(struct measured *t, const char *path, struct error *e);
/* Replaces the pairs of t by those filed, and drops those that were not. */
void filed_take_pairs(struct trial *t, const struct measured *filed);

#endif
