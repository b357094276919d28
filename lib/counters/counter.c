/* SPDX-License-Identifier: MIT */
#include "counters/counter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "util/xalloc.h"

enum { TURNS = 4 }; /* of a group in a round but the first */

/* Of slices in a row, as many as a round has; the first block has that of the first round, too. */
struct block {
	size_t first, n; /* the number of its first slice, from 1; slices so far */
	double count, carrier;
	double squares[3]; /* of the deviations of count - r carrier, by powers of the rate r */
};

struct counter {
	size_t slices, blocks; /* in which it was counted; those of several slices */
	double count, carrier;
	struct block block; /* the last */
	double fourth[5];   /* sums of the squares of all squares[] before, by powers of r */
};

/* Sums of products of deviations from the means of blocks that both events have. */
struct counter_pair {
	double counts, first, second, carriers; /* i * j, i * carrier, j * carrier, carrier^2 */
	size_t n;				/* degrees of freedom */
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

/* A slice of a block, less the mean of those before: what it adds to sums of squared deviations is
 * the product of two such (Welford 1962). */
static double deviation(double value, double sum, size_t n)
{
	double before = (double)n;

	return n ? (value - sum / before) * sqrt(before / (before + 1)) : 0;
}

static void add_products(struct counters *c, size_t m, const size_t *which, const double *counts,
			 double carrier)
{
	for (size_t a = 0; a < m; a++) {
		const struct block *x = &c->v[which[a]].block;
		double dx = deviation(counts[a], x->count, x->n),
		       by = deviation(carrier, x->carrier, x->n);

		for (size_t b = 0; x->n && b < m; b++) {
			const struct block *y = &c->v[which[b]].block;
			struct counter_pair *p = &c->p[which[a] * c->n + which[b]];
			double dy = deviation(counts[b], y->count, y->n);

			if (y->first != x->first || y->n != x->n)
				continue;
			p->counts += dx * dy;
			p->first += dx * by;
			p->second += dy * by;
			p->carriers += by * by;
			p->n++;
		}
	}
}

/* Adds to out[5] the square of the polynomial a[3]. */
static void add_square(const double *a, double *out)
{
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			out[i + k] += a[i] * a[k];
}

/* Before a slice. */
static void end_block(struct counter *x)
{
	if (x->block.n == (x->slices == x->block.n ? 1 + TURNS : TURNS)) {
		add_square(x->block.squares, x->fourth);
		x->block = (struct block){ 0 };
	}
}

static void add_to_block(struct counter *x, double count, double carrier, size_t number)
{
	struct block *b = &x->block;
	double dx = deviation(count, b->count, b->n), by = deviation(carrier, b->carrier, b->n);

	b->first = b->n ? b->first : number;
	b->n++;
	x->blocks += b->n == 2;
	b->count += count;
	b->carrier += carrier;
	b->squares[0] += dx * dx;
	b->squares[1] -= 2 * dx * by;
	b->squares[2] += by * by;
}

void counters_add(struct counters *c, size_t m, const size_t *which, const double *counts,
		  double carrier)
{
	c->slices++;
	for (size_t a = 0; a < m; a++)
		end_block(&c->v[which[a]]);
	add_products(c, m, which, counts, carrier);
	for (size_t a = 0; a < m; a++) {
		struct counter *x = &c->v[which[a]];

		add_to_block(x, counts[a], carrier, c->slices);
		x->slices++;
		x->count += counts[a];
		x->carrier += carrier;
	}
}

/* The sum of products of deviations of i and j from their rates. */
static double products_of(const struct counters *c, size_t i, size_t j)
{
	const struct counter *x = &c->v[i], *y = &c->v[j];
	const struct counter_pair *p = &c->p[i * c->n + j];
	double rate = x->count / x->carrier, other = y->count / y->carrier;

	double products =
	    p->counts - other * p->first - rate * p->second + rate * other * p->carriers;
	return fabs(products) > 1e-12 * fabs(p->counts) ? products : 0; /* rounded */
}

double counters_correlation(const struct counters *c, size_t i, size_t j)
{
	double squares = products_of(c, i, i) * products_of(c, j, j);

	if (i == j)
		return 1;
	return squares > 0 ? products_of(c, i, j) / sqrt(squares) : 0;
}

/* By how much 1.96 standard errors have to be wider because the sum of squares is itself an
 * estimate: where few blocks have most of it, few degrees of freedom. */
static double widening(const struct counter *x, double squares, double freedom)
{
	double rate = x->count / x->carrier, all[5], fourth = 0, n = (double)x->blocks;

	memcpy(all, x->fourth, sizeof(all));
	add_square(x->block.squares, all);
	for (int i = 5; i--;)
		fourth = fourth * rate + all[i];
	double spread = (fourth - squares * squares / n) * n / (n - 1);
	if (n > 1 && spread > 0)
		freedom = fmin(freedom, 2 * squares * squares / spread);
	return distribution_student_quantile(0.975, fmax(freedom, 1)) /
	       distribution_normal_quantile(0.975);
}

struct counter_estimate counters_estimate(const struct counters *c, size_t i, double whole)
{
	const struct counter *x = &c->v[i];
	double share = whole > 0 ? fmin(1, x->carrier / whole) : 0;
	double freedom = (double)c->p[i * c->n + i].n, error = 0;

	if (!(x->carrier > 0))
		return (struct counter_estimate){ NAN, NAN, 0 };
	if (share < 1) { /* what was counted has no error, only what was not */
		double squares = products_of(c, i, i);
		double variance = squares * (double)x->slices / freedom * (1 - share);

		error = freedom > 0
			    ? sqrt(variance) / x->carrier * whole * widening(x, squares, freedom)
			    : NAN;
	}
	return (struct counter_estimate){ x->count / x->carrier * whole, error, share };
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
