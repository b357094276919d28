/* SPDX-License-Identifier: MIT */
/* search.h - how many operations make a batch of the wanted length. */
#ifndef SEARCH_H
#define SEARCH_H

#include <stdint.h>

#include "measure/bench.h"
#include "util/error.h"

/* n is always a multiple of this. */
uint64_t search_granule(const struct bench *bench);
/* n as a multiple of the granule, at least one granule and, when possible, within the limit. */
uint64_t search_round(const struct bench *bench, double n);
/*
 * Doubles the operations until a batch lasts target ticks, and checks on the way that more
 * operations take longer.  Serves as warm-up.  0 and *n, or -1 and *e: an operation failed, or
 * there is no work to be seen.
 */
int search_iterations(const struct bench *bench, double target, uint64_t *n, struct error *e);

#endif
