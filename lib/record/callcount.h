/* SPDX-License-Identifier: MIT */
/*
 * callcount.h - counts the system calls of all processes inside the kernel (BPF), stopping nobody.
 *
 * A traced server is slower, so that more is waiting for it each time it looks: how often it asks
 * depends on being watched.  A counted one loses some 0.1 us per call.
 */
#ifndef CALLCOUNT_H
#define CALLCOUNT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

/* How often one call was made; of the ABI this program is built for. */
struct call_count {
	unsigned id; /* of syscalls.h */
	uint64_t calls;
};

struct callcount;

/*
 * Counts from now on.  NULL, *e and errno when that cannot be done here: EPERM without CAP_BPF and
 * CAP_PERFMON, ENOSYS when the kernel has no BPF or counts of this process under another number (in a
 * pid namespace).
 */
struct callcount *callcount_open(struct error *e);
/*
 * What process pid has called since the last take, into *counts (the caller frees), and forgets it.
 * Returns how many different calls there are.
 */
size_t callcount_take(struct callcount *c, pid_t pid, struct call_count **counts);
/* Calls that did not fit into the kernel's table: not 0 means that counts are too low. */
uint64_t callcount_lost(const struct callcount *c);
/* NULL is fine. */
void callcount_close(struct callcount *c);

#endif
