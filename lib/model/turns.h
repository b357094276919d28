/* SPDX-License-Identifier: MIT */
/*
 * turns.h - vectors that were measured in turns: a slice of one, a slice of the other, and so on,
 * as scripts/turns does it with several platforms on one host.  They saw the same states of it.
 */
#ifndef TURNS_H
#define TURNS_H

#include <stdbool.h>

#include "vector/osvec.h"

/*
 * Whether a and b were measured in turns: both in three slices at least, known from their meta
 * data; at four in five of the changes from slice to slice it is the other's turn; no two slices
 * were at the same time, as those of two hosts may be; and no fact says that the processors differ.
 */
bool turns_taken(const struct osvec *a, const struct osvec *b);

#endif
