/* SPDX-License-Identifier: MIT */
/*
 * cpu_counters.h - runs the counters of all CPUs during a recording, for cpu_counters.bpf.h to
 * read.
 *
 * Where a CPU cannot count all events at once, groups of them take turns on all CPUs together.
 */
#ifndef BPF_CPU_COUNTERS_H
#define BPF_CPU_COUNTERS_H

#include <stdint.h>

#include "counters/counter.h"
#include "counters/group.h"
#include "record/record.h"

struct recorder; /* of the skeleton */

/* A zeroed struct is valid and counts nothing. */
struct cpu_counters {
	/* Names of the events, by their number in records; the strings are those of the target.
	 * The caller frees the array after the last record was read. */
	const char **names;

	/* Private. */
	struct recorder *program;
	struct groups *groups; /* by CPU */
	size_t ncpus, group;   /* group: the one that counts now */
	uint32_t *first; /* number of the first event of each group, and the end of the last */
	struct rotation turns;
	int64_t next; /* ns: end of the turn */
};

/* Begins to count the events of t, if it names any.  Returns 0, or -1 and sets *e and errno: ENOSYS
 * if they cannot be counted here. */
int cpu_counters_begin(struct cpu_counters *c, struct recorder *p, const struct record_target *t,
		       struct error *e);
/* Lets the next group of events count when a turn of 10 ms is over, and reads what was counted by
 * threads that have not left their CPU.  Call it often. */
void cpu_counters_turn(struct cpu_counters *c);
/* Reads what was not read yet, stops counting and frees everything except the names. */
void cpu_counters_end(struct cpu_counters *c);

#endif
