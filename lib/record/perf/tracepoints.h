/* SPDX-License-Identifier: MIT */
/*
 * tracepoints.h - finds the numbers of the kernel's tracepoints of system calls, by which perf
 * events refer to them.
 *
 * The numbers differ between kernels, and only root can look them up.  But the only tracepoints
 * that the kernel lets an ordinary user open are those of system calls, so that all that can be
 * opened are the ones wanted.
 *
 * There are two families.  raw_syscalls has one tracepoint for the entry and one for the exit of
 * all calls, in the kernel, which needs kernel.perf_event_paranoid <= 1 or CAP_PERFMON.  syscalls
 * has a pair for each call, whose entry and exit have neighbouring numbers; they count as events of
 * the program, so that 2 is enough.
 */
#ifndef PERF_TRACEPOINTS_H
#define PERF_TRACEPOINTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/vec.h"

enum tracepoint_role { TRACEPOINT_UNKNOWN, TRACEPOINT_ENTRY, TRACEPOINT_EXIT };

/* A zeroed struct is valid and empty. */
struct tracepoints {
	bool raw; /* the family is raw_syscalls */
	VEC(uint16_t) ids;
	/* What the lower number of each pair is.  Compilers differ; samples tell. */
	enum tracepoint_role lower;
	VEC(int) opened; /* files of the search, slow to close: see tracepoints_free() */
};

/* Calls perf_event_open(2) for thread pid (0: this one) on a CPU (-1: any), in the group of a
 * leader
 * (-1: none).  Returns a descriptor, or -1 and sets errno. */
int tracepoint_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader);
/* Returns the attributes of an event that takes a sample, with raw data and the time of
 * CLOCK_MONOTONIC, each time tracepoint `id` is hit.  in_kernel: it may see the kernel, which
 * raw_syscalls needs. */
struct perf_event_attr tracepoint_attr(uint16_t id, bool in_kernel);

/* Returns 1 if we may see events of the kernel and 0 if we may not.  If we may not even see those
 * of programs, returns -1 and sets *e and errno. */
int tracepoints_allowed(struct error *e);
/* Returns 0 if there are tracepoints of system calls, as far as that can be told at once, or -1 and
 * sets *e and errno. */
int tracepoints_probe(bool raw, struct error *e);
/* Finds the tracepoints of raw_syscalls, or of syscalls.  Returns 0, or -1 and sets *e and errno:
 * ENOSYS if the kernel has none. */
int tracepoints_find(struct tracepoints *t, bool raw, struct error *e);
/* Returns what a sample of tracepoint `id` means whose raw data have `size` bytes. */
enum tracepoint_role tracepoints_role(const struct tracepoints *t, uint16_t id, uint32_t size);
/* Returns whether tracepoints_role() can tell it. */
static inline bool tracepoints_known(const struct tracepoints *t)
{
	return t->raw || t->lower;
}
/* Learns from such a sample what t->lower is, unless its size fits both roles. */
void tracepoints_learn(struct tracepoints *t, uint16_t id, uint32_t size);
/*
 * Frees t and closes its files and fds[n].  A process of its own does that, since the kernel waits
 * until all CPUs have left each tracepoint that nobody uses any more.
 */
void tracepoints_free(struct tracepoints *t, const int *fds, size_t n);

#endif
