/* SPDX-License-Identifier: MIT */
#include "network/workload.h"

#include <math.h>
#include <string.h>

#include "network/collective.h"
#include "util/vec.h"

const struct op_form op_forms[OP_KINDS] = {
	[OP_END] = { "end", 0 },
	[OP_REPEAT] = { "repeat", 0 },
	[OP_COMPUTE] = { "compute", FIELD_AMOUNT },
	[OP_SEND] = { "send", FIELD_PEER | FIELD_AMOUNT | FIELD_TAG },
	[OP_SSEND] = { "ssend", FIELD_PEER | FIELD_AMOUNT | FIELD_TAG },
	[OP_ISEND] = { "isend", FIELD_PEER | FIELD_AMOUNT | FIELD_TAG | FIELD_REQUEST },
	[OP_RECV] = { "recv", FIELD_PEER | FIELD_TAG },
	[OP_IRECV] = { "irecv", FIELD_PEER | FIELD_TAG | FIELD_REQUEST },
	[OP_WAIT] = { "wait", FIELD_REQUEST },
	[OP_WAITALL] = { "waitall", 0 },
	[OP_BARRIER] = { "barrier", FIELD_GROUP },
	[OP_BCAST] = { "bcast", FIELD_PEER | FIELD_AMOUNT | FIELD_GROUP },
	[OP_REDUCE] = { "reduce", FIELD_PEER | FIELD_AMOUNT | FIELD_GROUP },
	[OP_ALLREDUCE] = { "allreduce", FIELD_AMOUNT | FIELD_GROUP },
	[OP_GATHER] = { "gather", FIELD_PEER | FIELD_AMOUNT | FIELD_GROUP },
	[OP_SCATTER] = { "scatter", FIELD_PEER | FIELD_AMOUNT | FIELD_GROUP },
	[OP_ALLGATHER] = { "allgather", FIELD_AMOUNT | FIELD_GROUP },
	[OP_ALLTOALL] = { "alltoall", FIELD_AMOUNT | FIELD_GROUP },
};

enum {
	KIND_BITS = 5, /* first byte of an operation: kind; two bits for the draw; HAS_GROUP */
	HAS_GROUP = 128,
	LOOP_BYTES = 4, /* bytes of the length of a loop's body, little endian */
};

struct workload *workload_new(const char *name, uint32_t ranks)
{
	struct workload *w = xcalloc(1, sizeof(*w));

	w->name = xstrdup(name);
	w->ranks = ranks;
	w->code = xcalloc(ranks, sizeof(*w->code));
	return w;
}

void workload_free(struct workload *w)
{
	if (!w)
		return;
	for (uint32_t r = 0; r < w->ranks; r++)
		free(w->code[r].v);
	free(w->code);
	free(w->name);
	free(w);
}

/* Writes seven bits per byte, the lowest first; the last byte is below 128 (LEB128). */
static void put_number(struct workload_code *c, uint64_t v)
{
	for (; v > 127; v >>= 7)
		vec_push(c, (uint8_t)(v | 128));
	vec_push(c, (uint8_t)v);
}

static const uint8_t *get_number(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	if (p && p < end && *p < 128) {
		*v = *p;
		return p + 1;
	}
	*v = 0;
	for (unsigned shift = 0; p && p < end && shift < 64; shift += 7) {
		*v |= (uint64_t)(*p & 127) << shift;
		if (!(*p++ & 128))
			return p;
	}
	return NULL;
}

void workload_add(struct workload *w, uint32_t rank, const struct op *op)
{
	struct workload_code *c = &w->code[rank];
	unsigned fields = op_forms[op->kind].fields;

	vec_push(c, (uint8_t)(op->kind | op->draw << KIND_BITS | (op->group.step ? HAS_GROUP : 0)));
	if (fields & FIELD_PEER)
		put_number(c, op->peer);
	if (fields & FIELD_AMOUNT)
		put_number(c, op->amount);
	if (fields & FIELD_AMOUNT && op->draw == DRAW_UNIFORM)
		put_number(c, op->spread);
	if (fields & FIELD_TAG)
		put_number(c, op->tag);
	if (fields & FIELD_REQUEST)
		put_number(c, op->request);
	if (op->group.step) {
		put_number(c, op->group.first);
		put_number(c, op->group.last);
		put_number(c, op->group.step);
	}
}

int workload_repeat(struct workload *w, uint32_t rank, uint64_t count)
{
	struct workload_code *c = &w->code[rank];

	if (c->depth == WORKLOAD_LOOPS)
		return -1;
	vec_push(c, OP_REPEAT);
	put_number(c, count);
	c->open[c->depth++] = (uint32_t)c->n;
	for (int i = 0; i < LOOP_BYTES; i++)
		vec_push(c, 0);
	return 0;
}

void workload_end_repeat(struct workload *w, uint32_t rank)
{
	struct workload_code *c = &w->code[rank];
	uint32_t at = c->open[--c->depth];
	size_t length = c->n - at - LOOP_BYTES;

	for (int i = 0; i < LOOP_BYTES; i++)
		c->v[at + (size_t)i] = (uint8_t)(length >> 8 * i);
}

/* The same for 32 bits. */
static const uint8_t *get_small(const uint8_t *p, const uint8_t *end, uint32_t *v)
{
	uint64_t wide;

	p = get_number(p, end, &wide);
	*v = (uint32_t)wide;
	return wide > UINT32_MAX ? NULL : p;
}

const uint8_t *op_decode(const uint8_t *p, const uint8_t *end, struct op *op)
{

	*op = (struct op){ 0 };
	if (p >= end)
		return NULL;
	op->kind = *p & ((1 << KIND_BITS) - 1);
	op->draw = *p >> KIND_BITS & 3;
	bool has_group = *p++ & HAS_GROUP;
	if (op->kind == OP_REPEAT) {
		p = get_number(p, end, &op->amount);
		if (!p || end - p < LOOP_BYTES)
			return NULL;
		for (int i = 0; i < LOOP_BYTES; i++)
			op->spread |= (uint64_t)*p++ << 8 * i;
		return p;
	}
	if (op->kind >= OP_KINDS)
		return NULL;
	unsigned fields = op_forms[op->kind].fields;
	if (fields & FIELD_PEER)
		p = get_small(p, end, &op->peer);
	if (fields & FIELD_AMOUNT)
		p = get_number(p, end, &op->amount);
	if (fields & FIELD_AMOUNT && op->draw == DRAW_UNIFORM)
		p = get_number(p, end, &op->spread);
	if (fields & FIELD_TAG)
		p = get_small(p, end, &op->tag);
	if (fields & FIELD_REQUEST)
		p = get_small(p, end, &op->request);
	if (!has_group)
		return p;
	p = get_small(p, end, &op->group.first);
	p = get_small(p, end, &op->group.last);
	p = get_small(p, end, &op->group.step);
	return fields & FIELD_GROUP && op->group.step ? p : NULL;
}

static bool is_receive(const struct op *op)
{
	return op->kind == OP_RECV || op->kind == OP_IRECV;
}

static bool is_peer(const struct workload *w, const struct op *op)
{
	bool sends = op->kind == OP_SEND || op->kind == OP_SSEND || op->kind == OP_ISEND;

	return op->peer < w->ranks || (is_receive(op) && op->peer == PEER_ANY) ||
	       (sends && op->peer == PEER_LAST);
}

/* Whether the operation's group is valid and contains the rank and the root. */
static bool is_group(const struct workload *w, const struct op *op, uint32_t rank)
{
	const struct op_group *g = &op->group;

	return !g->step || (g->first <= g->last && g->last < w->ranks &&
			    g->step <= WORKLOAD_RANKS && group_has(g, rank) &&
			    (!(op_forms[op->kind].fields & FIELD_PEER) || group_has(g, op->peer)));
}

/* Whether all numbers of the operation are valid; fields that it does not have are 0. */
static bool is_operation(const struct workload *w, const struct op *op, uint32_t rank)
{
	static const uint64_t most = UINT64_C(1) << 60, longest = 1000000000000000000; /* 1e6 s */

	return op->amount <= most && op->spread <= most &&
	       (op->kind != OP_COMPUTE || op->amount + op->spread <= longest) &&
	       (op->tag < TAG_LIMIT || (op->tag == TAG_ANY && is_receive(op))) &&
	       op->request < TAG_LIMIT && (op->request || op->kind != OP_WAIT) &&
	       (!(op_forms[op->kind].fields & FIELD_PEER) || is_peer(w, op)) &&
	       is_group(w, op, rank);
}

/* Returns how many operations it counts as: those collective operations in which every rank sends
 * to every other one, or as often, take that many. */
static double weight(const struct workload *w, const struct op *op)
{
	bool many = op->kind == OP_ALLGATHER || op->kind == OP_ALLTOALL ||
		    (op->kind == OP_ALLREDUCE && op->amount >= COLLECTIVE_LONG);
	const struct op_group *g = &op->group;

	return !many ? 1 : g->step ? (g->last - g->first) / g->step + 1 : w->ranks;
}

/* Checks the operations of a rank from p to end and adds their number to *operations, counting the
 * iterations of loops. */
static bool check_code(const struct workload *w, uint32_t rank, const uint8_t *p,
		       const uint8_t *end, unsigned depth, double *operations)
{
	struct op op;

	while (p < end) {
		p = op_decode(p, end, &op);
		if (!p || op.kind == OP_END || op.draw >= OP_DRAWS)
			return false;
		*operations += weight(w, &op);
		if (op.kind != OP_REPEAT) {
			if (!is_operation(w, &op, rank))
				return false;
			continue;
		}
		double inside = 0;
		if (depth == WORKLOAD_LOOPS || op.spread > (uint64_t)(end - p) ||
		    !check_code(w, rank, p, p + op.spread, depth + 1, &inside))
			return false;
		*operations += (double)op.amount * (1 + inside);
		p += op.spread;
	}
	return true;
}

double workload_operations(const struct workload *w)
{
	double sum = 0;

	for (uint32_t r = 0; r < w->ranks; r++)
		if (w->code[r].n)
			check_code(w, r, w->code[r].v, w->code[r].v + w->code[r].n, 0, &sum);
	return sum;
}

int workload_check(const struct workload *w, struct error *e)
{
	double sum = 0;

	for (uint32_t r = 0; r < w->ranks; r++) {
		const struct workload_code *c = &w->code[r];

		if (c->depth || (c->n && !check_code(w, r, c->v, c->v + c->n, 0, &sum)))
			return error_set(e, "%s: rank %u: an operation is damaged", w->name, r);
	}
	if (sum > WORKLOAD_OPERATIONS)
		return error_set(e,
				 "%s: %.3g operations are more than the limit of %g: repeat less",
				 w->name, sum, WORKLOAD_OPERATIONS);
	return 0;
}

void cursor_start(struct cursor *c, const struct workload *w, uint32_t rank, uint64_t seed)
{
	const struct workload_code *code = &w->code[rank];

	*c = (struct cursor){ .at = code->v, .end = code->n ? code->v + code->n : code->v };
	random_seed(&c->random, seed * WORKLOAD_RANKS + rank);
}

static void draw(struct cursor *c, struct op *op)
{
	double u = random_uniform(&c->random);

	if (op->draw == DRAW_EXPONENTIAL)
		op->amount = (uint64_t)fmin(-log1p(-u) * (double)op->amount, 0x1p62);
	else
		op->amount += (uint64_t)(u * (double)op->spread);
}

bool cursor_next(struct cursor *c, struct op *op)
{
	for (;;) {
		while (c->depth && c->at == c->loop[c->depth - 1].end) {
			struct cursor_loop *loop = &c->loop[c->depth - 1];

			if (--loop->left)
				c->at = loop->body;
			else
				c->depth--;
			if (loop->left)
				break;
		}
		if (c->at == c->end)
			return false;
		c->at = op_decode(c->at, c->end, op);
		if (op->kind != OP_REPEAT)
			break;
		if (op->amount == 0 || op->spread == 0)
			c->at += op->spread;
		else
			c->loop[c->depth++] =
			    (struct cursor_loop){ c->at, c->at + op->spread, op->amount };
	}
	if (op->draw != DRAW_CONSTANT)
		draw(c, op);
	return true;
}
