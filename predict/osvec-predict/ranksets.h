/* SPDX-License-Identifier: MIT */
/* ranksets.h - whether the rank sets of rank, which hold jointly, hold what was measured. */
#ifndef OSVEC_PREDICT_RANKSETS_H
#define OSVEC_PREDICT_RANKSETS_H

#include "trial.h"

/* Counts over applications, each with the machines of a class. */
struct ranksets {
	size_t applications, all_inside; /* of these, the ones whose sets all hold */
	size_t machines, inside;	 /* their measured ranks, and those in their sets */
	size_t slower, told;	 /* more than 5 % slower than the fastest; of these, the ones
				    that cannot be the first by their sets */
	size_t fastest_left_out; /* applications whose fastest machine cannot be the first */
	size_t losses_inside;	 /* whose first machine is at most so much slower than the
				    fastest as rank says of its decision */
};

/* Adds the application of t, whose cells with in[] are those of the class; what was filed has no
 * rank sets. */
void ranksets_add(struct ranksets *s, const struct trial *t, const bool *in);

#endif
