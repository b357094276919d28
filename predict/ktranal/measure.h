/* SPDX-License-Identifier: MIT */
/* measure.h - measures one run of a command, or running processes for a while, as a run of a time
 * file. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stddef.h>
#include <sys/types.h>

#include "record/record.h"
#include "util/error.h"
#include "vector/timefile.h"

struct measure {
	struct record_target target; /* .only: programs to count */
	double length;	 /* seconds after which to stop watching pids; INFINITY: until a signal asks
			    for it */
	double patience; /* seconds to wait for processes that outlive the command */
};

/*
 * Measures each process by itself and fills *r; *status becomes the wait(2) status of the command.
 * 0, or -1, *e and errno: EPERM, EACCES or ENOSYS when ptrace cannot be used here but
 * measure_by_wait can.
 */
int measure_by_ptrace(const struct measure *m, struct time_run *r, int *status, struct error *e);
/* The same for a command without ptrace: only the sum over the processes that are waited for. */
int measure_by_wait(const struct measure *m, struct time_run *r, int *status, struct error *e);
/*
 * Counts the calls of each program of a command in the kernel; the context switches of *r stay 0.
 * 0, or -1, *e and errno: ENOSYS when the kernel cannot, EIO when it has lost some.
 */
int measure_calls(const struct measure *m, struct time_run *r, int *status, struct error *e);

#endif
