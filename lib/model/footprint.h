/* SPDX-License-Identifier: MIT */
/*
 * footprint.h - what a call costs more inside a program than in a loop, since the program has
 * touched other data and code in between.  Vectors hold entries measured so, NAME@after=SIZE.
 */
#ifndef MODEL_FOOTPRINT_H
#define MODEL_FOOTPRINT_H

#include "vector/osvec.h"

/* What a call and the harness touch themselves: up to this a call is as cheap as in a loop. */
#define FOOTPRINT_LEAST (16 << 10)

/*
 * Seconds that one operation of each group (vector/group.h) costs more than in a loop, when a
 * program touches so many bytes of data and of code between two calls: extra[group_count()].  It is
 * that of the group's entries measured so; up to FOOTPRINT_LEAST none, above the largest size as at
 * that, and never more than after more bytes: such a difference is noise.  Between two sizes it
 * grows as on the machine like, which may be NULL, did between them, else with the logarithm of
 * bytes.  Groups without such entries have that of null_entry, or none.
 */
void footprint_extra(const struct osvec *v, const char *null_entry, double bytes,
		     const struct osvec *like, double *extra);
/* The least footprint above so many bytes that an entry of v was measured at; infinite: none. */
double footprint_next(const struct osvec *v, double above);

#endif
