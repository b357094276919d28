/* SPDX-License-Identifier: MIT */
/* perf_ring.h - reads the ring of a CPU, to which perf events write, as the records of records.h.
 */
#ifndef PERF_PERF_RING_H
#define PERF_PERF_RING_H

#include "record/perf/tracepoints.h"
#include "record/stream/rings.h"

/* What the reader of a ring knows; it is the `arg` of the ring. */
struct perf_cpu {
	const struct tracepoints *tracepoints;
	unsigned short cpu;
	uint32_t *lost;	  /* records that this CPU has lost so far, in all of its rings */
	uint64_t samples; /* entries and exits of calls that were read so far */

	/* Private. */
	char *copy; /* of a record that wraps around the end of the ring */
	union {
		struct record head;
		struct record_call call;
		struct record_fork fork;
		struct record_exec exec;
		struct record_exit exit;
		struct record_switch change;
	} record;
};

/* Learns from what has been written to r which tracepoints are entries.  Returns whether that is
 * known now. */
bool perf_ring_learn(struct ring *r, struct tracepoints *t);

#endif
