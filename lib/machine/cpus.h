/* SPDX-License-Identifier: MIT */
/* cpus.h - the CPUs of this machine: which may be used, how they are related, what was stolen. */
#ifndef MACHINE_CPUS_H
#define MACHINE_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* Writes the CPUs that this process may use, ascending, into out[CPU_SETSIZE]; returns how many. */
size_t cpus_allowed(int *out);
/* Parses the CPU number at *s and moves *s behind it; -1 if there is none below CPU_SETSIZE. */
int cpus_parse_one(const char **s);
/* Parses a list such as "0,2-5" of allowed CPUs into out[CPU_SETSIZE]; 0, or -1, *e and errno:
 * EINVAL when it is no list, ENODEV when one of the CPUs is not allowed. */
int cpus_parse(const char *list, int *out, size_t *n, struct error *e);
/* Pins the calling thread to a CPU; does nothing if cpu is -1.  0, or -1 and *e. */
int cpus_pin(int cpu, struct error *e);
enum { CPUS_VISITED = 16 };
/* Calls f(arg) on each CPU in turn that the calling thread may use, on at most CPUS_VISITED of
 * them, evenly spread, then restores its CPUs; once, anywhere, where it cannot be pinned. */
void cpus_visit(void (*f)(void *arg), void *arg);
/* What two CPUs share, from most to least. */
enum cpus_relation {
	CPUS_SAME,     /* they are one */
	CPUS_SIBLINGS, /* a core: they are hardware threads of it */
	CPUS_NEAR,     /* the last level of cache, or a package of which caches are not known */
	CPUS_FAR,      /* a package only */
	CPUS_PACKAGES, /* nothing: they are in different packages */
};

/* As the kernel describes it, which in a virtual machine may not be so. */
enum cpus_relation cpus_relation(int a, int b);

/* Seconds that the hypervisor has withheld from a CPU (-1: from all CPUs together) since boot, in
 * steps of cpus_tick(); NaN if the kernel does not report them. */
double cpus_steal(int cpu);
/* Seconds since boot in which a CPU (-1: all together) ran tasks, in such steps; NaN or 0 if the
 * kernel does not report them. */
double cpus_busy(int cpu);
/* Seconds since boot in which a CPU (-1: all together) ran no task: idle, in interrupts that the
 * kernel counts apart, or withheld; in such steps; NaN if the kernel does not report them. */
double cpus_idle(int cpu);
/* Seconds for which the CPU quota of this container (the root of the control groups that it sees)
 * has stopped its processes, summed over the CPUs; 0 where there is none. */
double cpus_throttled(void);
/* The length of a clock tick, in which the kernel reports times, in seconds; usually 0.01. */
double cpus_tick(void);

#endif
