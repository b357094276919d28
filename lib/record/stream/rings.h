/* SPDX-License-Identifier: MIT */
/*
 * rings.h - reads the ring buffers of several CPUs as one stream of records in order of time.
 *
 * While the rings are read, a CPU may be writing a record that belongs before those just read.  So
 * only records that are older than the last look at all the rings are handed out.  A BPF program
 * that is preempted while it writes a record blocks the ring of its CPU for all later records,
 * among them some of threads that have moved to other CPUs meanwhile.  So the other rings wait for
 * it, unless one is half full.
 */
#ifndef STREAM_RINGS_H
#define STREAM_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/stream/records.h"

/* The ring of one CPU, which the kernel writes. */
struct ring {
	uint64_t *consumer;	  /* position up to which it was read */
	const uint64_t *producer; /* position up to which it was written */
	const char *data;
	size_t bytes;	   /* a power of two */
	uint64_t position; /* of the consumer */
	size_t length;	   /* that the next record takes */
	void *arg;	   /* for the reader of the layout */
	struct {
		void *at;
		size_t bytes;
	} maps[2]; /* what rings_close() unmaps */

	/* Private. */
	uint64_t told; /* the position that the kernel was told last */
	uint64_t end;  /* position of the producer at the last look */
	const struct record *head;
	uint64_t last; /* ns: of the last record that was read */
};

/* How a kind of ring is laid out. */
struct ring_layout {
	/* Maps the ring of `bytes` that descriptor fd stands for.  Returns 0, or -1 and sets errno.
	 */
	int (*map)(struct ring *r, int fd, size_t bytes);
	/*
	 * Returns the record at r->position, valid until the next call, and sets r->length.
	 * Returns NULL if it is nothing that the reader needs or, with a length of 0, if it is
	 * still being written.
	 */
	const struct record *(*read)(struct ring *r);
};

/* The layouts of BPF ring buffers, whose records are ours, and of perf events. */
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

/* Maps n rings of `bytes` each, given by descriptors, which stay the caller's.  Returns 0, or -1
 * and sets errno. */
int rings_open(struct rings *r, const struct ring_layout *layout, const int *fds, size_t n,
	       size_t bytes);
/* Returns how many bytes each of n rings should have. */
size_t rings_size(size_t n);
/* Lets rings_next() hand out what had been written before the previous such call or, with `all`,
 * everything that is written now. */
void rings_look(struct rings *r, bool all);
/* Returns the next record, valid until rings_done(), or NULL if there is none for now. */
const struct record *rings_next(struct rings *r);
/* Gives back the space of the record that rings_next() returned. */
void rings_done(struct rings *r);
/* Returns how full the fullest ring is, from 0 to 1. */
double rings_fill(const struct rings *r);
/* Unmaps the rings and frees everything. */
void rings_close(struct rings *r);

#endif
