/* SPDX-License-Identifier: MIT */
#include "counters/counter.h"

#include <math.h>
#include <stdlib.h>

#include "util/xalloc.h"

enum { TURNS = 4 }; /* of a group in a round but the first */

void counter_add(struct counter *c, double count, double time)
{
	c->slices++;
	c->count += count;
	c->time += time;
	c->counts2 += count * count;
	c->products += count * time;
	c->times2 += time * time;
}

struct counter_estimate counter_estimate(const struct counter *c, double whole)
{
	double n = (double)c->slices, rate = c->count / c->time;
	struct counter_estimate e = { rate * whole, 0, whole > 0 ? fmin(1, c->time / whole) : 0 };

	if (!(c->time > 0))
		return (struct counter_estimate){ NAN, NAN, 0 };
	if (e.share >= 1)
		return e;
	/* Of deviations from the common rate; what was counted has no error, only what was not. */
	double squares = c->counts2 - 2 * rate * c->products + rate * rate * c->times2;
	double variance = n > 1 ? fmax(squares, 0) * n / (n - 1) * (1 - e.share) : NAN;
	e.error = sqrt(variance) / c->time * whole;
	return e;
}

void rotation_init(struct rotation *r, size_t n, uint64_t seed)
{
	*r = (struct rotation){ .order = xcalloc(n * TURNS, sizeof(*r->order)), .n = n };
	for (size_t i = 0; i < n * TURNS; i++)
		r->order[i] = i % n;
	random_seed(&r->random, seed);
}

size_t rotation_next(struct rotation *r)
{
	if (r->next == r->length) {
		r->length = r->length ? r->n * TURNS : r->n;
		random_shuffle(&r->random, r->order, r->length);
		r->next = 0;
	}
	return r->order[r->next++];
}

void rotation_done(struct rotation *r)
{
	free(r->order);
	r->order = NULL;
}
