/* SPDX-License-Identifier: MIT */
/* measured.h - what the operands of summary and compare name: runs, or vectors alone. */
#ifndef MEASURED_H
#define MEASURED_H

#include <stdbool.h>

#include "reduce.h"

struct measured {
	const char *operand;
	struct reduction *run; /* NULL: a vector alone */
	struct osvec *vector;
};

/* Reads path: a run, a directory above runs (the newest), the name of a reference platform or
 * the file of a vector, whose own estimator counts.  0, or -1 and *e. */
int measured_read(struct measured *m, const char *path, enum estimator estimator, struct error *e);
/* Moves the costs of m, a run, to the state of the host during the run at path, of the same machine
 * (variates.h).  0, or -1 and *e when no entry can be moved. */
int measured_move(struct measured *m, const char *path, struct error *e);
void measured_free(struct measured *m);
/* All that is known of where it was measured, an object; NULL: nothing. */
const json_t *measured_environment(const struct measured *m);

/* How the cost of an entry in b differs from that in a. */
struct difference {
	const struct osvec_entry *a, *b;
	struct estimate ratio; /* b / a with its 95 % interval; NaN bounds: not known */
	double p;	       /* of so great a ratio when there is no difference; NaN: not known */
	bool differs;	       /* said to be a difference by difference_control() */
};

/* The ratio of b to a, from the standard errors of their logarithms by Welch's test. */
struct difference difference_between(const struct osvec_entry *a, const struct osvec_entry *b);
/* Benjamini and Hochberg (1995): of those that are said to be differences, a share of rate is none
 * on average. */
void difference_control(struct difference *d, size_t n, double rate);
/* Whether that difference may be larger than what makes none in practice, 0.03: 3 %. */
bool difference_matters(const struct difference *d, double equivalence);

#endif
