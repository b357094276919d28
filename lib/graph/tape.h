/* SPDX-License-Identifier: MIT */
/*
 * tape.h - stores the pieces of a graph in the order in which they were added: up to 64 MB in
 * memory, the rest, packed, in an unlinked temporary file in $TMPDIR or /tmp.
 *
 * Each analysis reads the tape once from one end to the other, so its memory depends on how many
 * threads and messages exist at a time and not on the length of the trace.
 */
#ifndef GRAPH_TAPE_H
#define GRAPH_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum piece_kind {
	PIECE_RUN,   /* the thread ran: in the state `before` until `enter`, then in `state` */
	PIECE_WAIT,  /* it waited in `state` for the piece `cause` */
	PIECE_DELAY, /* it waited in `state` for a timer, a device or something unknown */
	PIECE_CPU,   /* it waited for a CPU, which the thread of `cause` left; 0: unknown */
	PIECE_PUT, /* it ran in `state`, then put `amount` units into `queue`; `before` is its state
		      outside of calls */
	PIECE_GET, /* it ran in `state`, then took `amount` units out of `queue` */
	PIECE_KINDS
};

enum {
	PIECE_FIRST =
	    1 << 0, /* the first of its thread; what was before is known only if it has a cause */
	PIECE_GUESS = 1 << 1, /* the cause is likely, but not recorded */
	PIECE_FULL = 1 << 2,  /* a wait for room in `queue` */
	PIECE_EMPTY = 1 << 3, /* a wait for data in `queue` */
	PIECE_WIRE = 1 << 4,  /* a wait for a message of `queue` that was on its way */
};

/* What one thread did between two moments.  The pieces of a thread follow each other without gaps;
 * a cause is a piece with a lower number that does not end later. */
struct piece {
	int64_t start, end; /* ns */
	/* A piece plus 1; 0: none.  Of a WAIT, what ended it; of a PUT, the get that it answers; of
	 * a GET, the put of the last unit. */
	uint64_t cause;
	union {
		int64_t enter; /* PIECE_RUN */
		uint32_t next; /* PIECE_CPU: thread ID that got it first; 0: none */
		struct {
			uint32_t queue, amount;
		}; /* PIECE_PUT, PIECE_GET, and waits with PIECE_FULL, PIECE_EMPTY or PIECE_WIRE */
	};
	uint32_t thread;
	uint32_t uses; /* later pieces that have it as their cause; saturates */
	uint16_t state, before;
	uint8_t kind, flags;
	uint16_t cpu; /* CPU that the thread had at its end, plus 1; 0: unknown */
};

/* Whether the thread had a CPU, rather than waiting. */
static inline bool piece_runs(const struct piece *p)
{
	return p->kind == PIECE_RUN || p->kind == PIECE_PUT || p->kind == PIECE_GET;
}

/* When the thread entered the state: before that it was in the state `before`. */
static inline int64_t piece_enter(const struct piece *p)
{
	return p->kind == PIECE_RUN ? p->enter : p->start;
}

/* Returns how long a piece takes at least, whenever its cause is, whose end was at `caused`.  A
 * wait has no length of its own, and taking over a CPU takes no longer than it took from the thread
 * that left it. */
static inline int64_t piece_own_length(const struct piece *p, int64_t caused)
{
	if (p->kind == PIECE_WAIT && p->cause)
		return 0;
	return p->end - (p->kind == PIECE_CPU && p->cause && caused > p->start ? caused : p->start);
}

/* Whether the thread was in the state `before` for a while.  A piece that lies completely in one
 * call does not say what is outside of that call. */
static inline bool piece_leaves_call(const struct piece *p)
{
	return p->kind == PIECE_RUN && (p->enter > p->start || p->before != p->state);
}

/* The state plus 1 in which the thread waited, for anything but a CPU; 0: it did not. */
static inline uint32_t piece_waits_in(const struct piece *p)
{
	return p->kind == PIECE_WAIT || p->kind == PIECE_DELAY ? p->state + 1u : 0;
}

struct tape_page;

/* A zeroed struct is valid and empty. */
struct tape {
	uint64_t n;  /* pieces */
	size_t most; /* pages in memory at a time; 0: 64 MB */
	/* Private: */
	struct tape_page *pages;
	size_t npages, cap, resident;
	size_t hand;	       /* of the CLOCK page replacement */
	int fd;		       /* plus 1; 0: no file */
	int failure;	       /* errno of the file */
	unsigned char *packed; /* a page as it is in the file */
};

/* Appends a piece, which the caller must set; it is valid until the next call.  Its number is
 * t->n - 1 then. */
struct piece *tape_append(struct tape *t);
/* Returns the piece of that number for reading and changing; valid until the next call. */
struct piece *tape_at(struct tape *t, uint64_t number);
/* The same for reading only. */
const struct piece *tape_read(struct tape *t, uint64_t number);
/* Returns the cause of *p, which is a copy of the piece of that number, valid until the next call;
 * NULL: it has none. */
static inline const struct piece *tape_cause(struct tape *t, const struct piece *p, uint64_t number)
{
	return p->cause && p->cause <= number ? tape_read(t, p->cause - 1) : NULL;
}
/* Returns 0, or -1 and sets *e if the temporary file could not be written or read, so that pieces
 * are missing. */
int tape_check(const struct tape *t, struct error *e);
/* Frees memory and file; the tape is empty and usable again. */
void tape_free(struct tape *t);

#endif
