/* SPDX-License-Identifier: MIT */
/*
 * pmu.h - hardware and kernel events counted while batches run: one set per process.
 *
 * The events are named as libpfm4 names them.  They are counted in the process and in all threads
 * and processes it starts later, so that both parties of a round trip are in.  What the machine
 * cannot count is missing, never zero.
 */
#ifndef PMU_H
#define PMU_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/*
 * Opens the events of a comma-separated list, stopped, in groups that run at the same time.  0, or
 * -1 and *e: an event is unknown, or this machine or kernel counts none.
 */
int pmu_open(const char *list, struct error *e);
/* Let the events count; do nothing when none are open. */
void pmu_start(void);
void pmu_stop(void);
/* Forgets what was counted so far. */
void pmu_reset(void);
/* The events open. */
size_t pmu_count(void);
/* The name of event i, as it was asked for. */
const char *pmu_name(size_t i);
/* Counts of event i since pmu_reset, scaled up when the events had to take turns on the hardware;
 * NaN when it never got its turn. */
double pmu_value(size_t i);

/* Opens the counter of this thread's CPU cycles, running: what -C pmu reads.  0, or -1 and *e. */
int pmu_open_cycles(struct error *e);
/* Its count. */
uint64_t pmu_cycles(void);

#endif
