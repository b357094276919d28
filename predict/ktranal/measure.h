/* SPDX-License-Identifier: MIT */
/* measure.h - measures one run of a command, or running processes for a while, as a run of a time
 * file. */
#ifndef KTRANAL_MEASURE_H
#define KTRANAL_MEASURE_H

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
 * Measures each process of a command by itself, in the kernel, where it stops nobody, and fills *r;
 * *status becomes the wait(2) status of the command.  Returns 0, or -1 and sets *e and errno: EIO
 * when the command was started; otherwise the following functions may do.
 */
int measure_by_bpf(const struct measure *m, struct time_run *r, int *status, struct error *e);
/* Measures the same, also of running processes, by ptrace, which stops a process for a moment when
 * it starts another one, changes its program and ends.  Returns the same. */
int measure_by_ptrace(const struct measure *m, struct time_run *r, int *status, struct error *e);
/* Measures only the sum over the processes of a command that are waited for, without ptrace.
 * Returns the same. */
int measure_by_wait(const struct measure *m, struct time_run *r, int *status, struct error *e);
/* Measures the same as measure_by_bpf(), and counts the calls of each program.  Returns 0, or -1
 * and sets *e and errno: ENOSYS when the kernel cannot, EIO when it has lost some. */
int measure_calls(const struct measure *m, struct time_run *r, int *status, struct error *e);

#endif
