/* SPDX-License-Identifier: MIT */
#include "model/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/footprint.h"
#include "stats/sample.h"
#include "util/vec.h"
#include "util/xalloc.h"
#include "vector/group.h"

struct bill {
	struct prediction *p;
	const struct demand *d;
	struct pricing pricing;
	/* Switches and faults of each run that are inside the costs of other items; else NULL. They
	 * were counted on the reference, and are inside by as many as its entries say. */
	double *inside[LINE_KINDS];
	double *extra; /* seconds per operation of each group, inside a program */
	/* Kernel seconds, without their sign: all, those of entries measured here, those at sizes
	 * beyond the ones measured. */
	double kernel, measured, extrapolated;
	size_t found; /* items that this machine measured */
};

/* Adds seconds of a run to the line of a charge, in which they are a mean over the runs. */
static void add_to_line(struct prediction *p, const struct prediction_charge *of, double seconds)
{
	const double mean = seconds / (double)p->demand->nruns;

	p->lines[of->line].seconds += mean;
	p->lines[of->line].waits += of->waits ? mean : 0;
}

/* Adds seconds of a run to a charge, which is not before charge first. */
static void charge(struct prediction *p, size_t first, struct prediction_charge to, size_t run,
		   double seconds)
{
	size_t n = p->demand->nruns, i = first;

	while (i < p->ncharges &&
	       (p->charges[i].entry != to.entry || p->charges[i].waits != to.waits))
		i++;
	if (i == p->ncharges) {
		if (i == p->cap) {
			p->cap = p->cap ? 2 * p->cap : 64;
			p->charges = xreallocarray(p->charges, p->cap, sizeof(*p->charges));
			p->by_run = xreallocarray(p->by_run, p->cap * n, sizeof(*p->by_run));
		}
		p->charges[p->ncharges++] = to;
		memset(p->by_run + i * n, 0, n * sizeof(*p->by_run));
	}
	p->by_run[i * n + run] += seconds;
	add_to_line(p, &to, seconds);
}

static struct prediction_line *add_line(struct prediction *p, enum line_kind kind, const char *name,
					double calls)
{
	p->lines[p->nlines] =
	    (struct prediction_line){ .kind = kind, .name = name, .calls = calls };
	return &p->lines[p->nlines++];
}

/* Charges the last line. */
static void charge_entry(struct bill *b, const struct osvec_entry *entry, size_t first, size_t run,
			 double price, double extra)
{
	struct prediction *p = b->p;
	const struct prediction_line *line = &p->lines[p->nlines - 1];
	struct prediction_charge to = { line->borrowed ? NULL : entry, p->nlines - 1, false };
	const double wait = line_is_kernel(line->kind) ? price * entry->waiting : 0;

	charge(p, first, to, run, price - wait + extra);
	to.waits = true;
	if (wait != 0)
		charge(p, first, to, run, wait);
}

/* An operation of a size: what it consists of, on the machine and, as far as it is known, on the
 * reference, and its seconds. */
struct priced {
	double size;
	struct osvec_mix here, there;
	double seconds;
};

static struct priced price_size(const struct price *x, const struct price *there, double size)
{
	struct priced at = { .size = size, .here = price_at(x, size) };

	at.there = price_is_known(there) ? price_at(there, size) : at.here;
	at.seconds = price_seconds(x, &at.here);
	return at;
}

static void price_use(struct bill *b, const struct priced *at, double extra,
		      const struct demand_use *use, size_t first)
{
	const struct prediction_line *line = &b->p->lines[b->p->nlines - 1];
	const struct osvec_mix *m = &at->here;
	const double price = use->calls * at->seconds;
	/* What is subtracted is a part of a benchmark, and no call of the program. */
	const double more = fmax(use->calls, 0) * extra;

	charge_entry(b, m->a, first, use->run, m->w * price, m->w * more);
	if (m->w < 1)
		charge_entry(b, m->b, first, use->run, (1 - m->w) * price, (1 - m->w) * more);
	if (!line_is_kernel(line->kind))
		return;
	const double size = fabs(price + more);
	b->kernel += size;
	b->measured += line->borrowed || line->lower_bound ? 0 : size;
	b->extrapolated += m->extrapolated ? size : 0;
}

static struct price find(struct bill *b, const char *name, struct prediction_line *line)
{
	struct price x = price_find(&b->pricing, name);

	line->borrowed = x.borrowed;
	line->lower_bound = x.lower_bound;
	return x;
}

static void price_item(struct bill *b, const struct demand_item *item)
{
	static const char *const names[] = {
		[LINE_SWITCHES] = "switches", [LINE_FAULTS] = "faults"
	};
	const double *inside = b->inside[item->kind];
	struct prediction_line *line =
	    add_line(b->p, item->kind, item->entry ? item->entry : names[item->kind], item->calls);
	const struct price x =
	    item->entry && item->insitu != 0 ? find(b, item->entry, line) : (struct price){ 0 };
	const struct price there = item->entry && b->p->reference
				       ? price_measured(b->p->reference, item->entry)
				       : (struct price){ 0 };
	double extra = line_is_kernel(line->kind) ? b->extra[item->group] : 0;
	size_t first = b->p->ncharges;
	struct priced at = { .size = NAN };

	b->found += !inside && price_is_known(&x) && !line->borrowed && !line->lower_bound;
	for (size_t i = 0; i < item->uses.n && price_is_known(&x); i++) {
		struct demand_use use = item->uses.v[i];

		use.calls *= item->insitu;
		if (at.size != use.size)
			at = price_size(&x, &there, use.size);
		if (inside) {
			use.calls -= inside[use.run];
			if (!(use.calls > 0))
				continue;
			line->calls += use.calls / (double)b->d->nruns;
		} else if (line->kind != LINE_USER_ENTRY) {
			b->inside[LINE_SWITCHES][use.run] +=
			    use.calls * osvec_mix_switches(&at.there);
			b->inside[LINE_FAULTS][use.run] += use.calls * osvec_mix_faults(&at.there);
		}
		price_use(b, &at, extra, &use, first);
	}
	/* The application's own coverage counts these already. */
	line->lower_bound = line->lower_bound || item->fallback;
}

/* Whether user code costs the same on both, but for the state of their hosts: the processor runs
 * it, whatever the kernel. */
static bool is_one_processor(const struct osvec *a, const struct osvec *b)
{
	return *osvec_fact(a, "cpu.model") && *osvec_fact(b, "cpu.model") &&
	       !osvec_is_other_processor(a, b) && kind_of(a, b) <= KIND_HOSTED;
}

double prediction_user_ratio(const struct appvec *a, const struct osvec *machine,
			     const struct osvec *reference, const struct osvec_entry **here,
			     const struct osvec_entry **there, size_t *n, bool *median)
{
	double *ratios, ratio = NAN;

	*n = 0;
	*median = false;
	if (reference == machine)
		return 1;
	ratios = xcalloc(a->nuser_entries, sizeof(*ratios));
	for (size_t i = 0; reference && i < a->nuser_entries; i++) {
		const struct osvec_entry *x = osvec_find(machine, a->user_entries[i]);
		const struct osvec_entry *y = osvec_find(reference, a->user_entries[i]);

		if (!x || !y)
			continue;
		ratios[*n] = osvec_work(x) / osvec_work(y);
		here[*n] = x;
		there[(*n)++] = y;
	}
	if (*n) {
		*median = is_one_processor(machine, reference);
		ratio = *median ? sample_median(ratios, *n) : sample_mean(ratios, *n);
	}
	free(ratios);
	return ratio;
}

static void price_user(struct bill *b, const struct osvec *reference)
{
	struct prediction *p = b->p;
	const struct appvec *a = b->d->application;

	add_line(p, LINE_USER, "user", NAN);
	p->user_here = xcalloc(a->nuser_entries, sizeof(*p->user_here));
	p->user_reference = xcalloc(a->nuser_entries, sizeof(*p->user_reference));
	p->user_ratio = prediction_user_ratio(a, b->pricing.machine, reference, p->user_here,
					      p->user_reference, &p->nuser, &p->user_median);
	double ratio = isnan(p->user_ratio) ? 1 : p->user_ratio;
	const struct prediction_charge last = { NULL, p->nlines - 1, false };
	size_t first = p->ncharges;
	for (size_t r = 0; r < b->d->nruns; r++)
		charge(p, first, last, r, b->d->runs[r].user * ratio);
}

/* Its line stands before that of user time, which is the last. */
static void add_sleep(struct bill *b)
{
	struct prediction *p = b->p;
	size_t first = p->ncharges;
	double sum = 0;

	for (size_t r = 0; r < b->d->nruns; r++)
		sum += b->d->runs[r].asleep;
	if (!(sum > 0))
		return;
	add_line(p, LINE_ASLEEP, "asleep", NAN);
	const struct prediction_charge last = { NULL, p->nlines - 1, false };
	for (size_t r = 0; r < b->d->nruns; r++)
		charge(p, first, last, r, b->d->runs[r].asleep);
}

static bool is_wait(enum line_kind kind)
{
	return kind == LINE_WAIT || kind == LINE_ASLEEP;
}

static void add_up(struct prediction *p)
{
	p->kernel = p->user = p->wait = 0;
	for (size_t i = 0; i < p->nlines; i++) {
		const struct prediction_line *line = &p->lines[i];

		*(line_is_kernel(line->kind) ? &p->kernel
		  : is_wait(line->kind)	     ? &p->wait
					     : &p->user) += line->seconds - line->waits;
		p->wait += line->waits;
	}
	p->total = p->kernel + p->user + p->wait;
}

static int check(const struct bill *b, struct error *e)
{
	const struct prediction *p = b->p;
	const char *name = b->d->application->name, *machine = b->pricing.machine->machine;
	const char *path = *b->pricing.machine->path ? b->pricing.machine->path : machine;

	if (b->d->items.n > 2 && !b->found)
		return error_set(e,
				 "%s: %s has none of the entries that %s uses (a run of "
				 "another suite?)",
				 path, machine, name);
	const struct {
		const char *what;
		double seconds;
	} parts[] = { { "kernel part", p->kernel }, { "user time", p->user }, { "wait", p->wait } };
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].seconds < -1e-9 * fabs(p->total))
			return error_set(e,
					 "%s: predicted %s of %s is %g s: the application vector "
					 "takes away more than it has",
					 path, parts[i].what, name, parts[i].seconds);
	if (!(p->total > 0) || !isfinite(p->total))
		return error_set(
		    e, "%s: predicted time of %s is %g s: the application vector is empty", path,
		    name, p->total);
	return 0;
}

struct prediction *prediction_new(const struct demand *d, const struct osvec *machine,
				  const struct osvec *reference, double footprint,
				  struct lenders lenders, struct error *e)
{
	struct prediction *p = xcalloc(1, sizeof(*p));
	struct bill b = {
		.p = p,
		.d = d,
		.pricing = { machine, lenders, d->null_entry, NULL, NULL },
		.inside = { [LINE_SWITCHES] = xcalloc(d->nruns, sizeof(double)),
			    [LINE_FAULTS] = xcalloc(d->nruns, sizeof(double)) },
		.extra = xcalloc(group_count(), sizeof(double)),
	};

	p->demand = d;
	p->machine = machine;
	p->reference = reference;
	p->lines = xcalloc(d->items.n + 2, sizeof(*p->lines));
	p->kind = kind_of(machine, reference);
	p->host = host_of(machine);
	footprint_extra(machine->original ? machine->original : machine, d->null_entry, footprint,
			lenders.n ? lenders.v[0] : NULL, b.extra);
	for (size_t i = 0; i < d->items.n; i++)
		price_item(&b, &d->items.v[i]);
	add_sleep(&b);
	price_user(&b, reference);
	add_up(p);
	p->coverage = d->mapped * (b.kernel > 0 ? b.measured / b.kernel : 1);
	p->extrapolated = b.kernel > 0 ? b.extrapolated / b.kernel : 0;
	int failed = check(&b, e);
	free(b.inside[LINE_SWITCHES]);
	free(b.inside[LINE_FAULTS]);
	free(b.extra);
	pricing_free(&b.pricing);
	if (!failed)
		return p;
	prediction_free(p);
	return NULL;
}

void prediction_free(struct prediction *p)
{
	if (!p)
		return;
	free(p->lines);
	free(p->charges);
	free(p->by_run);
	free(p->user_here);
	free(p->user_reference);
	free(p);
}

void prediction_scale_charges(struct prediction *p, const double *factors)
{
	size_t n = p->demand->nruns;

	for (size_t i = 0; i < p->nlines; i++)
		p->lines[i].seconds = p->lines[i].waits = 0;
	for (size_t i = 0; i < p->ncharges; i++)
		for (size_t r = 0; r < n; r++) {
			p->by_run[i * n + r] *= factors[i];
			add_to_line(p, &p->charges[i], p->by_run[i * n + r]);
		}
	add_up(p);
}

void prediction_scale(struct prediction *p, double kernel, double user, double wait)
{
	const double factor[] = {
		[LINE_KERNEL] = kernel, [LINE_SWITCHES] = kernel, [LINE_FAULTS] = kernel,
		[LINE_USER] = user,	[LINE_USER_ENTRY] = user, [LINE_WAIT] = wait,
		[LINE_ASLEEP] = wait,
	};
	double *factors = xcalloc(p->ncharges, sizeof(*factors));

	for (size_t i = 0; i < p->ncharges; i++)
		factors[i] = factor[prediction_charge_kind(p, i)];
	prediction_scale_charges(p, factors);
	free(factors);
}

static int by_seconds(const void *a, const void *b)
{
	const struct prediction_line *x = *(const struct prediction_line *const *)a;
	const struct prediction_line *y = *(const struct prediction_line *const *)b;

	return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

const struct prediction_line **prediction_largest(const struct prediction *p)
{
	const struct prediction_line **order = xcalloc(p->nlines, sizeof(*order));

	for (size_t i = 0; i < p->nlines; i++)
		order[i] = &p->lines[i];
	qsort(order, p->nlines, sizeof(*order), by_seconds);
	return order;
}

enum line_kind prediction_charge_kind(const struct prediction *p, size_t i)
{
	return p->charges[i].waits ? LINE_WAIT : p->lines[p->charges[i].line].kind;
}

double *prediction_user_mode(const struct prediction *p)
{
	const size_t n = p->demand->nruns;
	double *seconds = xcalloc(n, sizeof(*seconds));

	for (size_t i = 0; i < p->ncharges; i++) {
		const struct prediction_charge *c = &p->charges[i];

		for (size_t r = 0;
		     c->entry && line_is_kernel(prediction_charge_kind(p, i)) && r < n; r++)
			seconds[r] += p->by_run[i * n + r] * c->entry->user;
	}
	return seconds;
}

double prediction_inflation(const struct prediction *reference)
{
	double system = reference->demand->system;

	return system > 0 && reference->kernel > 0 ? system / reference->kernel : NAN;
}

/* The factor on a line of one machine, which takes total, that makes it take other.  Nobody sleeps
 * for longer on another machine. */
static double flip(const struct prediction_line *line, double total, double other)
{
	double factor = 1 + (other - total) / line->seconds;

	return line->seconds != 0 && factor > 0 && line->kind != LINE_ASLEEP ? factor : NAN;
}

static int by_size(const void *a, const void *b)
{
	double x = fabs(((const struct prediction_part *)a)->log_ratio);
	double y = fabs(((const struct prediction_part *)b)->log_ratio);

	return (x < y) - (x > y);
}

double prediction_difference(const struct prediction *a, const struct prediction *b,
			     struct prediction_part *parts)
{
	double log_ratio = log(a->total / b->total);
	double mean = log_ratio != 0 ? (a->total - b->total) / log_ratio : a->total;

	for (size_t i = 0; i < a->nlines; i++) {
		double x = a->lines[i].seconds, y = b->lines[i].seconds;

		parts[i] = (struct prediction_part){
			.a = &a->lines[i],
			.b = &b->lines[i],
			.log_ratio = (x - y) / mean,
			.flip_a = flip(&a->lines[i], a->total, b->total),
			.flip_b = flip(&b->lines[i], b->total, a->total),
		};
	}
	qsort(parts, a->nlines, sizeof(*parts), by_size);
	return log_ratio;
}

bool prediction_is_reference(const struct osvec *v, const struct appvec *a)
{
	const struct {
		const char *here, *there;
		bool needed;
	} words[] = {
		{ osvec_fact(v, "host.name"), a->host, true },
		{ osvec_fact(v, "kernel.release"), a->kernel, true },
		{ osvec_fact(v, "host.identity"), a->host_id, false },
		{ osvec_fact(v, "cpu.model"), a->cpu, false },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		bool known = *words[i].here && *words[i].there;

		if (known ? strcmp(words[i].here, words[i].there) != 0 : words[i].needed)
			return false;
	}
	return true;
}
