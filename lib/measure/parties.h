/* SPDX-License-Identifier: MIT */
/* parties.h - who takes part in a measurement, and on which CPUs: bench.h has what benchmarks call.
 */
#ifndef MEASURE_PARTIES_H
#define MEASURE_PARTIES_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/placement.h"

extern struct parties {
	struct placed placed;
	uint64_t copies;       /* at once */
	bool threaded;	       /* processes have a second, idle thread, or the copies are threads */
	int cpus[CPU_SETSIZE]; /* that this process may use, in the order of bench_place */
	size_t ncpus;
} parties;

/* Fills in the CPUs, before this process is pinned. */
void parties_find_cpus(void);
/* Adds a CPU on which nothing else of this benchmark runs to the account, unless there are copies,
 * which may want the CPUs of each other. */
void parties_watch(int cpu);
/* Gives this process a second thread, which sleeps and leaves all signals to the first. */
void parties_start_idle_thread(void);
/* Kills and reaps the children of bench_fork that are still there. */
void parties_reap(void);
/* Seconds stolen so far from the CPUs of both parties, or NaN. */
double parties_stolen(void);

#endif
