/* SPDX-License-Identifier: MIT */
/*
 * pmu.h - hardware and kernel events, named as in libpfm4, counted while batches run; one set per
 * process.  They are counted in this process and in all threads and processes that it starts later,
 * so that both parties of a round trip are included.
 */
#ifndef PMU_H
#define PMU_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Opens the events of a comma-separated list, stopped, grouped to be counted at the same time.  0,
 * or -1 and *e if an event is unknown or cannot be counted here. */
int pmu_open(const char *list, struct error *e);
/* Start and stop counting. */
void pmu_start(void);
void pmu_stop(void);
/* Sets all counts to zero. */
void pmu_reset(void);
/* The number of open events. */
size_t pmu_count(void);
/* The name of event i as given to pmu_open. */
const char *pmu_name(size_t i);
/* The count of event i since pmu_reset, scaled up if the kernel multiplexed the counters; NaN if
 * the event was never scheduled. */
double pmu_value(size_t i);

/* Opens and starts the counter of this thread's CPU cycles, the clock -C pmu.  0, or -1 and *e. */
int pmu_open_cycles(struct error *e);
/* The cycles so far. */
uint64_t pmu_cycles(void);

#endif
