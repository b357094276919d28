/* SPDX-License-Identifier: MIT */
/*
 * tape.h - the pieces of a graph, in the order in which they became known, in memory as long as
 * they are few and else in a temporary file without a name, in $TMPDIR or /tmp.
 *
 * Each analysis reads the tape once from one end to the other, so that what it needs of memory
 * depends on the threads and messages of a moment and not on the length of the trace.
 */
#ifndef TAPE_H
#define TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum piece_kind {
	PIECE_RUN,   /* the thread ran: until `enter` in the state `before`, then in `state` */
	PIECE_WAIT,  /* it waited for `cause`; `state` is what for */
	PIECE_DELAY, /* it waited for a length of its own: a timer, a device, somebody unknown */
	PIECE_CPU,   /* it waited for a CPU, which the thread of `cause` left; 0: unknown */
	PIECE_PUT,   /* it ran in `state` and then put `amount` into `queue`; it answers `cause` */
	PIECE_GET,   /* it ran in `state` and then took `amount` out; the put of the last is `cause`
		      */
	PIECE_KINDS
};

enum {
	PIECE_FIRST =
	    1 << 0, /* of its thread; without a cause nothing is known of what was before */
	PIECE_GUESS = 1 << 1, /* the cause is likely, but nobody said so */
	PIECE_FULL = 1 << 2,  /* a wait for room in `queue` */
	PIECE_EMPTY = 1 << 3, /* a wait for something in `queue` */
};

/*
 * What one thread did or suffered between two moments.  The pieces of a thread follow each other
 * without gaps; a cause is a piece with a lower number that ended earlier or at the same time.
 */
struct piece {
	int64_t start, end; /* ns */
	uint64_t cause;	    /* the number of a piece plus 1; 0: none */
	union {
		int64_t enter; /* RUN */
		uint32_t next; /* CPU: the thread of the trace to which it went, 0: to nobody */
		struct {
			uint32_t queue, amount;
		}; /* PUT, GET, and WAIT with FULL or EMPTY */
	};
	uint32_t thread;
	uint32_t uses; /* later pieces that have it as their cause; stays at UINT32_MAX */
	uint16_t state, before;
	uint8_t kind, flags;
	uint16_t cpu; /* where the thread was at its end, plus 1; 0: unknown */
};

struct tape_page;

/* Zeroed is valid and empty. */
struct tape {
	uint64_t n;  /* pieces */
	size_t most; /* pages in memory at a time; 0: a default of 256 MB */
	/* Private: */
	struct tape_page *pages;
	size_t npages, cap, resident;
	size_t hand, current; /* a clock goes round the pages; the last one used */
	int fd;		      /* plus 1; 0: no file */
	int failure;	      /* errno of the file */
};

/* Adds a piece; its number. */
uint64_t tape_append(struct tape *t, const struct piece *p);
/* The piece of a number below n, which may be changed; valid until the next call. */
struct piece *tape_at(struct tape *t, uint64_t number);
/* The pieces from `number` on that lie together, *n of them; valid until the next call. */
const struct piece *tape_from(struct tape *t, uint64_t number, size_t *n);
/* The same, up to and with `number`: the last of them is its piece. */
const struct piece *tape_upto(struct tape *t, uint64_t number, size_t *n);
/* 0, or -1 and *e when the temporary file could not be written or read: pieces are missing. */
int tape_check(const struct tape *t, struct error *e);
/* Returns the memory and the file; empty and usable again. */
void tape_free(struct tape *t);

#endif
