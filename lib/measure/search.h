/* SPDX-License-Identifier: MIT */
/* search.h - how many operations make a batch of the wanted length. */
#ifndef SEARCH_H
#define SEARCH_H

#include <stdint.h>

#include "measure/bench.h"
#include "util/error.h"

/* A batch with its hooks may take so many times what it is timed for; where the hooks take longer,
 * batches are shorter. */
enum { SEARCH_HOOKS = 4 };

/* One call of run(n). */
struct call {
	uint64_t n;
	double ticks; /* that it is timed for, roughly */
	double wall;  /* seconds that it takes with its hooks, roughly */
};

/* n as a multiple of bench's granule: at least one and, when possible, within the limit. */
uint64_t search_round(const struct bench *bench, double n);
/* Times n operations.  0 and *c, or -1 and *e when one failed. */
int search_time(const struct bench *bench, uint64_t n, struct call *c, struct error *e);
/*
 * Doubles the operations until they last target seconds of ticks of `tick` seconds (less, but at
 * least a quarter, when SEARCH_HOOKS says so), and checks on the way that more operations take
 * longer.  Serves as warm-up.  0 and *c, or -1 and *e: an operation failed, or there is no work to
 * be seen.
 */
int search_iterations(const struct bench *bench, double target, double tick, struct call *c,
		      struct error *e);

#endif
