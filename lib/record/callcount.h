/* SPDX-License-Identifier: MIT */
/*
 * callcount.h - counts the system calls of all processes inside the kernel (BPF), without stopping
 * them.
 *
 * A traced server is slower, finds more requests waiting each time it polls, and so polls less
 * often.  Counting costs only a fraction of a microsecond per call.
 */
#ifndef CALLCOUNT_H
#define CALLCOUNT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

/* The number of calls of one name, for the ABI that this program is built for. */
struct call_count {
	unsigned id; /* of syscalls.h */
	uint64_t calls;
};

struct callcount;

/*
 * Counts from now on.  NULL, *e and errno when that does not work here: EPERM without CAP_BPF and
 * CAP_PERFMON, ENOSYS when the kernel has no BPF or knows this process by another number (in a pid
 * namespace).
 */
struct callcount *callcount_open(struct error *e);
/*
 * Moves the counts of process pid since the last take to *counts, which the caller frees.  Returns
 * the number of different calls.
 */
size_t callcount_take(struct callcount *c, pid_t pid, struct call_count **counts);
/* The number of calls that did not fit into the kernel's table: counts are too low by these. */
uint64_t callcount_lost(const struct callcount *c);
/* NULL is fine. */
void callcount_close(struct callcount *c);

#endif
