/* SPDX-License-Identifier: MIT */
#include "network/generate.h"

#include <math.h>
#include <stdlib.h>

#include "util/xalloc.h"

static void add(struct workload *w, uint32_t rank, enum op_kind kind, uint32_t peer, uint64_t bytes)
{
	workload_add(w, rank, &(struct op){ .kind = kind, .peer = peer, .amount = bytes });
}

/* Adds a message to another rank, of random size if the shape says so. */
static void add_send(const struct shape *s, struct workload *w, uint32_t rank, enum op_kind kind,
		     uint32_t peer)
{
	struct op op = { .kind = kind, .peer = peer, .amount = s->bytes };

	if (s->vary) {
		op.draw = DRAW_UNIFORM;
		op.amount = s->bytes / 2;
		op.spread = s->bytes;
	}
	workload_add(w, rank, &op);
}

static void add_compute(const struct shape *s, struct workload *w, uint32_t rank, double seconds)
{
	struct op op = { .kind = OP_COMPUTE, .amount = (uint64_t)(seconds * 1e12) };

	op.draw = s->vary ? DRAW_EXPONENTIAL : DRAW_CONSTANT;
	if (seconds > 0)
		workload_add(w, rank, &op);
}

/* Returns the rank's neighbour one step up (way > 0) or down a dimension, or PEER_ANY at the edge
 * of the grid. */
static uint32_t neighbour(const struct shape *s, uint32_t rank, unsigned dimension, int way)
{
	uint32_t stride = 1, at;

	for (unsigned d = 0; d < dimension; d++)
		stride *= s->grid[d];
	at = rank / stride % s->grid[dimension];
	if (way < 0)
		return at ? rank - stride : PEER_ANY;
	return at + 1 < s->grid[dimension] ? rank + stride : PEER_ANY;
}

static void halo(const struct shape *s, struct workload *w)
{
	for (uint32_t r = 0; r < s->ranks; r++) {
		workload_repeat(w, r, s->steps);
		add_compute(s, w, r, s->compute);
		for (int sending = 0; sending < 2; sending++)
			for (unsigned side = 0; side < 2 * SHAPE_DIMENSIONS; side++) {
				uint32_t to = neighbour(s, r, side / 2, side % 2 ? 1 : -1);

				if (to == PEER_ANY)
					continue;
				if (sending)
					add_send(s, w, r, OP_ISEND, to);
				else
					add(w, r, OP_IRECV, to, 0);
			}
		add(w, r, OP_WAITALL, 0, 0);
		workload_end_repeat(w, r);
	}
}

/* Wavefronts cross the two-dimensional grid from each corner, twice from each of the four; a wave
 * consists of `steps` blocks of the third dimension, one after the other. */
static void sweep3d(const struct shape *s, struct workload *w)
{
	for (uint32_t r = 0; r < s->ranks; r++)
		for (int octant = 0; octant < 8; octant++) {
			int way[2] = { octant & 2 ? -1 : 1, octant & 4 ? -1 : 1 };

			workload_repeat(w, r, s->steps);
			for (unsigned d = 0; d < 2; d++) {
				uint32_t from = neighbour(s, r, d, -way[d]);

				if (from != PEER_ANY)
					add(w, r, OP_RECV, from, 0);
			}
			add_compute(s, w, r, s->compute);
			for (unsigned d = 0; d < 2; d++) {
				uint32_t to = neighbour(s, r, d, way[d]);

				if (to != PEER_ANY)
					add_send(s, w, r, OP_SEND, to);
			}
			workload_end_repeat(w, r);
		}
}

static void ring(const struct shape *s, struct workload *w)
{
	for (uint32_t r = 0; r < s->ranks; r++) {
		workload_repeat(w, r, s->steps);
		add_compute(s, w, r, s->compute);
		add_send(s, w, r, OP_ISEND, (r + 1) % s->ranks);
		add(w, r, OP_RECV, (r + s->ranks - 1) % s->ranks, 0);
		add(w, r, OP_WAITALL, 0, 0);
		workload_end_repeat(w, r);
	}
}

static void alltoall(const struct shape *s, struct workload *w)
{
	for (uint32_t r = 0; r < s->ranks; r++) {
		workload_repeat(w, r, s->steps);
		add_compute(s, w, r, s->compute);
		add(w, r, OP_ALLTOALL, 0, s->bytes);
		workload_end_repeat(w, r);
	}
}

/* Rank 0 asks all others with an empty message, and all answer at once. */
static void incast(const struct shape *s, struct workload *w)
{
	workload_repeat(w, 0, s->steps);
	for (int answering = 1; answering >= 0; answering--)
		for (uint32_t r = 1; r < s->ranks; r++)
			add(w, 0, answering ? OP_IRECV : OP_ISEND, r, 0);
	add(w, 0, OP_WAITALL, 0, 0);
	workload_end_repeat(w, 0);
	for (uint32_t r = 1; r < s->ranks; r++) {
		workload_repeat(w, r, s->steps);
		add(w, r, OP_RECV, 0, 0);
		add_compute(s, w, r, s->compute);
		add_send(s, w, r, OP_SEND, 0);
		workload_end_repeat(w, r);
	}
}

/* The first ranks are servers, the others clients.  A client thinks, sends a request of 100 bytes
 * and waits for the answer. */
static void client_server(const struct shape *s, struct workload *w)
{
	struct shape random = *s;

	random.vary = true;
	for (uint32_t r = s->servers; r < s->ranks; r++) {
		workload_repeat(w, r, s->steps);
		add_compute(&random, w, r, s->think);
		add(w, r, OP_SEND, r % s->servers, 100);
		add(w, r, OP_RECV, r % s->servers, 0);
		workload_end_repeat(w, r);
	}
	for (uint32_t r = 0; r < s->servers; r++) {
		uint64_t clients =
		    (s->ranks - 1 - r) / s->servers - (s->servers - 1 - r) / s->servers;

		workload_repeat(w, r, s->steps * clients);
		add(w, r, OP_RECV, PEER_ANY, 0);
		add_compute(&random, w, r, s->compute);
		add_send(s, w, r, OP_SEND, PEER_LAST);
		workload_end_repeat(w, r);
	}
}

/* Each rank sends to partners that are drawn once, and receives from equally many. */
static void random_pairs(const struct shape *s, struct workload *w)
{
	struct random random;
	size_t *to = xcalloc(s->ranks, sizeof(*to));
	uint32_t *from = xcalloc(s->ranks, sizeof(*from));

	random_seed(&random, s->seed);
	for (uint32_t r = 0; r < s->ranks; r++)
		workload_repeat(w, r, s->steps);
	for (uint32_t k = 0; k < s->partners; k++) {
		for (uint32_t r = 0; r < s->ranks; r++)
			to[r] = r;
		random_shuffle(&random, to, s->ranks);
		for (uint32_t r = 0; r < s->ranks; r++)
			from[to[r]] = r;
		for (uint32_t r = 0; r < s->ranks; r++) {
			add_compute(s, w, r, s->compute);
			add_send(s, w, r, OP_ISEND, (uint32_t)to[r]);
			add(w, r, OP_RECV, from[r], 0);
			add(w, r, OP_WAITALL, 0, 0);
		}
	}
	for (uint32_t r = 0; r < s->ranks; r++)
		workload_end_repeat(w, r);
	free(to);
	free(from);
}

const struct generator generators[] = {
	{ "halo", halo, 3 },	       { "sweep3d", sweep3d, 2 },
	{ "ring", ring, 0 },	       { "alltoall", alltoall, 0 },
	{ "incast", incast, 0 },       { "client-server", client_server, 0 },
	{ "random", random_pairs, 0 }, { 0 },
};

/* Fills the dimensions that are 0 with divisors of the number of ranks that are as equal as
 * possible. */
static int fit_grid(struct shape *s, unsigned dimensions, struct error *e)
{
	uint32_t left = s->ranks;
	unsigned open = 0;

	for (unsigned d = 0; d < SHAPE_DIMENSIONS; d++) {
		if (d >= dimensions && s->grid[d] > 1)
			return error_set(e, "a grid of %u dimensions is needed", dimensions);
		if (d >= dimensions)
			s->grid[d] = 1;
		open += !s->grid[d];
		if (s->grid[d] && left % s->grid[d])
			return error_set(e, "%u ranks do not fill that grid", s->ranks);
		left /= s->grid[d] ? s->grid[d] : 1;
	}
	for (unsigned d = 0; d < SHAPE_DIMENSIONS; d++) {
		if (s->grid[d])
			continue;
		uint32_t size = (uint32_t)ceil(pow(left, 1.0 / open--) - 1e-9);

		while (left % size)
			size++;
		s->grid[d] = size;
		left /= size;
	}
	return left == 1 ? 0 : error_set(e, "%u ranks do not fill that grid", s->ranks);
}

struct workload *generate(const struct generator *g, const struct shape *shape, struct error *e)
{
	struct shape s = *shape;

	if (s.servers >= s.ranks) {
		error_set(e, "%u servers leave no client among %u ranks", s.servers, s.ranks);
		return NULL;
	}
	if (g->dimensions && fit_grid(&s, g->dimensions, e))
		return NULL;
	struct workload *w = workload_new(g->name, s.ranks);
	g->generate(&s, w);
	if (workload_check(w, e)) {
		workload_free(w);
		return NULL;
	}
	return w;
}
