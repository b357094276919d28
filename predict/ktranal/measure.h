/* SPDX-License-Identifier: MIT */
/* measure.h - one run of a command, or a look at running processes, as a row of a time file. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "vector/timefile.h"
#include "record/callcount.h"
#include "util/error.h"

struct measure {
	char **command;		 /* NULL: the processes of pids */
	const char *path;	 /* of its program */
	const char *const *pids; /* checked numbers */
	size_t npids;
	const char *const *only; /* programs to count; nonly = 0: all */
	size_t nonly;
	double length; /* seconds after which to stop looking; INFINITY: when asked to */
	struct callcount *callcount; /* counts the calls of each program; NULL: nobody does */
	double patience;	     /* seconds to wait for processes that outlive the command */
};

/*
 * Both run it and fill *r; *status becomes the wait(2) status of the command.  0, or -1, *e and
 * errno: EPERM, EACCES or ENOSYS when ptrace may not be used here, which only the second does without.
 */
int measure_by_ptrace(const struct measure *m, struct time_run *r, int *status, struct error *e);
/* Knows only the sum over processes that somebody waits for. */
int measure_by_wait(const struct measure *m, struct time_run *r, int *status, struct error *e);

#endif
