/* SPDX-License-Identifier: MIT */
/*
 * hostlook.h - looks at the state of the host before and after a program runs, by the canaries on
 * each CPU: others may keep one of them busy, such as the other thread of its core, and not the
 * next.
 */
#ifndef MEASURE_HOSTLOOK_H
#define MEASURE_HOSTLOOK_H

#include "machine/cpus.h"
#include "measure/canary.h"

struct hostlook {
	struct hostlook_cpu {
		int cpu;
		double busy;		  /* cpus_busy() after the look */
		double seconds[CANARIES]; /* per step */
	} cpus[CPUS_VISITED];
	size_t n;
};

/* Does the canaries on each CPU (cpus_visit()), for some milliseconds. */
void hostlook_take(struct hostlook *l);
/* Seconds per step of each canary between two looks: the means over the CPUs, each weighted by how
 * long it was busy in between; all alike where nothing says that. */
void hostlook_between(const struct hostlook *a, const struct hostlook *b, double seconds[CANARIES]);

#endif
