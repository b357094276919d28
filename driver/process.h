/* SPDX-License-Identifier: MIT */
/* process.h - benchmark programs as child processes: started, watched, never left behind. */
#ifndef DRIVER_PROCESS_H
#define DRIVER_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "util/error.h"
#include "util/map.h"

/* Exit statuses of a benchmark program. */
enum { EXIT_USAGE = 2, EXIT_UNSUPPORTED = 3 };

struct process {
	/* What to run: */
	char *const *argv;     /* argv[0] is the path */
	const cpu_set_t *cpus; /* it may use; NULL: all that we may */
	const int *first;      /* of these for its first party; NULL: it chooses */
	size_t padding;	       /* bytes of a variable that only moves its stack */
	/* What came of it: */
	int status;	 /* of exit(2), or 128 + the signal that ended it */
	bool timed_out;	 /* it was killed for running too long */
	double wall;	 /* seconds */
	char *out, *err; /* what it wrote, cut at 1 MB; free with process_done */
};

/*
 * Runs it in a process group of its own that is killed as a whole after timeout seconds, when the
 * caller is interrupted, or when hbench dies.  0; -1 and *e when it could not be started or the
 * caller was interrupted.
 */
int process_run(struct process *p, double timeout, struct error *e);
/* Returns what process_run allocated. */
void process_done(struct process *p);
/* The last line of what it wrote to stderr, else how it ended: "exit status 1".  Into out[n]. */
const char *process_reason(const struct process *p, char *out, size_t n);

/* Adds the names of the benchmark programs in a directory, sorted.  0, or -1 and *e when it has
 * none. */
int process_programs(const char *directory, struct names *out, struct error *e);
/* What the benchmark program of that name in a directory prints for -L and n more arguments, an
 * object.  The caller drops it; NULL and *e when there is none, with errno EINVAL when the program
 * calls them bad usage. */
json_t *process_describe(const char *directory, const char *program, char *const *arguments,
			 size_t n, struct error *e);

/* Removes what killed benchmarks left in a directory, and returns how many had. */
size_t process_remove_leftovers(const char *directory);

/* SIGINT, SIGTERM and SIGHUP no longer end this program, but process_run; call once. */
void process_catch_signals(void);
/* The signal that arrived, or 0. */
int process_interrupted(void);

#endif
