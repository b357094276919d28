/* SPDX-License-Identifier: MIT */
/*
 * turns.h - vectors that were measured in turns: a slice of one, a slice of the other, and so on,
 * as scripts/turns does it with several platforms on one host.  They saw the same states of it.
 */
#ifndef MODEL_TURNS_H
#define MODEL_TURNS_H

#include <stdbool.h>
#include <stddef.h>

#include "vector/osvec.h"

/* The slices in which a vector was measured, by time, in seconds. */
struct turns {
	const struct osvec *vector;
	struct slice {
		double from, to;
	} * v;
	size_t n, cap;
};

/* Those that v's meta data name; none when they are fewer than three, or one of them is not known
 * from its start to its end.  The caller frees v of it. */
struct turns turns_read(const struct osvec *v);
/*
 * Whether a and b, which have slices, were measured in turns: at four in five of the changes from
 * slice to slice it is the other's turn; no two slices were at the same time, as those of two hosts
 * may be; and no fact says that the processors differ.
 */
bool turns_taken(const struct turns *a, const struct turns *b);

#endif
