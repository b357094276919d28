/* SPDX-License-Identifier: MIT */
/*
 * start.h - what an application does once, its start, apart from what it does for each unit of
 * work.
 *
 * A program is loaded, linked and configured before its first unit, and what that takes must not be
 * divided among the units.  Two runs that differ in nothing but their units tell: with a run of N
 * units and one of n, anything that they use x and y of takes (x - y) / (N - n) for a unit, and the
 * rest of x is the start.
 */
#ifndef VECTOR_START_H
#define VECTOR_START_H

#include "util/error.h"
#include "vector/appvec.h"

/*
 * Takes from a, the runs of N units, their start to a->start; what is left is that of N units.
 * fewer are runs of at most half as many.  Returns the share of the calls of fewer that a lacks, 0
 * when both do the same at their start; or -1 and *e when they are not two lengths of one work.
 */
double start_split(struct appvec *a, const struct appvec *fewer, struct error *e);
/* Undoes that: a holds whole runs. */
void start_join(struct appvec *a);
/* Leaves of a its start, which becomes its one unit. */
void start_only(struct appvec *a);

#endif
