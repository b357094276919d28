/* SPDX-License-Identifier: MIT */
/*
 * usage.h - what a process has used itself: CPU time, context switches, page faults.
 *
 * Unlike wait4(2), which adds the children that a process waited for, these are its own: the sum over the
 * processes of a tree counts nothing twice, and nothing is missing when a parent never waits.
 */
#ifndef USAGE_H
#define USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

struct usage {
	double cpu;		  /* seconds, exact */
	double ticks, user_ticks; /* seconds by the clock tick: all, and those that hit user code */
	int64_t voluntary, involuntary; /* context switches */
	int64_t minor_faults, major_faults;
};

/*
 * What process pid has used until now, all its threads included (switches: of the threads that still
 * exist; see usage_switches).  It may be running, stopped, or a zombie that nobody has reaped yet.
 * Returns 0, or -1 and *e.
 *
 * Only samples tell user from system time: the tick that comes 100 to 1000 times a second.  Their share
 * in one short process is all or nothing, and getrusage(2) calls a process that no tick hit all
 * user; so add up processes alike before user_ticks / ticks is taken for the share of user time.
 */
int usage_read(pid_t pid, struct usage *u, struct error *e);
/* All but switches, which take longest to find out. */
int usage_read_without_switches(pid_t pid, struct usage *u, struct error *e);
/* Can the usage of a process be read when it has ended?  Linux tells, gVisor does not. */
bool usage_of_dead(void);
/* The switches of one thread; 0 or -1. */
int usage_switches(pid_t pid, pid_t tid, int64_t *voluntary, int64_t *involuntary);

/* a += b, a -= b. */
void usage_add(struct usage *a, const struct usage *b);
void usage_subtract(struct usage *a, const struct usage *b);

#endif
