/* SPDX-License-Identifier: MIT */
/*
 * rings.h - reads the ring buffers of several CPUs as one stream of records in order of time.
 *
 * A record that another CPU is writing while the others are read could belong before them, so that
 * only those before the last look at all the rings are handed out.  A program that is preempted
 * while it writes a record keeps its CPU's ring closed behind it, with records of threads that have
 * gone on elsewhere: the others wait too, unless they are half full.
 */
#ifndef RINGS_H
#define RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/stream/records.h"

/* The ring of one CPU, which the kernel writes. */
struct ring {
	uint64_t *consumer;	  /* position up to which it was read */
	const uint64_t *producer; /* ... and written */
	const char *data;
	size_t bytes;	   /* a power of two */
	uint64_t position; /* of the consumer */
	size_t length;	   /* that the next record takes */
	void *arg;	   /* of the layout's reader */
	struct {
		void *at;
		size_t bytes;
	} maps[2]; /* what rings_close() unmaps */

	/* Private. */
	uint64_t told; /* what the kernel knows of position */
	uint64_t end;  /* of the producer, at the last look */
	const struct record *head;
	uint64_t last; /* ns: of the last record that was read */
};

/* How a kind of ring is laid out. */
struct ring_layout {
	/* Maps the ring of `bytes` that descriptor fd stands for.  0, or -1 and errno. */
	int (*map)(struct ring *r, int fd, size_t bytes);
	/*
	 * The record at r->position, valid until the next call, and its r->length.  NULL: nothing
	 * that the reader needs; with a length of 0: it is still being written.
	 */
	const struct record *(*read)(struct ring *r);
};

/* Those of BPF ring buffers, whose records are ours, and of perf events. */
extern const struct ring_layout bpf_ring, perf_ring;

struct rings {
	const struct ring_layout *layout;
	struct ring *v;
	size_t n;

	/* Private. */
	struct ring *current;		/* whose record was handed out last */
	uint64_t limit;			/* up to which it has the earliest records */
	uint64_t horizon, next_horizon; /* ns */
	bool patient;			/* there is room to wait for closed rings */
};

/*
 * Maps rings of `bytes` each, given by descriptors, which stay the caller's.  0, or -1 and errno.
 */
int rings_open(struct rings *r, const struct ring_layout *layout, const int *fds, size_t n,
	       size_t bytes);
/* The bytes that each of n rings should have. */
size_t rings_size(size_t n);
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
