/* SPDX-License-Identifier: MIT */
#include "model/demand.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/price.h"
#include "util/map.h"
#include "util/vec.h"
#include "vector/group.h"

static const char default_null_entry[] = "lat_syscall_getppid";

/* The item of that entry and part, made when it is new. */
static struct demand_item *item_at(struct demand *d, struct names *seen,
				   const struct appvec_item *x)
{
	static const enum line_kind kinds[] = {
		[PART_KERNEL] = LINE_KERNEL, [PART_WAIT] = LINE_WAIT, [PART_USER] = LINE_USER_ENTRY
	};
	const enum line_kind kind = kinds[x->part];
	char *key = xasprintf("%d%d %s", kind, x->fallback, x->entry);
	size_t i = names_add(seen, key);

	free(key);
	if (i == d->items.n)
		vec_push(&d->items, (struct demand_item){
					.entry = x->entry,
					.kind = kind,
					.group = group_of(x->entry),
					.fallback = x->fallback,
					.insitu = kind != LINE_USER_ENTRY,
					.whole = SIZE_MAX,
					.same_cpu = SIZE_MAX,
				    });
	return &d->items.v[i];
}

static void add_use(struct demand_item *item, double size, double calls, size_t run)
{
	vec_push(&item->uses, (struct demand_use){ size, calls, run });
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

/* Adds calls of that size in the first run and in all that have its trace. */
static void add_uses(const struct demand *d, struct demand_item *item, double size, double calls,
		     size_t first)
{
	for (size_t r = first; r < d->nruns; r += d->application->ntraces)
		add_use(item, size, calls, r);
}

/* Items are in the order of the terms of their rules: what is subtracted from a wait follows it. */
static void merge_items(struct demand *d)
{
	const size_t ntraces = d->application->ntraces;
	struct names seen = { 0 };

	for (size_t r = 0; r < ntraces; r++) {
		const struct appvec_trace *trace = trace_of(d, r);
		const double share = (double)((d->nruns - r - 1) / ntraces + 1) / (double)d->nruns;
		size_t wait = SIZE_MAX; /* the item before, if it is one */

		for (size_t i = 0; i < trace->nitems; i++) {
			const struct appvec_item *x = &trace->items[i];

			if (x->part == PART_COUNTED) {
				wait = SIZE_MAX;
				continue;
			}
			struct demand_item *item = item_at(d, &seen, x);
			if (x->part == PART_WAIT && x->weight < 0 && !item->uses.n)
				item->whole = wait;
			wait = x->part == PART_WAIT && x->weight > 0 ? (size_t)(item - d->items.v)
								     : SIZE_MAX;
			item->calls += x->calls * x->weight * share;
			item->traced += x->time * share;
			for (size_t s = 0; s < x->nsizes; s++)
				add_uses(d, item, x->sizes[s].size, x->sizes[s].calls * x->weight,
					 r);
			if (!x->nsizes)
				add_uses(d, item, 0, x->calls * x->weight, r);
			if (x->fallback)
				d->null_entry = x->entry;
		}
	}
	names_free(&seen);
}

/* The number that lies at that offset in a run of the vector. */
static double number(const struct demand *d, size_t r, size_t offset)
{
	return *(const double *)((const char *)run_of(d, r) + offset);
}

/* Its mean over the runs that know it; NaN: none does. */
static double mean(const struct demand *d, size_t offset)
{
	double sum = 0;
	size_t n = 0;

	for (size_t r = 0; r < d->nruns; r++)
		if (!isnan(number(d, r, offset))) {
			sum += number(d, r, offset);
			n++;
		}
	return n ? sum / (double)n : NAN;
}

/* Adds a number of each run; false when none knows it. */
static bool add(struct demand *d, size_t from, size_t to)
{
	double otherwise = mean(d, from);
	bool known = !isnan(otherwise);

	for (size_t r = 0; r < d->nruns; r++) {
		double v = number(d, r, from);

		*(double *)((char *)&d->runs[r] + to) += !isnan(v) ? v : known ? otherwise : 0;
	}
	return known;
}

/* All switches or faults, once their numbers are known. */
static void add_all(struct demand *d, enum line_kind kind, const char *entry)
{
	struct demand_item all = {
		.entry = entry,
		.kind = kind,
		.insitu = 1,
		.group = group_of(entry ? entry : ""),
		.whole = SIZE_MAX,
		.same_cpu = SIZE_MAX,
	};

	for (size_t r = 0; r < d->nruns; r++)
		add_use(&all, 0, kind == LINE_FAULTS ? d->runs[r].faults : d->runs[r].switches, r);
	vec_push(&d->items, all);
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

	d->application = a;
	d->nruns = a->ntraces > a->nruns ? a->ntraces : a->nruns;
	d->runs = xcalloc(d->nruns, sizeof(*d->runs));
	d->null_entry = default_null_entry;
	d->slower_user = d->slower_system = 1;
	merge_items(d);
	d->user_known =
	    add(d, offsetof(struct appvec_run, user), offsetof(struct demand_run, user));
	/* A switch costs the same when the thread that was woken did not let its waker finish. */
	add(d, offsetof(struct appvec_run, voluntary), offsetof(struct demand_run, switches));
	add(d, offsetof(struct appvec_run, involuntary), offsetof(struct demand_run, switches));
	add(d, offsetof(struct appvec_run, minor_faults), offsetof(struct demand_run, faults));
	add_all(d, LINE_SWITCHES, a->switch_entry);
	add_all(d, LINE_FAULTS, a->fault_entry);
	/* Of the untraced runs only: tracing itself is system time. */
	d->measured = a->nruns > 0;
	d->system = d->measured ? mean(d, offsetof(struct appvec_run, system)) : NAN;
	if (d->system > 0)
		add(d, offsetof(struct appvec_run, system), offsetof(struct demand_run, system));
	for (size_t r = 0; r < d->nruns; r++)
		d->runs[r].asleep = fmax(trace_of(d, r)->asleep, 0);
	read_coverage(d);
	return d;
}

/* What calls spend on a CPU, or NULL. */
static const struct demand_item *kernel_of(const struct demand *d, const char *entry)
{
	for (size_t i = 0; i < d->items.n; i++) {
		const struct demand_item *item = &d->items.v[i];

		if (item->kind == LINE_KERNEL && item->calls > 0 && item->entry &&
		    !strcmp(item->entry, entry))
			return item;
	}
	return NULL;
}

/* The price of an entry, NaN where v has none, or is NULL. */
static double seconds_of(const struct osvec *v, const char *entry)
{
	const struct price x = v ? price_measured(v, entry) : (struct price){ 0 };

	if (!x.entry)
		return NAN;
	const struct osvec_mix m = price_at(&x, 0);
	return price_seconds(&x, &m);
}

void demand_scale_waits(struct demand *d, const struct osvec *reference)
{
	for (size_t i = 0; i < d->items.n; i++) {
		struct demand_item *less = &d->items.v[i];
		struct demand_item *all = less->whole != SIZE_MAX ? &d->items.v[less->whole] : NULL;

		/* Each call of a rule has both: where the numbers differ, rules share one. */
		if (!all || fabs(all->calls + less->calls) > 1e-9 * all->calls)
			continue;
		all->insitu = less->insitu = 1;
		const double cpu = seconds_of(reference, less->entry);
		const double wait = seconds_of(reference, all->entry) - cpu;
		const struct demand_item *calls = wait > 0 ? kernel_of(d, less->entry) : NULL;
		if (!calls || isnan(calls->traced))
			continue;
		all->insitu = less->insitu = fmax(calls->traced / calls->calls - cpu, 0) / wait;
	}
}

void demand_set_state(struct demand *d, const struct osvec *reference)
{
	double user = 1, system = 1;

	demand_move_user(d, NULL);
	d->unlikely = false;
	if (reference && d->measured) {
		const struct loops then = { osvec_canary(reference, 0).mean,
					    osvec_canary(reference, 1).mean };

		d->unlikely = loops_slower(&d->application->loops, &then, &user, &system);
	}
	for (size_t r = 0; r < d->nruns; r++) {
		d->runs[r].user +=
		    (d->runs[r].user + d->runs[r].split) * (d->slower_user / user - 1);
		d->runs[r].system *= d->slower_system / system;
	}
	d->system *= d->slower_system / system;
	d->slower_user = user;
	d->slower_system = system;
}

/* Multiplies what user entries cost, and takes it from the user time. */
static void take_user(struct demand *d, double share)
{
	for (size_t i = 0; i < d->items.n; i++)
		if (d->items.v[i].kind == LINE_USER_ENTRY)
			d->items.v[i].insitu *= share;
	for (size_t r = 0; r < d->nruns; r++) {
		d->runs[r].split *= share;
		d->runs[r].user -= d->runs[r].split;
	}
}

void demand_split_user(struct demand *d, const struct osvec *reference)
{
	double share = 1;

	for (size_t r = 0; r < d->nruns; r++) {
		d->runs[r].user += d->runs[r].split;
		d->runs[r].split = 0;
	}
	for (size_t i = 0; i < d->items.n; i++) {
		struct demand_item *item = &d->items.v[i];
		const struct osvec_entry *x = reference && item->kind == LINE_USER_ENTRY
						  ? osvec_find(reference, item->entry)
						  : NULL;

		if (item->kind == LINE_USER_ENTRY)
			item->insitu = x != NULL;
		for (size_t u = 0; x && u < item->uses.n; u++)
			d->runs[item->uses.v[u].run].split += item->uses.v[u].calls * osvec_work(x);
	}
	for (size_t r = 0; r < d->nruns; r++)
		if (d->runs[r].split * share > d->runs[r].user)
			share = d->runs[r].user / d->runs[r].split;
	take_user(d, share);
}

void demand_move_user(struct demand *d, const double *seconds)
{
	double sum = 0;

	for (size_t r = 0; r < d->nruns; r++) {
		struct demand_run *run = &d->runs[r];
		const double all = run->user + run->moved;
		const double moved = seconds ? fmin(fmax(seconds[r], 0), all) : 0;

		if (run->system > 0)
			run->system += moved - run->moved;
		sum += moved - run->moved;
		run->user = all - moved;
		run->moved = moved;
	}
	d->system += sum / (double)d->nruns; /* NaN stays */
}

/* v's name for the entry or curve NAME@same, if v has both that and NAME; else NULL.  The name is
 * v's. */
static const char *same_cpu_name(const struct osvec *v, const char *name)
{
	char *same = price_same_cpu(name);
	const struct osvec_entry *x = osvec_find(v, same);
	const struct osvec_curve c = osvec_curve(v, same), apart = osvec_curve(v, name);
	const bool both = osvec_find(v, name) ? x != NULL : apart.n && c.n;

	free(same);
	return !both ? NULL : x ? x->name : c.points[0]->curve;
}

/* Adds an item for the calls of item i on one CPU, before the switches and faults, from which
 * those inside the items before them are subtracted. */
static void add_same_cpu(struct demand *d, size_t i, const char *name)
{
	const struct demand_item *from = &d->items.v[i];
	struct demand_item x = *from;

	x.entry = name;
	x.calls = x.traced = 0;
	memset(&x.uses, 0, sizeof(x.uses));
	for (size_t u = 0; u < from->uses.n; u++)
		add_use(&x, from->uses.v[u].size, 0, from->uses.v[u].run);
	const size_t at = d->items.v[i].same_cpu = d->items.n - 2;
	vec_insert(&d->items, at, x);
}

/* Leaves the share of the sum of both in b, and the rest in a. */
static void share_out(double *a, double *b, double share)
{
	const double sum = *a + *b;

	*b = share * sum;
	*a = sum - *b;
}

void demand_price_on_one_cpu(struct demand *d, const struct osvec *reference, double share)
{
	const size_t n = d->items.n - 2;

	for (size_t i = 0; i < n; i++) {
		const char *name = reference && d->items.v[i].kind == LINE_KERNEL
				       ? same_cpu_name(reference, d->items.v[i].entry)
				       : NULL;

		if (name && share > 0 && d->items.v[i].same_cpu == SIZE_MAX)
			add_same_cpu(d, i, name);
		if (d->items.v[i].same_cpu == SIZE_MAX)
			continue;
		struct demand_item *a = &d->items.v[i], *b = &d->items.v[a->same_cpu];
		share_out(&a->calls, &b->calls, share);
		share_out(&a->traced, &b->traced, share);
		for (size_t u = 0; u < a->uses.n; u++)
			share_out(&a->uses.v[u].calls, &b->uses.v[u].calls, share);
	}
}

void demand_free(struct demand *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->items.n; i++)
		vec_free(&d->items.v[i].uses);
	vec_free(&d->items);
	free(d->runs);
	free(d);
}
