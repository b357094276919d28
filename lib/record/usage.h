/* SPDX-License-Identifier: MIT */
/*
 * usage.h - what a process has used itself, and what each program of a process tree did: CPU time,
 * context switches, page faults.
 *
 * Unlike wait4(2), children are not included: the sum over the processes of a tree counts nothing
 * twice, and nothing is missing when a parent never waits.
 */
#ifndef USAGE_H
#define USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/program.h"
#include "trace/event.h"
#include "util/map.h"

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

enum usage_end { USAGE_RUNNING, USAGE_EXIT, USAGE_EXEC };

/* One program in one process: from its exec, or from the fork, to its end or the next exec. */
struct usage_entry {
	struct program program;
	pid_t pid;
	size_t process;	    /* number of the process, from 0: pids are used again */
	int64_t begin, end; /* CLOCK_MONOTONIC ns */
	uint32_t threads;   /* that it ever had */
	struct usage usage; /* of this process only */
	bool known;	    /* usage could be read */
	enum usage_end how;
};

/* The entries of a process tree, from events and what is said of each program.  Zeroed it is
 * empty. */
struct usage_log {
	struct {
		struct usage_entry *v;
		size_t n, cap;
	} entries; /* in the order of their begin */
	/* Private. */
	struct map present; /* pid -> place of its present program plus 1 */
	size_t processes;   /* so far */
};

/* Takes an event, at a time of CLOCK_MONOTONIC; its program has begun when it is an EXEC. */
void usage_log_event(struct usage_log *l, const struct event *e, int64_t now);
/* The present program of a process used this, until then; NULL: unknown.  Before the event that
 * ends it. */
void usage_log_used(struct usage_log *l, pid_t pid, int64_t now, const struct usage *u);
/* The place of the present program of a process among the entries; -1: it has none. */
ptrdiff_t usage_log_present(const struct usage_log *l, pid_t pid);
/* Returns the memory. */
void usage_log_free(struct usage_log *l);

#endif
