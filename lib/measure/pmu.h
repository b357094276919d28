/* SPDX-License-Identifier: MIT */
/*
 * pmu.h - hardware and kernel events, named as in libpfm4, counted while batches run; one set per
 * process.  They are counted in this process and in all threads and processes that it starts later,
 * so that both parties of a round trip are included.
 *
 * Events that the counters of a CPU can count at the same time form a group.  Each batch is a slice
 * of time in which one group counts; see counters/counter.h.
 */
#ifndef MEASURE_PMU_H
#define MEASURE_PMU_H

#include <stddef.h>
#include <stdint.h>

#include "counters/counter.h"
#include "util/error.h"

/* Opens the events of a comma-separated list, stopped, in as few groups as the counters allow.  0,
 * -1 and *e if an event is
 * unknown, or EVENT_UNSUPPORTED and *e if it cannot be counted here. */
int pmu_open(const char *list, struct error *e);
/* Such a list as pmu_open() understands it in programs without libpfm4, too: counters/event.h.  No
 * events are open.  The caller frees. */
char *pmu_encoded(const char *list);
/* Closes them. */
void pmu_close(void);
/* What is counted: each has counts of its own. */
enum pmu_part {
	PMU_WORK,    /* a call of run() */
	PMU_NOTHING, /* one that does nothing */
	PMU_LOOP,    /* one that does what surrounds the operations */
	PMU_PARTS,
};

/* Starts counting the next group, in this part. */
void pmu_start(enum pmu_part part);
/* Stops it, after one call with n operations. */
void pmu_stop(enum pmu_part part, uint64_t n);
/* Sets all counts to zero. */
void pmu_reset(void);
/* The number of open events. */
size_t pmu_count(void);
/* The name of event i as given to pmu_open. */
const char *pmu_name(size_t i);
/* Event i per operation of PMU_WORK since pmu_reset, without what the other parts show to be
 * overhead. */
struct counter_estimate pmu_estimate(size_t i);

/* Opens and starts the counter of this thread's CPU cycles, the clock -C pmu.  0, or -1 and *e. */
int pmu_open_cycles(struct error *e);
/* The cycles so far. */
uint64_t pmu_cycles(void);

#endif
