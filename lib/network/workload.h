/* SPDX-License-Identifier: MIT */
/*
 * workload.h - what each rank of a parallel program does: computation, messages, collective
 * operations.
 *
 * The operations of a rank are encoded in about six bytes each, and loops are kept as loops, so
 * that ten million messages of a regular program need no more memory than its source (workload(5)).
 *
 * 	struct workload *w = workload_new("ring", 4);
 * 	workload_repeat(w, 0, 1000);
 * 	workload_add(w, 0, &(struct op){ .kind = OP_SEND, .peer = 1, .amount = 1024 });
 * 	workload_end_repeat(w, 0);
 * 	if (workload_check(w, &e)) ...
 */
#ifndef NETWORK_WORKLOAD_H
#define NETWORK_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/random.h"
#include "util/error.h"

/* The values are stored in files (workload(5)): add new ones at the end. */
enum op_kind {
	OP_END,
	OP_REPEAT, /* added by workload_repeat() only */
	OP_COMPUTE,
	OP_SEND,  /* returns at once if eager (network.h), else like OP_SSEND
		   */
	OP_SSEND, /* returns when the message was received */
	OP_ISEND, /* returns at once; completed by OP_WAIT for its request, or by OP_WAITALL */
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

/* How the amount of an operation is drawn at each execution. */
enum op_draw { DRAW_CONSTANT, DRAW_EXPONENTIAL, DRAW_UNIFORM, OP_DRAWS };

enum {
	WORKLOAD_RANKS = 1 << 20, /* at most */
	WORKLOAD_LOOPS = 8,	  /* nested at most */
};
#define PEER_ANY UINT32_MAX	   /* receive from any rank */
#define PEER_LAST (UINT32_MAX - 1) /* send to the rank from which the last message came */
#define TAG_ANY UINT32_MAX
#define TAG_LIMIT (UINT32_C(1) << 31)
#define WORKLOAD_OPERATIONS 1e11 /* at most; simulating them takes more than a day */

struct op {
	enum op_kind kind;
	enum op_draw draw;
	uint32_t peer;	  /* the other rank, or the root */
	uint32_t tag;	  /* of a message */
	uint32_t request; /* 0: none of its own */
	uint64_t amount;  /* bytes, or picoseconds of OP_COMPUTE: constant, mean, or minimum */
	uint64_t spread;  /* DRAW_UNIFORM: maximum minus minimum */
	struct op_group { /* of a collective operation: every step-th rank; step 0: all ranks */
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

/* The keyword of an operation in workload(5), and its fields. */
struct op_form {
	const char *word;
	unsigned fields; /* enum op_field */
};
extern const struct op_form op_forms[OP_KINDS];

/* Returns whether a rank belongs to the group. */
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
		uint32_t open[WORKLOAD_LOOPS]; /* positions of the length fields of open loops */
		unsigned depth;
	} * code; /* by rank */
};

/* Returns a new workload in which no rank does anything. 0 < ranks <= WORKLOAD_RANKS. */
struct workload *workload_new(const char *name, uint32_t ranks);
/* Appends an operation to those of a rank. */
void workload_add(struct workload *w, uint32_t rank, const struct op *op);
/* Opens a loop: the operations added until workload_end_repeat() are executed count times.  Returns
 * 0, or -1 if loops are nested too deeply. */
int workload_repeat(struct workload *w, uint32_t rank, uint64_t count);
/* Closes the innermost open loop of the rank. */
void workload_end_repeat(struct workload *w, uint32_t rank);
/* Returns 0 if every operation is complete and valid and there are at most WORKLOAD_OPERATIONS;
 * otherwise -1 and sets *e.  Only checked workloads may be passed to the functions below. */
int workload_check(const struct workload *w, struct error *e);
/* Returns the number of operations of all ranks, counting the iterations of loops. */
double workload_operations(const struct workload *w);
/* Frees the workload; NULL is allowed. */
void workload_free(struct workload *w);

/* Iterates over the operations of one rank, with loops unrolled and amounts drawn. */
struct cursor {
	const uint8_t *at, *end;
	struct random random;
	unsigned depth;
	struct cursor_loop {
		const uint8_t *body, *end;
		uint64_t left;
	} loop[WORKLOAD_LOOPS];
};

/* Sets the cursor to the first operation; the same seed draws the same amounts. */
void cursor_start(struct cursor *c, const struct workload *w, uint32_t rank, uint64_t seed);
/* Fills *op with the next operation.  Returns false at the end. */
bool cursor_next(struct cursor *c, struct op *op);

/*
 * Decodes the operation at p, before end, as it is encoded: loops are not unrolled, amounts not
 * drawn.  For a loop, op->amount is the count and op->spread the number of bytes of its body, which
 * follows.  Returns the position behind the operation, or NULL if it is incomplete.
 */
const uint8_t *op_decode(const uint8_t *p, const uint8_t *end, struct op *op);

/*
 * Parses the contents of a text or binary file (workload(5)). data[n] stays the caller's. `name` is
 * used in messages and, without directory and suffix, names the workload.  Returns NULL and sets *e
 * on error.
 */
struct workload *workload_parse(const char *data, size_t n, const char *name, struct error *e);
/* Reads a file ("-": stdin); otherwise like workload_parse(). */
struct workload *workload_read(const char *path, struct error *e);
/* Returns the workload as text with loops, which the caller frees. */
char *workload_text(const struct workload *w);
/* Writes the workload as a binary file.  Returns 0, or -1 and sets *e. */
int workload_write(const struct workload *w, const char *path, struct error *e);

#endif
