/* SPDX-License-Identifier: MIT */
/*
 * law.h - how a cost grows with the number of processors P and the size of a problem N, found from
 * measurements.
 *
 * A law is c f(P) g(N), a + c f(P) g(N) or g(N) (a + c f(P)), with constants that are not negative,
 * f one of 1, P, P - 1, log P, P log P, sqrt P, P^2 and 1 / P, and g one of 1, N, log N, N log N,
 * sqrt N, N^2 and N^3.  Of all of them that one is taken which predicts best what it was not fitted
 * to: all measurements of one P and N are left out in turn.  Of those whose
 * error is at most a tenth, and 0.1 % of the scale, above the least one the simplest is taken;
 * those that are at most a quarter, and 0.1 %, above it say how sure that is.
 *
 * M. Crovella, T. LeBlanc: Parallel Performance Prediction Using Lost Cycles Analysis,
 * Supercomputing 1994, section 4.
 */
#ifndef STATS_LAW_H
#define STATS_LAW_H

#include <stddef.h>

struct law_point {
	double p, n;  /* at least 1 */
	double value; /* of the cost */
	double scale; /* an error counts relative to this, > 0 */
};

struct law {
	unsigned p, n;		 /* numbers of f and g */
	unsigned form;		 /* number of the form */
	double constant, factor; /* a and c */
	double error; /* root of the mean squared relative error of what was left out; NaN: all
			 points have the same P and N */
};

enum { LAW_MOST = 256 };

/*
 * Fits laws to v[n], n > 0, and stores them in laws[LAW_MOST]: the chosen one first, then the
 * others that say how sure it is.  Returns how many.
 */
size_t law_fit(const struct law_point *v, size_t n, struct law *laws);
/* Returns the cost at P and N. */
double law_at(const struct law *law, double p, double n);
/* Returns a text such as "0.1 + 2.5 P log P", with numbers in the unit of the cost; the caller
 * frees. */
char *law_text(const struct law *law);

#endif
