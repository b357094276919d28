/* SPDX-License-Identifier: MIT */
/*
 * usage.h - what a process has used itself: CPU time, context switches, page faults.
 *
 * Unlike wait4(2), children are not included: the sum over the processes of a tree counts nothing
 * twice, and nothing is missing when a parent never waits.
 */
#ifndef USAGE_H
#define USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct usage {
	double cpu;			/* seconds, exact */
	double ticks, user_ticks;	/* seconds by the clock tick: all, and in user mode */
	int64_t voluntary, involuntary; /* context switches */
	int64_t minor_faults, major_faults;
};

/*
 * Reads what process pid, running, stopped or an unreaped zombie, has used with all its threads
 * (context switches: of the threads that still exist).  0 or -1.
 *
 * User and system time are separated by sampling only: by the tick, 100 to 1000 times a second.  In
 * one short process the share of user ticks is 0 or 1, and getrusage(2) reports a process without
 * ticks as all user; so add up similar processes before taking user_ticks / ticks for the share of
 * user time.
 */
int usage_read(pid_t pid, struct usage *u);
/* All but the context switches, which take longest to read. */
int usage_read_without_switches(pid_t pid, struct usage *u);
/* Adds the context switches of thread tid. */
void usage_add_switches(struct usage *u, pid_t tid);
/* Whether the usage of a zombie can be read: on Linux, not on gVisor. */
bool usage_of_dead(void);

/* a += factor * b. */
void usage_add(struct usage *a, const struct usage *b, int factor);
/* What was used between two readings; nothing is less than 0, as switches of a thread whose end was
 * not seen are missing in the later one. */
struct usage usage_since(const struct usage *now, const struct usage *then);

#endif
