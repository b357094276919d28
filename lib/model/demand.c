/* SPDX-License-Identifier: MIT */
#include "model/demand.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/map.h"
#include "util/vec.h"

static const char default_null_entry[] = "lat_syscall_getppid";

/* The item of that entry and part, made when it is new. */
static struct demand_item *item_at(struct demand *d, struct names *seen,
				   const struct appvec_item *x)
{
	char *key = xasprintf("%d%d %s", x->part, x->fallback, x->entry);
	size_t i = names_add(seen, key);

	free(key);
	if (i == d->nitems) {
		if (d->nitems == d->cap) {
			d->cap = d->cap ? 2 * d->cap : 32;
			d->items = xreallocarray(d->items, d->cap, sizeof(*d->items));
		}
		d->items[d->nitems++] = (struct demand_item){
			.entry = x->entry,
			.part = x->part,
			.fallback = x->fallback,
		};
	}
	return &d->items[i];
}

static void add_use(struct demand_item *item, double size, double calls, size_t run)
{
	if (item->nuses == item->cap) {
		item->cap = item->cap ? 2 * item->cap : 8;
		item->uses = xreallocarray(item->uses, item->cap, sizeof(*item->uses));
	}
	item->uses[item->nuses++] = (struct demand_use){ size, calls, run };
}

/*
 * Traced and timed runs are different runs of the same work, so that any trace may stand beside any
 * timed run: run r of the demand pairs them, and the fewer are used again.
 */
static const struct appvec_trace *trace_of(const struct demand *d, size_t r)
{
	return &d->application->traces[r % d->application->ntraces];
}

/* Without timed runs what the traced run used is the best that is known. */
static const struct appvec_run *run_of(const struct demand *d, size_t r)
{
	const struct appvec *a = d->application;

	return a->nruns ? &a->runs[r % a->nruns] : &trace_of(d, r)->run;
}

static void merge_items(struct demand *d)
{
	struct names seen = { 0 };

	for (size_t r = 0; r < d->nruns; r++)
		for (size_t i = 0; i < trace_of(d, r)->nitems; i++) {
			const struct appvec_item *x = &trace_of(d, r)->items[i];

			if (x->part == PART_COUNTED)
				continue;
			struct demand_item *item = item_at(d, &seen, x);
			item->calls += x->calls * x->weight / (double)d->nruns;
			for (size_t s = 0; s < x->nsizes; s++)
				add_use(item, x->sizes[s].size, x->sizes[s].calls * x->weight, r);
			if (!x->nsizes)
				add_use(item, 0, x->calls * x->weight, r);
			if (x->fallback)
				d->null_entry = x->entry;
		}
	names_free(&seen);
}

/* Where a number lies in a run of the vector and in one of the demand. */
static void fill(struct demand *d, size_t from, size_t to, bool *known)
{
	double sum = 0;
	size_t n = 0;

	for (size_t r = 0; r < d->nruns; r++) {
		double v = *(const double *)((const char *)run_of(d, r) + from);

		if (!isnan(v)) {
			sum += v;
			n++;
		}
	}
	*known = n > 0;
	for (size_t r = 0; r < d->nruns; r++) {
		double v = *(const double *)((const char *)run_of(d, r) + from);

		*(double *)((char *)&d->runs[r] + to) = !isnan(v) ? v : n ? sum / (double)n : 0;
	}
}

/* Of the untraced runs only: tracing itself is system time. */
static void read_system(struct demand *d)
{
	const struct appvec *a = d->application;
	double sum = 0;
	size_t n = 0;

	d->measured = a->nruns > 0;
	for (size_t r = 0; d->measured && r < d->nruns; r++)
		if (!isnan(run_of(d, r)->system)) {
			sum += run_of(d, r)->system;
			n++;
		}
	d->system = n ? sum / (double)n : NAN;
}

static double share(double part, double whole)
{
	return whole > 0 && part < whole ? part / whole : 1;
}

static void read_coverage(struct demand *d)
{
	double calls = 0, mapped_calls = 0, time = 0, mapped_time = 0;

	for (size_t r = 0; r < d->nruns; r++) {
		const struct appvec_trace *trace = trace_of(d, r);

		calls += trace->calls;
		mapped_calls += trace->mapped_calls;
		if (!isnan(trace->call_time) && !isnan(trace->mapped_time)) {
			time += trace->call_time;
			mapped_time += trace->mapped_time;
		}
	}
	d->mapped = fmin(share(mapped_calls, calls), share(mapped_time, time));
}

struct demand *demand_new(const struct appvec *a)
{
	struct demand *d = xcalloc(1, sizeof(*d));
	bool preempted;

	d->application = a;
	d->nruns = a->ntraces > a->nruns ? a->ntraces : a->nruns;
	d->runs = xcalloc(d->nruns, sizeof(*d->runs));
	d->null_entry = default_null_entry;
	merge_items(d);
	fill(d, offsetof(struct appvec_run, user), offsetof(struct demand_run, user),
	     &d->user_known);
	fill(d, offsetof(struct appvec_run, voluntary), offsetof(struct demand_run, switches),
	     &d->switches_known);
	fill(d, offsetof(struct appvec_run, involuntary), offsetof(struct demand_run, preemptions),
	     &preempted);
	/* A switch costs the same when the thread that was woken did not let its waker finish. */
	for (size_t r = 0; preempted && r < d->nruns; r++)
		d->runs[r].switches += d->runs[r].preemptions;
	fill(d, offsetof(struct appvec_run, minor_faults), offsetof(struct demand_run, faults),
	     &d->faults_known);
	read_system(d);
	read_coverage(d);
	return d;
}

void demand_free(struct demand *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nitems; i++)
		free(d->items[i].uses);
	free(d->items);
	free(d->runs);
	free(d);
}
