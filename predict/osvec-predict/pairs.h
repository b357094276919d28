/* SPDX-License-Identifier: MIT */
/* pairs.h - the ratios of each two machines of a trial, predicted and measured. */
#ifndef OSVEC_PREDICT_PAIRS_H
#define OSVEC_PREDICT_PAIRS_H

#include "trial.h"

/* Two machines; ratios are the time on the first to that on the second. */
struct pair {
	const struct cell *a, *b;
	double measured;
	struct samples_interval predicted;
};

/* Fills t's pairs from its samples; none when only the order is compared. */
void pairs_find(struct trial *t, const struct samples *d, double level);
/* The kind of the machine that is less like the reference. */
enum kind pair_kind(const struct pair *p);

#endif
