/* SPDX-License-Identifier: MIT */
/*
 * look.h - looks at the state of the host before and after a program runs, by the canaries on
 * each CPU: others may keep one of them busy, such as the other thread of its core, and not the
 * next.
 */
#ifndef MEASURE_LOOK_H
#define MEASURE_LOOK_H

#include "machine/cpus.h"
#include "measure/canary.h"

struct look {
	struct look_cpu {
		int cpu;
		double before, after;	  /* cpus_busy() */
		double seconds[CANARIES]; /* per step */
	} cpus[CPUS_VISITED];
	size_t n;
	double before, after; /* of all CPUs of the machine */
};

/* Does the canaries on each CPU (cpus_visit()), for some milliseconds; those of the first two only
 * wake it up. */
void look_take(struct look *l);
/* Seconds per step of each canary between two looks: the means over the CPUs, each weighted by how
 * long it ran tasks, of whomever, in between; all alike where they ran less than half of the tasks
 * of the machine, or nothing says that. */
void look_between(const struct look *a, const struct look *b, double seconds[CANARIES]);

/* Looks before, between and after the runs of a program; { .n = 0 } before the first look. */
struct looks {
	size_t n;
	struct look last;
	double mean[CANARIES]; /* of the n - 1 runs, as look_between() says */
};

/* Adds a look: the first is the one before all runs, each other one ends a run. */
void looks_add(struct looks *l, const struct look *now);

#endif
