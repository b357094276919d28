/* SPDX-License-Identifier: MIT */
/*
 * doubt.h - what makes a prediction uncertain, entry by entry, to first order: the time is a sum,
 * so that an entry whose share of it is s and whose logarithm has the error r moves the logarithm
 * of the time by s r, and Var log T = sum of s^2 Var log c (the delta method).
 */
#ifndef MODEL_DOUBT_H
#define MODEL_DOUBT_H

#include <stddef.h>

#include "model/modelerror.h"
#include "model/prediction.h"

/* An entry that a prediction rests on. */
struct doubt {
	const struct osvec_entry *entry;
	const struct osvec *of; /* the machine that measured it: that of the prediction, or the
				   reference */
	double error; /* standard deviation of the logarithm of the time; signed: those of an entry
			 in two predictions subtract */
};

struct doubts {
	struct doubt *v;
	size_t n, cap;
};

/* Adds factor times what p rests on to d: its own entries, and those of the reference, which its
 * user time and, in situ, its kernel part are relative to. */
void doubt_add(struct doubts *d, const struct prediction *p, double factor);
/*
 * The variance of the logarithm of the ratio of two predictions that comes from the runs of the
 * application, to first order; 0 with one run.
 */
double doubt_runs(const struct prediction *a, const struct prediction *b);
/*
 * The variance of the logarithm of the ratio of two predictions with one reference that comes from
 * what was measured: all entries, the runs of the application, and calls without an entry.
 */
double doubt_ratio(const struct prediction *a, const struct prediction *b);
/* The standard deviation of the logarithm of p's time that calls without an entry of this machine
 * cause, and starts of programs and waits that are lent to it: their part of the time is uncertain
 * by half of itself. */
double doubt_uncovered(const struct prediction *p);
/*
 * What the model error of p depends on; the caller frees lines, of whose memory user is a part.
 * They say how the logarithm of p's time follows the errors that all machines share: that of the
 * price of each line, relative, and that of the share which each user entry has of the user time,
 * none where that follows the median.  The user time of the reference is known, and at level 2 its
 * kernel part: lines count by what is different from them.
 */
struct model_case doubt_case(const struct prediction *p);
/* The variance that the entries of one machine cause, which share its correlation. */
double doubt_variance(const struct doubts *d, const struct osvec *of);

#endif
