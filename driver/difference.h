/* SPDX-License-Identifier: MIT */
/* difference.h - how the costs of two runs differ, and which differences are real. */
#ifndef DRIVER_DIFFERENCE_H
#define DRIVER_DIFFERENCE_H

#include <stdbool.h>

#include "stats/estimate.h"
#include "vector/osvec.h"

/* The cost of an entry in b against that in a. */
struct difference {
	const struct osvec_entry *a, *b;
	struct estimate ratio; /* b / a with its 95 % interval; NaN bounds: not known */
	double p;	       /* of so great a ratio when there is no difference; NaN: not known */
	bool differs;	       /* decided by difference_decide() */
};

/* The ratio of b to a, from the standard errors of their logarithms by Welch's test. */
struct difference difference_between(const struct osvec_entry *a, const struct osvec_entry *b);
/* Decides which of n are real (Benjamini and Hochberg, 1995): of those, a share of rate is none on
 * average. */
void difference_decide(struct difference *d, size_t n, double rate);
/* Whether a real difference may be larger than what makes none in practice, 0.03: 3 %. */
bool difference_matters(const struct difference *d, double equivalence);

#endif
