/* SPDX-License-Identifier: MIT */
#include "model/pricelist.h"

#include <math.h>
#include <string.h>

#include "model/host.h"
#include "model/prediction.h"
#include "util/map.h"
#include "util/vec.h"

enum { BLOCK = PRICETABLE_BLOCK, TOGETHER = 4 };

struct addend {
	const double *v; /* of each machine */
	double factor;
};

/* A sum of columns: their numbers, and once they are filled themselves. */
struct terms {
	struct term *v;
	size_t n, cap;
	VEC(struct addend) sum;
};

/* The switches or faults of some runs beyond those that are inside other costs. */
struct rest {
	double *all; /* of each run */
	size_t n;
	struct terms price; /* of one */
	struct terms inside;
};

/* The runs of an application that make the calls of one trace. */
struct runs {
	double share; /* of all runs */
	struct terms kernel, user, wait;
	struct terms inside;	 /* what of kernel waits */
	struct rest rest[FACES]; /* of switches and faults */
};

struct basket {
	struct runs *runs;
	size_t nruns;
	double user;   /* seconds on the reference */
	double asleep; /* on every machine */
	size_t users;  /* number of its list of user entries */
};

/* What a list of user entries says of each machine. */
struct users {
	double *ratio, *host;
};

struct pricelist {
	const struct osvec *const *v, *reference;
	size_t n;
	struct pricetable *table;
	VEC(struct basket) baskets;
	struct names lists;
	VEC(struct users) users; /* by lists */
	double *sums;		 /* of each column, while terms are added up */
	size_t nsums;
};

/* -- adding an application --------------------------------------------------------------------- */

static void add_terms(struct pricelist *l, const struct term *terms, size_t n, double factor)
{
	const size_t columns = pricetable_columns(l->table);

	if (l->nsums < columns) {
		l->sums = xreallocarray(l->sums, columns, sizeof(*l->sums));
		memset(l->sums + l->nsums, 0, (columns - l->nsums) * sizeof(*l->sums));
		l->nsums = columns;
	}
	for (size_t i = 0; i < n; i++)
		l->sums[terms[i].column] += terms[i].factor * factor;
}

/* Takes what was added up, and starts anew. */
static struct terms take_terms(struct pricelist *l)
{
	struct terms all = { 0 };

	for (size_t c = 0; c < l->nsums; c++)
		if (l->sums[c] != 0) {
			vec_push(&all, (struct term){ c, l->sums[c] });
			l->sums[c] = 0;
		}
	return all;
}

static void add_price(struct pricelist *l, const char *name, double size, double calls)
{
	struct term terms[PRICETABLE_TERMS];

	add_terms(l, terms, pricetable_terms(l->table, name, size, terms), calls);
}

static void add_extra(struct pricelist *l, size_t group, double bytes, double calls)
{
	struct term terms[PRICETABLE_TERMS];

	add_terms(l, terms, pricetable_extra(l->table, group, bytes, terms), calls);
}

/* What run r uses in one part; what is subtracted is a part of a benchmark, and no call of the
 * program. */
static struct terms take_uses(struct pricelist *l, const struct demand *d, size_t r,
			      enum line_kind kind, double bytes)
{
	for (size_t i = 0; i < d->items.n; i++) {
		const struct demand_item *item = &d->items.v[i];
		double calls = 0;

		for (size_t u = 0; item->kind == kind && u < item->uses.n; u++) {
			const struct demand_use *use = &item->uses.v[u];

			if (use->run != r)
				continue;
			add_price(l, item->entry, use->size, use->calls * item->insitu);
			calls += fmax(use->calls, 0);
		}
		if (kind == LINE_KERNEL)
			add_extra(l, item->group, bytes, calls);
	}
	return take_terms(l);
}

/* The switches or faults of the runs r, r + step, ..., and what one of them costs. */
static struct rest take_rest(struct pricelist *l, const struct demand *d, size_t r, size_t step,
			     enum face face, double bytes)
{
	const struct demand_item *item = &d->items.v[d->items.n - FACES + face];
	struct rest rest = { .all = xcalloc(d->nruns, sizeof(*rest.all)) };

	for (; r < item->uses.n; r += step)
		rest.all[rest.n++] = item->uses.v[r].calls;
	if (!item->entry)
		return rest;
	add_price(l, item->entry, 0, 1);
	add_extra(l, item->group, bytes, 1);
	rest.price = take_terms(l);
	return rest;
}

/* The number of the list of a's user entries. */
static size_t find_users(struct pricelist *l, const struct appvec *a)
{
	const size_t padded = (l->n / BLOCK + 1) * BLOCK;
	char *key = xstrdup("");

	for (size_t i = 0; i < a->nuser_entries; i++)
		key = xappend(key, "%s ", a->user_entries[i]);
	const size_t number = names_add(&l->lists, key);
	free(key);
	if (number < l->users.n)
		return number;
	struct users u = { xcalloc(padded, sizeof(double)), xcalloc(padded, sizeof(double)) };
	const struct osvec_entry **entries = xcalloc(2 * a->nuser_entries, sizeof(*entries));
	struct host *hosts = xcalloc(l->n, sizeof(*hosts));
	hosts_find(l->v, l->n, a->user_entries, a->nuser_entries, hosts);
	for (size_t i = 0; i < l->n; i++) {
		size_t known;
		bool median;
		const double ratio = prediction_user_ratio(
		    a, l->v[i], l->reference, entries, entries + a->nuser_entries, &known, &median);

		u.ratio[i] = isnan(ratio) ? 1 : ratio;
		u.host[i] = hosts[i].factor;
	}
	free(entries);
	free(hosts);
	vec_push(&l->users, u);
	return number;
}

void pricelist_add(struct pricelist *l, const struct demand *d, double footprint)
{
	struct basket b = { .nruns = d->application->ntraces };

	b.runs = xcalloc(b.nruns, sizeof(*b.runs));
	b.users = find_users(l, d->application);
	/* Run r makes the calls of trace r, as do all that are so many traces later (demand.c). */
	for (size_t r = 0; r < b.nruns; r++) {
		struct runs *runs = &b.runs[r];

		runs->kernel = take_uses(l, d, r, LINE_KERNEL, footprint);
		runs->user = take_uses(l, d, r, LINE_USER_ENTRY, footprint);
		runs->wait = take_uses(l, d, r, LINE_WAIT, footprint);
		for (enum face f = FACE_SWITCHES; f < FACES; f++)
			runs->rest[f] = take_rest(l, d, r, b.nruns, f, footprint);
		runs->share = (double)runs->rest[FACE_FAULTS].n / (double)d->nruns;
	}
	for (size_t r = 0; r < d->nruns; r++) {
		b.user += d->runs[r].user / (double)d->nruns;
		b.asleep += d->runs[r].asleep / (double)d->nruns;
	}
	vec_push(&l->baskets, b);
}

/* -- times ------------------------------------------------------------------------------------- */

/* Adds factor times the terms to sum[BLOCK]; four columns together, as each sum must be read and
 * written for them but once. */
static void add_up(const struct terms *terms, size_t block, double factor, double *restrict sum)
{
	for (size_t k = 0; k < terms->sum.n; k += TOGETHER) {
		const struct addend *x = terms->sum.v + k;
		const double *restrict a = x[0].v + block * BLOCK;
		const double *restrict b = x[1].v + block * BLOCK;
		const double *restrict c = x[2].v + block * BLOCK;
		const double *restrict d = x[3].v + block * BLOCK;
		const double fa = factor * x[0].factor, fb = factor * x[1].factor;
		const double fc = factor * x[2].factor, fd = factor * x[3].factor;

		for (size_t i = 0; i < BLOCK; i++)
			sum[i] += (fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]);
	}
}

static void add_rest(const struct rest *rest, double share, size_t block, double *restrict kernel)
{
	double inside[BLOCK] = { 0 }, price[BLOCK] = { 0 }, sum[BLOCK] = { 0 };

	add_up(&rest->inside, block, 1, inside);
	add_up(&rest->price, block, share / (double)rest->n, price);
	for (size_t r = 0; r < rest->n; r++) {
		const double all = rest->all[r];

		for (size_t i = 0; i < BLOCK; i++) {
			const double more = all - inside[i];

			sum[i] += more > 0 ? more : 0;
		}
	}
	for (size_t i = 0; i < BLOCK; i++)
		kernel[i] += sum[i] * price[i];
}

void pricelist_times(const struct pricelist *l, size_t application, size_t block,
		     struct pricelist_times *out)
{
	const struct basket *b = &l->baskets.v[application];
	const struct users *u = &l->users.v[b->users];

	memset(out->kernel, 0, sizeof(out->kernel));
	for (size_t i = 0; i < BLOCK; i++) {
		out->user[i] = b->user * u->ratio[block * BLOCK + i];
		out->wait[i] = b->asleep;
	}
	for (const struct runs *r = b->runs; r < b->runs + b->nruns; r++) {
		add_up(&r->kernel, block, r->share, out->kernel);
		add_up(&r->user, block, r->share, out->user);
		add_up(&r->wait, block, r->share, out->wait);
		add_up(&r->inside, block, r->share, out->wait);
		add_up(&r->inside, block, -r->share, out->kernel);
		for (enum face f = FACE_SWITCHES; f < FACES; f++)
			add_rest(&r->rest[f], r->share, block, out->kernel);
	}
	out->host = u->host + block * BLOCK;
}

/* ---- */

struct pricelist *pricelist_new(const struct osvec *const *v, size_t n,
				const struct osvec *reference, struct lenders lenders,
				const char *null_entry)
{
	struct pricelist *l = xcalloc(1, sizeof(*l));

	l->v = v;
	l->n = n;
	l->reference = reference;
	l->table = pricetable_new(v, n, reference, lenders, null_entry);
	return l;
}

/* Adds the columns of terms, but for those without anything, to the sum of out. */
static void find_columns(const struct pricelist *l, const struct terms *terms, enum face face,
			 struct terms *out)
{
	for (size_t i = 0; i < terms->n; i++) {
		const double *v = pricetable_column(l->table, terms->v[i].column, face);

		if (v)
			vec_push(&out->sum, (struct addend){ v, terms->v[i].factor });
	}
}

/* Makes the number of addends a multiple of TOGETHER. */
static void fill_up(struct terms *terms)
{
	while (terms->sum.n % TOGETHER)
		vec_push(&terms->sum, (struct addend){ terms->sum.v[0].v, 0 });
}

void pricelist_fill(struct pricelist *l)
{
	pricetable_fill(l->table);
	for (size_t i = 0; i < l->baskets.n; i++)
		for (size_t k = 0; k < l->baskets.v[i].nruns; k++) {
			struct runs *runs = &l->baskets.v[i].runs[k];

			find_columns(l, &runs->kernel, FACE_COST, &runs->kernel);
			find_columns(l, &runs->user, FACE_COST, &runs->user);
			find_columns(l, &runs->wait, FACE_COST, &runs->wait);
			find_columns(l, &runs->kernel, FACE_WAITS, &runs->inside);
			fill_up(&runs->kernel);
			fill_up(&runs->user);
			fill_up(&runs->wait);
			fill_up(&runs->inside);
			for (enum face f = FACE_SWITCHES; f < FACES; f++) {
				struct rest *rest = &runs->rest[f];

				find_columns(l, &rest->price, FACE_COST, &rest->price);
				find_columns(l, &runs->kernel, f, &rest->inside);
				find_columns(l, &runs->wait, f, &rest->inside);
				fill_up(&rest->price);
				fill_up(&rest->inside);
			}
		}
}

static void free_terms(struct terms *t)
{
	vec_free(t);
	vec_free(&t->sum);
}

static void free_runs(struct runs *r)
{
	free_terms(&r->kernel);
	free_terms(&r->user);
	free_terms(&r->wait);
	free_terms(&r->inside);
	for (enum face f = 0; f < FACES; f++) {
		free_terms(&r->rest[f].price);
		free_terms(&r->rest[f].inside);
		free(r->rest[f].all);
	}
}

void pricelist_free(struct pricelist *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->baskets.n; i++) {
		for (size_t k = 0; k < l->baskets.v[i].nruns; k++)
			free_runs(&l->baskets.v[i].runs[k]);
		free(l->baskets.v[i].runs);
	}
	for (size_t i = 0; i < l->users.n; i++) {
		free(l->users.v[i].ratio);
		free(l->users.v[i].host);
	}
	pricetable_free(l->table);
	names_free(&l->lists);
	vec_free(&l->baskets);
	vec_free(&l->users);
	free(l->sums);
	free(l);
}
