/* SPDX-License-Identifier: MIT */
/*
 * workload.h - what each rank of a parallel program does: compute, send, receive, collectives.
 *
 * The operations of a rank are kept as bytes, about six per operation, and loops as loops, so that
 * ten million messages of a regular program take no more memory than its source (workload(5)).
 *
 *	struct workload *w = workload_new("ring", 4);
 *	workload_repeat(w, 0, 1000);
 *	workload_add(w, 0, &(struct op){ .kind = OP_SEND, .peer = 1, .amount = 1024 });
 *	workload_end_repeat(w, 0);
 *	if (workload_check(w, &e)) ...
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/random.h"
#include "util/error.h"

/* The numbers are in files (workload(5)): add at the end. */
enum op_kind {
	OP_END,
	OP_REPEAT, /* written by workload_repeat() alone */
	OP_COMPUTE,
	OP_SEND,  /* returns at once when short enough to be eager (network.h), else as OP_SSEND */
	OP_SSEND, /* returns when it was received */
	OP_ISEND, /* returns at once; waited for by its request, or by OP_WAITALL */
	OP_RECV,
	OP_IRECV,
	OP_WAIT,
	OP_WAITALL,
	OP_BARRIER,
	OP_BCAST,
	OP_REDUCE,
	OP_ALLREDUCE,
	OP_GATHER,
	OP_SCATTER,
	OP_ALLGATHER,
	OP_ALLTOALL,
	OP_KINDS
};

/* How the amount of an operation is drawn anew each time. */
enum op_draw { DRAW_CONSTANT, DRAW_EXPONENTIAL, DRAW_UNIFORM, OP_DRAWS };

enum {
	WORKLOAD_RANKS = 1 << 20, /* at most */
	WORKLOAD_LOOPS = 8,	  /* that may be nested */
};
#define PEER_ANY UINT32_MAX	   /* receive from whoever sends */
#define PEER_LAST (UINT32_MAX - 1) /* send to whom the last message came from */
#define TAG_ANY UINT32_MAX
#define TAG_LIMIT (UINT32_C(1) << 31)
#define WORKLOAD_OPERATIONS 1e11 /* at most: more than a day */

struct op {
	enum op_kind kind;
	enum op_draw draw;
	uint32_t peer;	  /* the other rank, or the root */
	uint32_t tag;	  /* of a message */
	uint32_t request; /* 0: none of its own */
	uint64_t amount;  /* bytes, or picoseconds of OP_COMPUTE; the mean, or the least */
	uint64_t spread;  /* DRAW_UNIFORM: the greatest minus the least */
	struct op_group { /* of a collective operation: every step-th rank; step 0: all */
		uint32_t first, last, step;
	} group;
};

enum op_field {
	FIELD_PEER = 1,
	FIELD_AMOUNT = 2,
	FIELD_TAG = 4,
	FIELD_REQUEST = 8,
	FIELD_GROUP = 16
};

/* The word for an operation, and which fields it has. */
struct op_form {
	const char *word;
	unsigned fields; /* enum op_field */
};
extern const struct op_form op_forms[OP_KINDS];

/* Whether a rank belongs to the group. */
static inline bool group_has(const struct op_group *g, uint32_t rank)
{
	return !g->step ||
	       (rank >= g->first && rank <= g->last && (rank - g->first) % g->step == 0);
}

struct workload {
	char *name;
	uint32_t ranks;
	struct workload_code {
		uint8_t *v;
		size_t n, cap;
		uint32_t open[WORKLOAD_LOOPS]; /* where the lengths of open loops belong */
		unsigned depth;
	} * code; /* of each rank */
};

/* A workload in which no rank does anything.  0 < ranks <= WORKLOAD_RANKS. */
struct workload *workload_new(const char *name, uint32_t ranks);
/* Appends an operation to those of a rank. */
void workload_add(struct workload *w, uint32_t rank, const struct op *op);
/* What is added up to the matching end is done count times.  -1: nested too deep. */
int workload_repeat(struct workload *w, uint32_t rank, uint64_t count);
/* Ends the innermost open loop of the rank. */
void workload_end_repeat(struct workload *w, uint32_t rank);
/* -1 and *e unless every operation is whole, its peer is a rank, and there are no more than
 * WORKLOAD_OPERATIONS.  Nothing else here may be given a workload that fails. */
int workload_check(const struct workload *w, struct error *e);
/* Operations of all ranks, each turn of a loop counted. */
double workload_operations(const struct workload *w);
/* NULL is fine. */
void workload_free(struct workload *w);

/* Walks the operations of one rank, loops unrolled and amounts drawn. */
struct cursor {
	const uint8_t *at, *end;
	struct random random;
	unsigned depth;
	struct cursor_loop {
		const uint8_t *body, *end;
		uint64_t left;
	} loop[WORKLOAD_LOOPS];
};

/* At the first operation; the same seed draws the same amounts. */
void cursor_start(struct cursor *c, const struct workload *w, uint32_t rank, uint64_t seed);
/* The next operation; false at the end. */
bool cursor_next(struct cursor *c, struct op *op);

/* Decodes the operation at p, before end, as it stands: loops not unrolled, nothing drawn.  Of a
 * loop op->amount is the count and op->spread the bytes of its body, which follows.  Returns what
 * follows it, or NULL when it is not whole. */
const uint8_t *op_decode(const uint8_t *p, const uint8_t *end, struct op *op);

/*
 * The file, text or binary (workload(5)).  data[n] stays the caller's; name is for messages and
 * becomes the workload's, without directory and suffix.  NULL and *e.
 */
struct workload *workload_parse(const char *data, size_t n, const char *name, struct error *e);
/* Reads a file ("-": stdin). */
struct workload *workload_read(const char *path, struct error *e);
/* As text, loops kept; the caller frees. */
char *workload_text(const struct workload *w);
/* As a binary file.  0, or -1 and *e. */
int workload_write(const struct workload *w, const char *path, struct error *e);

#endif
