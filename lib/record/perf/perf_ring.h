/* SPDX-License-Identifier: MIT */
/* perf_ring.h - the ring of a CPU that perf events write to, read as the records of records.h. */
#ifndef PERF_RING_H
#define PERF_RING_H

#include "record/perf/tracepoints.h"
#include "record/stream/rings.h"

/* What the reader of one ring (its `arg`) knows. */
struct perf_cpu {
	const struct tracepoints *tracepoints;
	unsigned short cpu;
	uint32_t *lost;	  /* records of this CPU so far, which all of its rings share */
	uint64_t samples; /* calls' entries and exits so far */

	/* Private. */
	char *copy; /* of a record that goes around the end of the ring */
	union {
		struct record head;
		struct record_call call;
		struct record_fork fork;
		struct record_exec exec;
		struct record_exit exit;
		struct record_switch change;
	} record;
};

/* Learns from what has been written to r which tracepoints are entries; true when it is known. */
bool perf_ring_learn(struct ring *r, struct tracepoints *t);

#endif
