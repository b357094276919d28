/* SPDX-License-Identifier: MIT */
#include "network/collective.h"

/* Returns the number of the lowest bit set in v.  For v = 0 it returns the number of bits of n - 1,
 * so the root's children reach all ranks. */
static uint32_t low_bit(uint32_t v, uint32_t n)
{
	uint32_t bit = 0;

	while (v ? !(v >> bit & 1) : UINT32_C(1) << bit < n)
		bit++;
	return bit;
}

/*
 * Binomial tree over ranks counted from the root: the parent of v is v without its lowest set bit,
 * and its children are v plus one lower bit. bcast: a rank first receives from its parent and then
 * sends to its children, the farthest first; reduce: the reverse.
 */
static bool tree_round(uint32_t n, uint32_t rank, uint32_t root, uint32_t round, bool up,
		       struct round *out)
{
	uint32_t v = (rank + n - root) % n, low = low_bit(v, n), children = 0;

	for (uint32_t bit = 0; bit < low; bit++)
		children += v + (UINT32_C(1) << bit) < n;
	if (round >= children + (v != 0))
		return false;
	/* The parent comes first on the way down and last on the way up. */
	if (v && round == (up ? children : 0)) {
		uint32_t parent = ((v & (v - 1)) + root) % n;

		*(up ? &out->to : &out->from) = parent;
		return true;
	}
	uint32_t bit = up ? round : children - 1 - (round - (v != 0));
	*(up ? &out->from : &out->to) = (v + (UINT32_C(1) << bit) + root) % n;
	return true;
}

static bool ring_round(uint32_t n, uint32_t rank, uint32_t round, uint32_t rounds,
		       struct round *out)
{
	out->to = (rank + 1) % n;
	out->from = (rank + n - 1) % n;
	return round < rounds;
}

static bool allreduce_round(uint32_t n, uint32_t rank, uint32_t round, struct round *out)
{
	uint32_t bits = low_bit(0, n);

	if (out->bytes >= COLLECTIVE_LONG && out->bytes >= n) {
		out->bytes /= n;
		return ring_round(n, rank, round, 2 * (n - 1), out);
	}
	if (!(n & (n - 1))) {
		out->to = out->from = rank ^ UINT32_C(1) << round % 32;
		return round < bits;
	}
	uint32_t before = 0;
	struct round none = *out;
	while (tree_round(n, rank, 0, before, true, &none))
		before++;
	return round < before ? tree_round(n, rank, 0, round, true, out)
			      : tree_round(n, rank, 0, round - before, false, out);
}

/* All ranks exchange with the root at once. */
static bool star_round(uint32_t n, uint32_t rank, uint32_t root, uint32_t round, bool inward,
		       struct round *out)
{
	if (rank != root) {
		*(inward ? &out->to : &out->from) = root;
		return round < 1;
	}
	*(inward ? &out->from : &out->to) = (root + 1 + round) % n;
	out->wait = round + 2 >= n;
	return round < n - 1;
}

/* Returns the round for a group whose n ranks are numbered from 0. */
static bool round_of(const struct op *op, uint32_t n, uint32_t rank, uint32_t root, uint32_t round,
		     struct round *out)
{
	*out = (struct round){ PEER_ANY, PEER_ANY, op->amount, true };
	if (n < 2)
		return false;
	switch (op->kind) {
	case OP_BARRIER:
		out->bytes = 0;
		if (round >= low_bit(0, n))
			return false;
		out->to = (uint32_t)((rank + (UINT64_C(1) << round)) % n);
		out->from = (uint32_t)((rank + n - (UINT64_C(1) << round) % n) % n);
		return true;
	case OP_BCAST: return tree_round(n, rank, root, round, false, out);
	case OP_REDUCE: return tree_round(n, rank, root, round, true, out);
	case OP_ALLREDUCE: return allreduce_round(n, rank, round, out);
	case OP_GATHER: return star_round(n, rank, root, round, true, out);
	case OP_SCATTER: return star_round(n, rank, root, round, false, out);
	case OP_ALLGATHER: return ring_round(n, rank, round, n - 1, out);
	case OP_ALLTOALL:
		out->to = (rank + 1 + round) % n;
		out->from = (rank + n - 1 - round % n) % n;
		return round < n - 1;
	default: return false;
	}
}

bool collective_round(const struct op *op, uint32_t ranks, uint32_t rank, uint32_t round,
		      struct round *out)
{
	struct op_group all = { 0, ranks - 1, 1 };
	const struct op_group *g = op->group.step ? &op->group : &all;
	uint32_t n = (g->last - g->first) / g->step + 1;

	if (!round_of(op, n, (rank - g->first) / g->step, (op->peer - g->first) / g->step, round,
		      out))
		return false;
	if (out->to != PEER_ANY)
		out->to = g->first + out->to * g->step;
	if (out->from != PEER_ANY)
		out->from = g->first + out->from * g->step;
	return true;
}
