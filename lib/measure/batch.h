/* SPDX-License-Identifier: MIT */
/* batch.h - one timed run of n operations, and what the kernel counted meanwhile. */
#ifndef BATCH_H
#define BATCH_H

#include <stdint.h>

#include "measure/bench.h"
#include "util/error.h"

struct batch {
	uint64_t n;   /* operations */
	double ticks; /* of the clock; pauses and the cost of pausing are left out */
	/* This process and the children it reaped meanwhile: */
	uint64_t minor_faults, major_faults;
	uint64_t voluntary, involuntary; /* context switches */
};

/* Runs bench's hooks around n operations and times them.  0, or -1 and *e when check() found that
 * the work did not happen or the clock went backwards. */
int batch_run(const struct bench *bench, uint64_t n, struct batch *out, struct error *e);
/* Adds b to *total. */
void batch_add(struct batch *total, const struct batch *b);
/* Ticks of f(n) alone, pauses left out. */
double batch_time(void (*f)(uint64_t n), uint64_t n);
/* Measures what one bench_pause/bench_resume pair leaves in the time.  Call once, first. */
void batch_measure_pause(void);

#endif
