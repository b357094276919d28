/* SPDX-License-Identifier: MIT */
/* aggregate.h - vectors of machines with several CPUs, made of what fewer CPUs cost. */
#ifndef VECTOR_AGGREGATE_H
#define VECTOR_AGGREGATE_H

#include "vector/osvec.h"

/*
 * The vector of a machine on which n copies work at once, seen as one machine: an entry that was
 * measured with so many ("NAMExN") costs 1/n of that, as n operations end in this time; another
 * 1/n of its own cost, the half-harmonic rule, but one after other data and code as much more as
 * its loop does, and has the flag UNSHARED.  v must outlive it.  NULL and *e when none was
 * measured.
 */
struct osvec *osvec_of_copies(const struct osvec *v, unsigned n, struct error *e);
/* Whether an entry was measured with so many. */
bool osvec_has_copies(const struct osvec *v, unsigned n);
/*
 * Half-harmonic aggregation of a two-CPU machine from two single-CPU vectors (thesis, two-CPU row
 * of Table 4): each cost is 1 / (1/a + 1/b).  Entries present in both; NULL and *e when none is.
 */
struct osvec *osvec_half_harmonic(const struct osvec *a, const struct osvec *b, struct error *e);

#endif
