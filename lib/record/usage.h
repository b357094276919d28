/* SPDX-License-Identifier: MIT */
/*
 * usage.h - reads what a process itself has used: CPU time, context switches, page faults.
 *
 * Unlike wait4(2), this does not include children: the sum over the processes of a tree counts
 * nothing twice, and nothing is missing when a parent never waits.
 */
#ifndef RECORD_USAGE_H
#define RECORD_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct usage {
	double cpu;			/* seconds, exact */
	double ticks, user_ticks;	/* seconds by the clock tick: all, and in user mode */
	int64_t voluntary, involuntary; /* context switches */
	int64_t minor_faults, major_faults;
	int64_t wakeups; /* of threads, kernel threads apart, whose last CPU was another one and
			    idle; 0 also where nobody counted them */
};

/*
 * Reads what process pid, which may be a zombie, has used with all its threads; context switches
 * are those of the threads that still exist.  Returns 0, or -1 if it cannot be read.
 *
 * User and system time are separated by sampling only: by the tick, 100 to 1000 times a second.  In
 * one short process the share of user ticks is 0 or 1, and getrusage(2) reports a process without
 * ticks as all user; so add up similar processes before taking user_ticks / ticks for the share of
 * user time.
 */
int usage_read(pid_t pid, struct usage *u);
/* Reads everything except the context switches, which take longest to read.  Returns 0 or -1. */
int usage_read_without_switches(pid_t pid, struct usage *u);
/* Adds the context switches of thread tid to *u. */
void usage_add_switches(struct usage *u, pid_t tid);
/* Returns whether the usage of a zombie can be read: it can on Linux, not on gVisor. */
bool usage_of_dead(void);

/* Adds factor * *b to *a. */
void usage_add(struct usage *a, const struct usage *b, int factor);
/* Returns what was used between two readings.  No member is below 0, although the later reading
 * lacks the switches of threads that have ended since. */
struct usage usage_since(const struct usage *now, const struct usage *then);
/* Returns the share of user time by the ticks of *u, 0 to 1 (sums of differences may be rounded to
 * more user ticks than ticks), or otherwise without ticks. */
double usage_user_share(const struct usage *u, double otherwise);

#endif
