/* SPDX-License-Identifier: MIT */
/*
 * cpu_counters.h - the counters of all CPUs while a recording runs, for cpu_counters.bpf.h to read.
 *
 * Where a CPU cannot count all events at once, groups of them take turns on all CPUs together.
 */
#ifndef CPU_COUNTERS_H
#define CPU_COUNTERS_H

#include <stdint.h>

#include "counters/counter.h"
#include "counters/group.h"
#include "record/record.h"

struct recorder; /* of the skeleton */

/* Zeroed is valid and counts nothing. */
struct cpu_counters {
	const char *
	    *names; /* of the target, by number in the records; freed by whoever reads them */
	/* Private. */
	struct recorder *program;
	struct groups *groups; /* by CPU */
	size_t ncpus, group;   /* group: that counts now */
	uint32_t *first;       /* number of the first event of each group, and one more */
	struct rotation turns;
	int64_t next; /* ns */
};

/* Begins to count the events of t, if it names any.  0, or -1, *e and errno: ENOSYS when they
 * cannot be counted here. */
int cpu_counters_begin(struct cpu_counters *c, struct recorder *p, const struct record_target *t,
		       struct error *e);
/* To be called often: ends a turn of 10 ms, in which what long turns on a CPU counted is read. */
void cpu_counters_turn(struct cpu_counters *c);
/* Reads what was not read yet, stops counting and frees all but the names. */
void cpu_counters_end(struct cpu_counters *c);

#endif
