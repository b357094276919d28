/* SPDX-License-Identifier: MIT */
/*
 * tracepoints.h - the numbers of the kernel's tracepoints of system calls, by which perf events
 * refer to them.
 *
 * They differ between kernels, and only root can look them up.  But the kernel lets an ordinary
 * user open the tracepoints of system calls alone, so that those that open are the ones.
 *
 * There are two families.  raw_syscalls has one tracepoint for the entry and one for the exit of
 * any call, inside of the kernel, which needs kernel.perf_event_paranoid <= 1 or CAP_PERFMON.
 * syscalls has a pair for each call, of which neighbours in number are the entry and the exit, and
 * counts as the program's own: 2 is enough.
 */
#ifndef TRACEPOINTS_H
#define TRACEPOINTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/vec.h"

enum tracepoint_role { TRACEPOINT_UNKNOWN, TRACEPOINT_ENTRY, TRACEPOINT_EXIT };

/* Zeroed is empty. */
struct tracepoints {
	bool raw; /* raw_syscalls */
	VEC(uint16_t) ids;
	/* Of the lower number of each pair: compilers differ.  To be learnt from samples. */
	enum tracepoint_role lower;
	VEC(int) opened; /* files of the search: slow to close, see tracepoints_free() */
};

/* perf_event_open(2) for thread pid (0: this one) on that CPU (-1: any), in the group of a leader
 * (-1: none). */
int tracepoint_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader);
/* An event for each pass of a tracepoint: sampled, raw, in CLOCK_MONOTONIC.  in_kernel: see raw
 * above. */
struct perf_event_attr tracepoint_attr(uint16_t id, bool in_kernel);

/* Whether events in the kernel may be seen: 1 or 0; -1, *e and errno when not even those of
 * programs may. */
int tracepoints_allowed(struct error *e);
/* Whether there are tracepoints of system calls, as far as that can be told at once.  0, or -1, *e
 * and errno. */
int tracepoints_probe(bool raw, struct error *e);
/* Finds those of raw_syscalls, or of syscalls.  0, or -1, *e and errno: ENOSYS when the kernel has
 * none. */
int tracepoints_find(struct tracepoints *t, bool raw, struct error *e);
/* What a sample of tracepoint id means whose raw data have that size. */
enum tracepoint_role tracepoints_role(const struct tracepoints *t, uint16_t id, uint32_t size);
/* Whether that can be told. */
static inline bool tracepoints_known(const struct tracepoints *t)
{
	return t->raw || t->lower;
}
/* Learns from such a sample what t->lower is, if it is none that could be both. */
void tracepoints_learn(struct tracepoints *t, uint16_t id, uint32_t size);
/*
 * Frees t and closes its files and n others, in a process of its own: for each tracepoint that
 * nobody uses any more the kernel waits until all CPUs have left it.
 */
void tracepoints_free(struct tracepoints *t, const int *fds, size_t n);

#endif
