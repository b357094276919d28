/* SPDX-License-Identifier: MIT */
/*
 * watch.h - the perf events by which threads and all their descendants are recorded, with one ring
 * for each CPU.
 *
 * An event that children inherit can only be read through a ring if it is of one thread on one CPU.
 */
#ifndef WATCH_H
#define WATCH_H

#include "record/perf/perf_ring.h"

struct watch {
	struct tracepoints tracepoints;
	bool in_kernel;		  /* may see events there */
	VEC(int) cpus;		  /* that are online */
	size_t nrings;		  /* a multiple of their number */
	struct perf_cpu *readers; /* of the rings */
	uint32_t *lost;		  /* records, by CPU that is online */
	VEC(int) fds;		  /* of all events */
	VEC(int) leaders;	  /* those which the others begin and end with */
	size_t cpus_possible;	  /* more than the number of any */
};

/* Whether this works here.  0, or -1, *e and errno. */
int watch_probe(struct error *e);
/* Finds tracepoints and CPUs.  0, or -1, *e and errno. */
int watch_begin(struct watch *w, struct error *e);
/* Records thread tid from now on, but for its calls; the first one opens the rings.  0, or -1, *e
 * and errno. */
int watch_thread(struct watch *w, pid_t tid, struct rings *rings, struct error *e);
/* Records the calls of all these threads, too: to add a thread takes milliseconds, in which the
 * calls of others must not fill the rings. */
void watch_calls(const struct watch *w);
/* Records no more. */
void watch_end(struct watch *w);
/* After the end, and when the rings were read: how many entries and exits of calls were lost, by
 * CPU; the caller frees. */
uint64_t *watch_lost(const struct watch *w);
/* Frees all; the rings are closed. */
void watch_free(struct watch *w);

#endif
