/* SPDX-License-Identifier: MIT */
#include "model/pricetable.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "model/footprint.h"
#include "util/map.h"
#include "util/vec.h"
#include "vector/group.h"

enum { NODES = PRICETABLE_TERMS };

#define NONE SIZE_MAX

struct column {
	double *v[FACES]; /* [machine]; NULL: nothing anywhere */
	double size;
	struct osvec_mix there; /* of an article that the reference measured */
};

/* A size at which a machine measured a curve. */
struct place {
	double size;
	double ratio, next; /* the largest quotient of two costs of a machine, here and at its next
			       size, and the largest of these sizes; 1 and 0: all end here */
};

/* Those of a curve.  Zeroed but for the first it is valid. */
struct grid {
	double last; /* size that all machines reach */
	VEC(struct place) places;
};

/* An entry or a curve. */
struct article {
	struct grid grid;    /* places ascend; an entry: one of size 0 */
	size_t *at, *after;  /* columns: at a size; the first of those up to the next one */
	size_t *nodes;	     /* how many they are */
	VEC(size_t) columns; /* all of them */
	struct price there;  /* on the reference; it may not be known */
	const struct osvec *lenders[2]; /* the first that have it: one may be the machine itself */
	size_t nlenders;
};

struct pricetable {
	const struct osvec *const *v;
	size_t n;
	const struct osvec *reference;
	struct lenders lenders;
	const char *null_entry;
	struct names curves, names;
	VEC(struct grid) grids;	      /* by curves */
	VEC(struct article) articles; /* by names */
	VEC(struct column) columns;   /* the first are the groups' extra costs at each footprint */
	VEC(double) footprints;	      /* ascending; at the first nothing costs more */
};

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void add_footprint(struct pricetable *t, double bytes)
{
	size_t k = 0;

	while (k < t->footprints.n && t->footprints.v[k] != bytes)
		k++;
	if (k == t->footprints.n)
		vec_push(&t->footprints, bytes);
}

static struct place *place_at(struct grid *g, double size)
{
	size_t k = 0;

	while (k < g->places.n && g->places.v[k].size != size)
		k++;
	if (k == g->places.n)
		vec_push(&g->places, (struct place){ size, 1, 0 });
	return &g->places.v[k];
}

/* Notes the n points of a curve. */
static void look_at_curve(struct grid *g, const struct osvec_entry *const *points, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct place *place = place_at(g, points[i]->size);

		if (i + 1 == n)
			break;
		const double a = points[i]->seconds, b = points[i + 1]->seconds;
		place->ratio = fmax(place->ratio, a > b ? a / b : b / a);
		place->next = fmax(place->next, points[i + 1]->size);
	}
	g->last = fmin(g->last, points[n - 1]->size);
}

/* Notes all curves of v, and its footprints. */
static void look_at(struct pricetable *t, const struct osvec *v)
{
	for (size_t i = 0, end; i < v->ncurves; i = end) {
		const size_t grid = names_add(&t->curves, v->curves[i]->curve);

		for (end = i;
		     end < v->ncurves && !strcmp(v->curves[end]->curve, v->curves[i]->curve);)
			end++;
		if (grid == t->grids.n)
			vec_push(&t->grids, (struct grid){ .last = INFINITY });
		look_at_curve(&t->grids.v[grid], v->curves + i, end - i);
	}
	for (size_t i = 0; i < v->n; i++)
		if (v->entries[i].footprint > FOOTPRINT_LEAST)
			add_footprint(t, v->entries[i].footprint);
}

struct pricetable *pricetable_new(const struct osvec *const *v, size_t n,
				  const struct osvec *reference, struct lenders lenders,
				  const char *null_entry)
{
	struct pricetable *t = xcalloc(1, sizeof(*t));

	t->v = v;
	t->n = n;
	t->reference = reference;
	t->lenders = lenders;
	t->null_entry = null_entry;
	add_footprint(t, FOOTPRINT_LEAST);
	for (size_t i = 0; i < lenders.n; i++)
		look_at(t, lenders.v[i]);
	for (size_t i = 0; i < n; i++)
		look_at(t, v[i]);
	vec_sort(&t->footprints, ascending);
	for (size_t i = 0; i < t->footprints.n * group_count(); i++)
		vec_push(&t->columns, (struct column){ .size = NAN });
	return t;
}

/* -- columns of entries and curves ------------------------------------------------------------- */

static void take_grid(const struct pricetable *t, const char *name, struct grid *all)
{
	const size_t number = names_find(&t->curves, name);

	if (number == SIZE_MAX)
		return;
	const struct grid *g = &t->grids.v[number];
	for (size_t i = 0; i < g->places.n; i++) {
		struct place *place = place_at(all, g->places.v[i].size);

		place->ratio = fmax(place->ratio, g->places.v[i].ratio);
		place->next = fmax(place->next, g->places.v[i].next);
	}
	all->last = fmin(all->last, g->last);
}

/*
 * How many nodes a polynomial between place k and the next one needs.  Costs there are exponentials
 * exp(c x) of the place x, or less curved; with n nodes the error of that, relative to its least
 * value, is at most 2 (c / 4)^n exp(c) / n!.  Two are exact for the switches and faults inside a
 * cost, which are lines.
 */
static size_t nodes_between(const struct grid *g, size_t k)
{
	const struct place *p = g->places.v;
	const double from = p[k].size, to = p[k + 1].size, small = 5e-6;
	double steep = g->last < to ? log(to / from) : 0;
	size_t n = 0;

	for (size_t i = 0; i <= k; i++)
		if (p[i].next >= to)
			steep = fmax(steep, i < k && p[i].size == 0 ? INFINITY : log(p[i].ratio));
	double error = 2 * exp(steep);
	while (n < 2 || (n < NODES && error > small))
		error *= steep / 4 / (double)++n;
	return n;
}

static struct article *article_of(struct pricetable *t, const char *name)
{
	const size_t number = names_add(&t->names, name);
	struct article a = { .grid.last = INFINITY };

	if (number < t->articles.n)
		return &t->articles.v[number];
	for (size_t i = 0; i < t->lenders.n && a.nlenders < 2; i++) {
		const struct price x = price_measured(t->lenders.v[i], name);

		if (price_is_known(&x))
			a.lenders[a.nlenders++] = t->lenders.v[i];
	}
	if (t->reference)
		a.there = price_measured(t->reference, name);
	char *same = price_same_cpu(name);
	take_grid(t, name, &a.grid);
	take_grid(t, same, &a.grid);
	free(same);
	if (!strchr(name, '*') || !a.grid.places.n) {
		a.grid.places.n = 0;
		place_at(&a.grid, 0);
	}
	const size_t n = a.grid.places.n;
	vec_sort(&a.grid.places, ascending); /* by size, which is first */
	a.at = xcalloc(3 * n, sizeof(*a.at));
	a.after = a.at + n;
	a.nodes = a.after + n;
	for (size_t k = 0; k < n; k++) {
		a.at[k] = a.after[k] = NONE;
		a.nodes[k] = k + 1 < n ? nodes_between(&a.grid, k) : 1;
	}
	vec_push(&t->articles, a);
	return &t->articles.v[number];
}

/* The columns of an article at the sizes [n], of which *first is the first once they are made. */
static size_t columns_at(struct pricetable *t, struct article *a, size_t *first,
			 const double *sizes, size_t n)
{
	if (*first != NONE)
		return *first;
	*first = t->columns.n;
	for (size_t k = 0; k < n; k++) {
		vec_push(&a->columns, t->columns.n);
		vec_push(&t->columns, (struct column){ .size = sizes[k] });
	}
	return *first;
}

/* Chebyshev's n places in [0, 1]. */
static double node(size_t k, size_t n)
{
	return 0.5 - 0.5 * cos(M_PI * (2.0 * (double)k + 1) / (2.0 * (double)n));
}

/* Between two sizes places are those of logarithms, and next to size 0 of sizes, as on the curve.
 */
static double size_at(double from, double to, double place)
{
	return from > 0 ? from * pow(to / from, place) : to * place;
}

/* The weights, at a place, of the values of a polynomial at the nodes: the barycentric formula
 * (Berrut and Trefethen 2004). */
static void weigh_nodes(double place, struct term *terms, size_t n)
{
	double sum = 0;

	for (size_t k = 0; k < n; k++) {
		const double apart = place - node(k, n);
		const double w = sin(M_PI * (2.0 * (double)k + 1) / (2.0 * (double)n));

		/* At a node its own weight is all there is. */
		terms[k].factor = (k % 2 ? -w : w) / (fabs(apart) > 1e-14 ? apart : 1e-14);
		sum += terms[k].factor;
	}
	for (size_t k = 0; k < n; k++)
		terms[k].factor /= sum;
}

size_t pricetable_terms(struct pricetable *t, const char *name, double size, struct term *terms)
{
	struct article *a = article_of(t, name);
	const struct place *places = a->grid.places.v;
	const size_t last = a->grid.places.n - 1;
	size_t k = 0;

	while (k < last && places[k + 1].size <= size)
		k++;
	terms[0] = (struct term){ 0, 1 };
	if (k < last && size > places[k].size) {
		const double from = places[k].size, to = places[k + 1].size;
		const size_t n = a->nodes[k];
		double at[NODES];

		for (size_t i = 0; i < n; i++)
			at[i] = size_at(from, to, node(i, n));
		terms[0].column = columns_at(t, a, &a->after[k], at, n);
		weigh_nodes(osvec_place_between(from, to, size), terms, n);
		for (size_t i = 1; i < n; i++)
			terms[i].column = terms[0].column + i;
		return n;
	}
	terms[0].column = columns_at(t, a, &a->at[k], &places[k].size, 1);
	if (size <= places[k].size || !(places[k].size > 0))
		return 1;
	/* Beyond the largest size the cost is a line, through that and twice that. */
	const double twice = 2 * places[last].size;
	terms[1].column = columns_at(t, a, &a->after[last], &twice, 1);
	terms[1].factor = size / places[last].size - 1;
	terms[0].factor = 1 - terms[1].factor;
	return 2;
}

size_t pricetable_extra(const struct pricetable *t, size_t group, double bytes, struct term *terms)
{
	const double *footprint = t->footprints.v;
	const size_t groups = group_count();
	size_t f = 0;

	if (bytes <= FOOTPRINT_LEAST)
		return 0;
	while (f + 1 < t->footprints.n && footprint[f + 1] <= bytes)
		f++;
	terms[0] = (struct term){ f * groups + group, 1 };
	if (f + 1 == t->footprints.n)
		return 1;
	terms[1] =
	    (struct term){ (f + 1) * groups + group,
			   log(bytes / footprint[f]) / log(footprint[f + 1] / footprint[f]) };
	terms[0].factor -= terms[1].factor;
	return 2;
}

/* -- what they cost ---------------------------------------------------------------------------- */

static void put(struct pricetable *t, size_t column, enum face face, size_t machine, double x)
{
	double **v = &t->columns.v[column].v[face];
	const size_t blocks = t->n / PRICETABLE_BLOCK + 1;

	if (x == 0)
		return;
	if (!*v)
		*v = xcalloc(blocks * PRICETABLE_BLOCK, sizeof(**v));
	(*v)[machine] = x;
}

static void fill_article(struct pricetable *t, size_t machine, struct pricing *p, size_t article)
{
	const struct article *a = &t->articles.v[article];

	p->lenders = (struct lenders){ a->lenders, a->nlenders };
	const struct price x = price_find(p, t->names.v[article]);
	for (size_t k = 0; k < a->columns.n && price_is_known(&x); k++) {
		const size_t column = a->columns.v[k];
		const struct osvec_mix m = price_at(&x, t->columns.v[column].size);
		const struct osvec_mix in =
		    price_is_known(&a->there) ? t->columns.v[column].there : m;

		const double cost = price_seconds(&x, &m), waiting = osvec_mix_waiting(&m);

		put(t, column, FACE_COST, machine, cost);
		put(t, column, FACE_WAITS, machine, cost * waiting);
		put(t, column, FACE_SWITCHES, machine, osvec_mix_switches(&in));
		put(t, column, FACE_FAULTS, machine, osvec_mix_faults(&in));
	}
}

/* What the reference has at each size, once for all machines. */
static void find_there(struct pricetable *t)
{
	for (size_t i = 0; i < t->articles.n; i++) {
		const struct article *a = &t->articles.v[i];

		for (size_t k = 0; k < a->columns.n && price_is_known(&a->there); k++) {
			struct column *c = &t->columns.v[a->columns.v[k]];

			c->there = price_at(&a->there, c->size);
		}
	}
}

/* Machine by machine, so that each vector is in the caches once. */
void pricetable_fill(struct pricetable *t)
{
	const size_t groups = group_count();
	double *extra = xcalloc(groups, sizeof(*extra));

	find_there(t);
	for (size_t i = 0; i < t->n; i++) {
		struct pricing p = { .machine = t->v[i], .null_entry = t->null_entry };

		for (size_t k = 0; k < t->articles.n; k++)
			fill_article(t, i, &p, k);
		for (size_t f = 1; f < t->footprints.n; f++) {
			footprint_extra(t->v[i], t->null_entry, t->footprints.v[f],
					t->lenders.n ? t->lenders.v[0] : NULL, extra);
			for (size_t g = 0; g < groups; g++)
				put(t, f * groups + g, FACE_COST, i, extra[g]);
		}
		pricing_free(&p);
	}
	free(extra);
}

size_t pricetable_columns(const struct pricetable *t)
{
	return t->columns.n;
}

const double *pricetable_column(const struct pricetable *t, size_t column, enum face face)
{
	return t->columns.v[column].v[face];
}

void pricetable_free(struct pricetable *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->grids.n; i++)
		vec_free(&t->grids.v[i].places);
	for (size_t i = 0; i < t->articles.n; i++) {
		vec_free(&t->articles.v[i].grid.places);
		vec_free(&t->articles.v[i].columns);
		free(t->articles.v[i].at);
	}
	for (size_t i = 0; i < t->columns.n; i++)
		for (enum face f = 0; f < FACES; f++)
			free(t->columns.v[i].v[f]);
	names_free(&t->curves);
	names_free(&t->names);
	vec_free(&t->grids);
	vec_free(&t->articles);
	vec_free(&t->columns);
	vec_free(&t->footprints);
	free(t);
}
