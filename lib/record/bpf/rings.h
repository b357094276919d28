/* SPDX-License-Identifier: MIT */
/*
 * rings.h - reads BPF ring buffers of several CPUs as one stream of records in order of time.
 *
 * A record is taken in place.  One that another CPU is writing while the others are read could
 * belong before them, so that only those before the last look at all the rings are handed out.
 */
#ifndef RINGS_H
#define RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/bpf/records.h"

struct ring;

struct rings {
	struct ring *v;
	size_t n;
	struct ring *current;		/* whose record was handed out last */
	uint64_t limit;			/* up to which it has the earliest records */
	uint64_t horizon, next_horizon; /* ns */
};

/* Maps ring buffers of `bytes` each, given by their map descriptors, which stay the caller's.  0,
 * or -1 and errno. */
int rings_open(struct rings *r, const int *fds, size_t n, size_t bytes);
/* Lets rings_next() hand out what had been written before the last such call; all: everything. */
void rings_look(struct rings *r, bool all);
/* The next record, valid until rings_done(); NULL: none for now. */
const struct record *rings_next(struct rings *r);
/* Gives the space of the record that rings_next() returned back. */
void rings_done(struct rings *r);
/* The fullest ring, 0 ... 1. */
double rings_fill(const struct rings *r);
/* Unmaps them. */
void rings_close(struct rings *r);

#endif
