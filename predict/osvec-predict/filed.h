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
/* Replaces the pairs of t by those filed, and drops those that were not. */
void filed_take_pairs(struct trial *t, const struct measured *filed);

#endif
