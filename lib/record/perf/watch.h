/* SPDX-License-Identifier: MIT */
/*
 * watch.h - opens the perf events by which threads and all their descendants are recorded, with one
 * ring for each CPU.
 *
 * An event that children inherit can be read through a ring only if it is of one thread on one CPU.
 */
#ifndef PERF_WATCH_H
#define PERF_WATCH_H

#include "record/perf/perf_ring.h"

struct watch {
	struct tracepoints tracepoints;
	bool in_kernel;		  /* we may see events of the kernel */
	VEC(int) cpus;		  /* numbers of those that are online */
	size_t nrings;		  /* a multiple of the number of CPUs that are online */
	struct perf_cpu *readers; /* of the rings */
	uint32_t *lost;		  /* records, by index in cpus */
	VEC(int) fds;		  /* of all events */
	VEC(int) leaders;	  /* of fds, those with which the others begin and end */
	size_t cpus_possible;	  /* all CPUs have lower numbers */
};

/* Returns 0 if recording by perf events works here, or -1 and sets *e and errno. */
int watch_probe(struct error *e);
/* Finds tracepoints and CPUs.  Returns 0, or -1 and sets *e and errno. */
int watch_begin(struct watch *w, struct error *e);
/* Records thread tid from now on, except its calls; opens the rings for the first thread.  Returns
 * 0, or -1 and sets *e and errno. */
int watch_thread(struct watch *w, pid_t tid, struct rings *rings, struct error *e);
/* Starts to record the calls of all these threads, too.  Adding a thread takes milliseconds, in
 * which the calls of others must not fill the rings. */
void watch_calls(const struct watch *w);
/* Stops recording. */
void watch_end(struct watch *w);
/* Returns how many entries and exits of calls were lost, by the number of the CPU.  Call it after
 * watch_end(), when the rings have been read.  The caller frees the array. */
uint64_t *watch_lost(const struct watch *w);
/* Frees everything.  The rings must have been closed. */
void watch_free(struct watch *w);

#endif
