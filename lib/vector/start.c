/* SPDX-License-Identifier: MIT */
#include "vector/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/map.h"
#include "util/vec.h"

/* A sum that is left of two that cancel is rounding. */
static const double rounding = 1e-9;

/* a and factor times b, which is subtracted at most to nothing. */
static double plus(double a, double factor, double b)
{
	const double sum = a + factor * b;

	return sum > rounding * a || isnan(sum) ? sum : 0;
}

static double nearness(double a, double b)
{
	return fabs(log((a + 1) / (b + 1)));
}

static int by_size(const void *a, const void *b)
{
	const struct appvec_size *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

/* Calls of a size that item has not got are, when subtracted, of the size that is nearest: traces
 * with many sizes keep classes of them, with their means. */
static void add_size(struct appvec_item *item, double factor, const struct appvec_size *s)
{
	struct appvec_size *at = item->sizes;

	for (size_t i = 1; i < item->nsizes; i++)
		if (nearness(item->sizes[i].size, s->size) < nearness(at->size, s->size))
			at = &item->sizes[i];
	if (item->nsizes && (factor < 0 || at->size == s->size)) {
		at->calls = plus(at->calls, factor, s->calls);
		return;
	}
	item->sizes = xreallocarray(item->sizes, item->nsizes + 1, sizeof(*item->sizes));
	item->sizes[item->nsizes++] = (struct appvec_size){ s->size, factor * s->calls };
	qsort(item->sizes, item->nsizes, sizeof(*item->sizes), by_size);
}

/* Leaves out sizes without calls; the others' are those of the item. */
static void end_sizes(struct appvec_item *item)
{
	size_t n = 0;

	if (!item->nsizes)
		return;
	item->calls = 0;
	for (size_t i = 0; i < item->nsizes; i++)
		if (item->sizes[i].calls > 0) {
			item->calls += item->sizes[i].calls;
			item->sizes[n++] = item->sizes[i];
		}
	item->nsizes = n;
}

static struct appvec_item copy_item(const struct appvec_item *x, double factor)
{
	struct appvec_item copy = *x;

	copy.entry = xstrdup(x->entry);
	copy.from = xstrdup(x->from);
	copy.calls *= factor;
	copy.bytes *= factor;
	copy.time *= factor;
	copy.sizes = xcalloc(x->nsizes, sizeof(*copy.sizes));
	for (size_t i = 0; i < x->nsizes; i++)
		copy.sizes[i] =
		    (struct appvec_size){ x->sizes[i].size, factor * x->sizes[i].calls };
	return copy;
}

static struct appvec_item *find_item(const struct appvec_trace *t, const struct appvec_item *x)
{
	for (size_t i = 0; i < t->nitems; i++) {
		const struct appvec_item *item = &t->items[i];

		if (item->weight == x->weight && item->part == x->part &&
		    item->fallback == x->fallback && !strcmp(item->entry, x->entry))
			return &t->items[i];
	}
	return NULL;
}

/* Adds factor times those of b; without calls, an item is no more. */
static void add_items(struct appvec_trace *t, double factor, const struct appvec_trace *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->nitems; i++) {
		const struct appvec_item *x = &b->items[i];
		struct appvec_item *item = find_item(t, x);

		if (!item && factor > 0) {
			t->items = xreallocarray(t->items, t->nitems + 1, sizeof(*t->items));
			t->items[t->nitems++] = copy_item(x, factor);
		}
		if (!item)
			continue;
		item->calls = plus(item->calls, factor, x->calls);
		item->bytes = plus(item->bytes, factor, x->bytes);
		item->time = plus(item->time, factor, x->time);
		for (size_t k = 0; k < x->nsizes; k++)
			add_size(item, factor, &x->sizes[k]);
	}
	for (size_t i = 0; i < t->nitems; i++) {
		struct appvec_item *item = &t->items[i];

		end_sizes(item);
		if (item->calls > 0) {
			t->items[n++] = *item;
			continue;
		}
		free(item->entry);
		free(item->from);
		free(item->sizes);
	}
	t->nitems = n;
}

static void add_unmapped(struct appvec_trace *t, double factor, const struct appvec_trace *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->nunmapped; i++) {
		const struct appvec_unmapped *x = &b->unmapped[i];
		size_t k = 0;

		while (k < t->nunmapped && strcmp(t->unmapped[k].call, x->call) != 0)
			k++;
		if (k == t->nunmapped && factor < 0)
			continue;
		if (k == t->nunmapped) {
			t->unmapped =
			    xreallocarray(t->unmapped, ++t->nunmapped, sizeof(*t->unmapped));
			t->unmapped[k] = (struct appvec_unmapped){ .call = xstrdup(x->call) };
		}
		t->unmapped[k].calls = plus(t->unmapped[k].calls, factor, x->calls);
		t->unmapped[k].time = plus(t->unmapped[k].time, factor, x->time);
	}
	for (size_t i = 0; i < t->nunmapped; i++)
		if (t->unmapped[i].calls > 0)
			t->unmapped[n++] = t->unmapped[i];
		else
			free(t->unmapped[i].call);
	t->nunmapped = n;
}

/* Of numbers alone. */
static struct appvec_run sum_run(const struct appvec_run *a, double of_a,
				 const struct appvec_run *b, double of_b)
{
	struct appvec_run sum = *a;
	double *s = (double *)&sum;
	const double *x = (const double *)b;

	for (size_t i = 0; i < sizeof(sum) / sizeof(*s); i++)
		s[i] = plus(of_a * s[i], of_b, x[i]);
	return sum;
}

/* of_a times a and of_b times b, in the processes and threads of a. */
static struct appvec_trace sum_trace(const struct appvec_trace *a, double of_a,
				     const struct appvec_trace *b, double of_b)
{
	struct appvec_trace t = *a;

	t.trace = xstrdup(a->trace);
	t.calls = plus(of_a * a->calls, of_b, b->calls);
	t.call_time = plus(of_a * a->call_time, of_b, b->call_time);
	t.mapped_calls = plus(of_a * a->mapped_calls, of_b, b->mapped_calls);
	t.mapped_time = plus(of_a * a->mapped_time, of_b, b->mapped_time);
	t.lost = plus(of_a * a->lost, of_b, b->lost);
	t.unfinished = plus(of_a * a->unfinished, of_b, b->unfinished);
	t.run = sum_run(&a->run, of_a, &b->run, of_b);
	t.asleep = plus(of_a * a->asleep, of_b, b->asleep);
	t.items = xcalloc(a->nitems, sizeof(*t.items));
	for (size_t i = 0; i < a->nitems; i++)
		t.items[i] = copy_item(&a->items[i], of_a);
	add_items(&t, of_b, b);
	t.unmapped = xcalloc(a->nunmapped, sizeof(*t.unmapped));
	for (size_t i = 0; i < a->nunmapped; i++) {
		t.unmapped[i] = a->unmapped[i];
		t.unmapped[i].call = xstrdup(a->unmapped[i].call);
		t.unmapped[i].calls *= of_a;
		t.unmapped[i].time *= of_a;
	}
	add_unmapped(&t, of_b, b);
	return t;
}

/* The runs of a and b, each of a's with one of b's; the fewer are used again. */
static struct appvec *sum(const struct appvec *a, double of_a, const struct appvec *b, double of_b)
{
	struct appvec *s = appvec_new("");

	s->ntraces = a->ntraces;
	s->traces = xcalloc(a->ntraces, sizeof(*s->traces));
	for (size_t i = 0; i < a->ntraces; i++)
		s->traces[i] = sum_trace(&a->traces[i], of_a, &b->traces[i % b->ntraces], of_b);
	s->nruns = a->nruns;
	s->runs = xcalloc(a->nruns, sizeof(*s->runs));
	for (size_t i = 0; i < a->nruns; i++)
		s->runs[i] = sum_run(&a->runs[i], of_a, &b->runs[i % b->nruns], of_b);
	return s;
}

/* a gets the runs of from, which ends. */
static void take_runs(struct appvec *a, struct appvec *from)
{
	const struct appvec old = *a;

	a->traces = from->traces;
	a->ntraces = from->ntraces;
	a->runs = from->runs;
	a->nruns = from->nruns;
	from->traces = old.traces;
	from->ntraces = old.ntraces;
	from->runs = old.runs;
	from->nruns = old.nruns;
	appvec_free(from);
}

static double cpu_seconds(const struct appvec *a)
{
	double seconds = 0;

	for (size_t i = 0; i < a->nruns; i++)
		seconds += (a->runs[i].user + a->runs[i].system) / (double)a->nruns;
	return seconds;
}

static int check(const struct appvec *a, const struct appvec *fewer, struct error *e)
{
	const char *name = fewer->path;

	if (a->start || fewer->start)
		return error_set(e, "%s: its start is apart already", name);
	if (strcmp(a->unit, fewer->unit) != 0 || !(2 * fewer->units <= a->units))
		return error_set(e,
				 "%s: %g times the unit '%s' are not at most half of %g times "
				 "'%s': run the same work with fewer units (ktranal vector -n, -u)",
				 name, fewer->units, fewer->unit, a->units, a->unit);
	if (strcmp(a->basis, fewer->basis) != 0)
		return error_set(e, "%s: mapped by %s, not by %s", name, fewer->basis, a->basis);
	if (!a->nruns != !fewer->nruns)
		return error_set(e, "%s: one of the two was timed, the other was not (-t)", name);
	if (cpu_seconds(fewer) >= cpu_seconds(a) && a->nruns)
		return error_set(e,
				 "%s: took %.3g s of CPU time, and %g units no more: time more "
				 "runs, or more units",
				 name, cpu_seconds(fewer), a->units);
	return 0;
}

/* The share of the calls of b that a lacks. */
static double lacking(const struct appvec_trace *a, const struct appvec_trace *b)
{
	double calls = 0, missing = 0;

	for (size_t i = 0; i < b->nitems; i++) {
		const struct appvec_item *there = find_item(a, &b->items[i]);

		calls += b->items[i].calls;
		missing += fmax(0, b->items[i].calls - (there ? there->calls : 0));
	}
	return calls > 0 ? missing / calls : 0;
}

double start_split(struct appvec *a, const struct appvec *fewer, struct error *e)
{
	if (check(a, fewer, e))
		return -1;
	const double factor = a->units / (a->units - fewer->units);
	struct appvec *units = sum(a, factor, fewer, -factor);
	const double odd = lacking(a->traces, fewer->traces);

	for (size_t i = 0; i < units->ntraces; i++)
		if (!(units->traces[i].calls > 0)) {
			appvec_free(units);
			error_set(e, "%s: %g units make no more calls than %g", fewer->path,
				  a->units, fewer->units);
			return -1;
		}
	a->start = sum(a, 1, units, -1);
	take_runs(a, units);
	return odd;
}

void start_join(struct appvec *a)
{
	if (!a->start)
		return;
	take_runs(a, sum(a, 1, a->start, 1));
	appvec_free(a->start);
	a->start = NULL;
}

void start_only(struct appvec *a)
{
	struct appvec *start = a->start;

	a->start = NULL;
	take_runs(a, start);
	free(a->unit);
	a->unit = xstrdup("start");
	a->units = 1;
}
