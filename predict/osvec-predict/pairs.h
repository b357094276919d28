/* SPDX-License-Identifier: MIT */
/* pairs.h - the ratios of each two machines of a trial, predicted and measured. */
#ifndef PAIRS_H
#define PAIRS_H

#include "trial.h"

/* Two machines; ratios are the time on one to that on the other. */
struct pair {
	enum kind kind; /* of the machine that is less like the reference */
	double measured;
	struct samples_interval predicted;
};

/* Fills t's pairs from its samples; none when only the order is compared. */
void pairs_find(struct trial *t, const struct samples *d, double level);
/* Prints how many intervals of ratios hold the measured ratio, how wide they are, and how many tell
 * the machines apart, by the kind of machine. */
void pairs_print(const struct query *q, const struct trials *all);

#endif
