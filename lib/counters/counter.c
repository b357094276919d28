/* SPDX-License-Identifier: MIT */
#include "counters/counter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

enum { TURNS = 4 }; /* of a group in a round but the first */

struct counter {
	size_t slices, last; /* in which it was counted; the number of the last one, from 1 */
	double count, carrier;
	double last_count, last_carrier;
};

/* Sums of products of differences between successive slices of both events. */
struct counter_pair {
	double counts, first, second, carriers; /* i * j, i * carrier, j * carrier, carrier^2 */
};

void counters_init(struct counters *c, size_t n)
{
	*c = (struct counters){ .n = n,
				.v = xcalloc(n + 1, sizeof(*c->v)),
				.p = xcalloc(n * n + 1, sizeof(*c->p)) };
}

void counters_reset(struct counters *c)
{
	memset(c->v, 0, c->n * sizeof(*c->v));
	memset(c->p, 0, c->n * c->n * sizeof(*c->p));
	c->slices = 0;
}

void counters_free(struct counters *c)
{
	free(c->v);
	free(c->p);
	*c = (struct counters){ 0 };
}

static void add_products(struct counters *c, size_t m, const size_t *which, const double *counts,
			 double carrier)
{
	for (size_t a = 0; a < m; a++) {
		const struct counter *x = &c->v[which[a]];
		double by = carrier - x->last_carrier, dx = counts[a] - x->last_count;

		for (size_t b = 0; x->last && b < m; b++) {
			const struct counter *y = &c->v[which[b]];
			struct counter_pair *p = &c->p[which[a] * c->n + which[b]];
			double dy = counts[b] - y->last_count;

			if (y->last != x->last)
				continue;
			p->counts += dx * dy;
			p->first += dx * by;
			p->second += dy * by;
			p->carriers += by * by;
		}
	}
}

void counters_add(struct counters *c, size_t m, const size_t *which, const double *counts,
		  double carrier)
{
	c->slices++;
	add_products(c, m, which, counts, carrier);
	for (size_t a = 0; a < m; a++) {
		struct counter *x = &c->v[which[a]];

		x->slices++;
		x->last = c->slices;
		x->count += counts[a];
		x->carrier += carrier;
		x->last_count = counts[a];
		x->last_carrier = carrier;
	}
}

double counters_covariance(const struct counters *c, size_t i, size_t j, double whole)
{
	const struct counter *x = &c->v[i], *y = &c->v[j];
	const struct counter_pair *p = &c->p[i * c->n + j];
	double n = (double)x->slices, rate = x->count / x->carrier, other = y->count / y->carrier;
	double share = whole > 0 ? x->carrier / whole : 0;

	if (i != j && p->carriers == 0 && p->counts == 0)
		return 0;
	if (!(x->carrier > 0) || !(y->carrier > 0))
		return NAN;
	if (share >= 1)
		return 0;
	/* Of deviations from the common rate; what was counted has no error, only what was not. */
	double squares =
	    p->counts - other * p->first - rate * p->second + rate * other * p->carriers;
	double variance = n > 1 ? squares / 2 * n / (n - 1) * (1 - share) : NAN;
	if (i == j && variance < 0) /* rounded */
		variance = 0;
	return variance / (x->carrier * y->carrier) * whole * whole;
}

struct counter_estimate counters_estimate(const struct counters *c, size_t i, double whole)
{
	const struct counter *x = &c->v[i];

	if (!(x->carrier > 0))
		return (struct counter_estimate){ NAN, NAN, 0 };
	return (struct counter_estimate){ x->count / x->carrier * whole,
					  sqrt(counters_covariance(c, i, i, whole)),
					  whole > 0 ? fmin(1, x->carrier / whole) : 0 };
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
