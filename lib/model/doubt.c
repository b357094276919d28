/* SPDX-License-Identifier: MIT */
#include "model/doubt.h"

#include <math.h>
#include <string.h>

#include "stats/distribution.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Of a cost without an interval, such as that measured by one process. */
static const double lone_error = 0.1;
static const double uncovered_error = 0.5; /* relative, of time that no entry measures */
/* The standard error of the median of normal deviates over that of their mean: the square root of
 * pi / 2, for many. */
static const double median_error = 1.2533;

/*
 * What makes the 90 % interval of a normal deviate as wide as Student's for n processes.  Two
 * processes count as three: with one degree of freedom nearly anything is possible.
 */
static double widening(size_t n)
{
	enum { KNOWN = 64 };
	static double known[KNOWN];
	double found = n < KNOWN ? known[n] : 0;

	if (found)
		return found;
	found = distribution_student_quantile(0.95, n > 3 ? (double)n - 1 : 2) /
		distribution_normal_quantile(0.95);
	if (n < KNOWN)
		known[n] = found;
	return found;
}

/*
 * The standard error of the logarithm of an entry's price (price.h): of a normal deviate whose 90 %
 * interval is as wide as that of Student's t for its number of processes; a tenth where nothing
 * says it, as of one process.
 */
static double error_of(const struct osvec *of, const struct osvec_entry *x)
{
	const double error = x->waits && x->mean_error >= 0 ? x->mean_error : x->error;

	if (isnan(error) && (x->n == 1 || !(x->high > x->low)))
		return lone_error;
	if (isnan(error))
		return (x->high - x->low) / x->seconds / 2 /
		       distribution_normal_quantile((1 + of->level) / 2);
	return x->n ? error * widening(x->n) : error;
}

static void add(struct doubts *d, const struct osvec *of, const struct osvec_entry *x, double share)
{
	size_t i = 0;

	while (i < d->n && (d->v[i].of != of || d->v[i].entry != x))
		i++;
	if (i == d->n)
		vec_push(d, (struct doubt){ .entry = x, .of = of });
	d->v[i].error += share * error_of(of, x);
}

static bool is_kernel(const struct prediction *p, size_t charge)
{
	return line_is_kernel(prediction_charge_kind(p, charge));
}

/* The entries that p's charges come from, each with its part of the time. */
static void add_charges(struct doubts *d, const struct prediction *p, bool kernel_only,
			double factor)
{
	size_t n = p->demand->nruns;

	for (size_t i = 0; i < p->ncharges; i++) {
		double seconds = 0;

		if (!p->charges[i].entry || (kernel_only && !is_kernel(p, i)))
			continue;
		for (size_t r = 0; r < n; r++)
			seconds += p->by_run[i * n + r] / (double)n;
		add(d, p->machine, p->charges[i].entry, factor * seconds);
	}
}

/* The user time that the user entries' ratio scales: the last line. */
static double scaled_user(const struct prediction *p)
{
	return p->lines[p->nlines - 1].seconds;
}

/*
 * How much shorter the rest of the user time is in p for item i, of user time that follows calls:
 * demand_split_user() took it out of that, at its cost on the reference.
 */
static double split_user(const struct prediction *p, size_t i)
{
	const struct demand *d = p->demand;
	const struct demand_item *item = &d->items.v[i];
	const struct osvec_entry *of = p->reference ? osvec_find(p->reference, item->entry) : NULL;
	double seconds = 0, rest = 0;

	for (size_t u = 0; of && u < item->uses.n; u++)
		seconds += item->insitu * item->uses.v[u].calls * osvec_work(of);
	for (size_t r = 0; r < d->nruns; r++)
		rest += d->runs[r].user;
	return rest > 0 ? scaled_user(p) * seconds / rest : 0;
}

void doubt_add(struct doubts *d, const struct prediction *p, double factor)
{
	const struct demand_item *items = p->demand->items.v;

	factor /= p->total;
	add_charges(d, p, false, factor);
	if (p->insitu)
		add_charges(d, p->insitu, true, -factor * p->kernel / p->insitu->kernel);
	for (size_t i = 0; i < p->demand->items.n; i++) {
		double split = items[i].kind == LINE_USER_ENTRY ? split_user(p, i) : 0;

		if (split > 0)
			add(d, p->reference, osvec_find(p->reference, items[i].entry),
			    -factor * split);
	}
	for (size_t i = 0; i < p->nuser; i++) {
		const struct osvec_entry *x = p->user_here[i], *y = p->user_reference[i];
		double part =
		    p->user_median ? median_error : osvec_work(x) / osvec_work(y) / p->user_ratio;
		double share = factor * scaled_user(p) * part / (double)p->nuser;

		add(d, p->machine, x, share);
		add(d, p->reference, y, -share);
	}
}

double doubt_variance(const struct doubts *d, const struct osvec *of)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (d->v[i].of != of)
			continue;
		sum += d->v[i].error;
		squares += d->v[i].error * d->v[i].error;
	}
	return of->correlation * sum * sum + (1 - of->correlation) * squares;
}

double doubt_uncovered(const struct prediction *p)
{
	double seconds = (1 - p->coverage) * p->kernel;

	/* Of the kernel part the coverage tells. */
	for (size_t i = 0; i < p->nlines; i++)
		if (p->lines[i].borrowed)
			seconds += fabs(line_is_kernel(p->lines[i].kind) ? p->lines[i].waits
									 : p->lines[i].seconds);
	return uncovered_error * seconds / p->total;
}

/* The part of each user entry in the user time, beyond that on the reference; of a median none. */
static void add_user_lines(const struct prediction *p, double *lines)
{
	const struct appvec *a = p->demand->application;

	for (size_t i = 0; !p->user_median && i < p->nuser; i++) {
		double n = (double)p->nuser;
		double ratio = osvec_work(p->user_here[i]) / osvec_work(p->user_reference[i]);
		size_t at = 0;

		while (strcmp(a->user_entries[at], p->user_here[i]->name) != 0)
			at++;
		lines[at] = scaled_user(p) / p->total * (ratio / p->user_ratio - 1) / n;
	}
}

struct model_case doubt_case(const struct prediction *p)
{
	const struct prediction *in = p->insitu;
	size_t n = p->nlines + p->demand->application->nuser_entries;
	double *lines = xcalloc(2 * n, sizeof(*lines)), *user = lines + n, taken = 0;

	for (size_t i = 0; i < p->nlines; i++) {
		const enum line_kind kind = p->lines[i].kind;
		/* On the reference, by as much as it is scaled. */
		double known = 0;

		if (kind == LINE_USER || kind == LINE_ASLEEP)
			continue;
		if (in && line_is_kernel(kind))
			known =
			    p->kernel * (in->lines[i].seconds - in->lines[i].waits) / in->kernel;
		else if (kind == LINE_USER_ENTRY)
			taken += known = split_user(p, i);
		*(kind == LINE_USER_ENTRY && known > 0 ? &user[i] : &lines[i]) =
		    (p->lines[i].seconds - known) / p->total;
	}
	add_user_lines(p, lines + p->nlines);
	return (struct model_case){
		.kind = p->kind,
		.state = osvec_host_spread(p->machine),
		.lines = lines,
		.user = taken > 0 ? user : NULL,
		.most = taken > 0 ? scaled_user(p) / taken : 0,
		.nlines = n,
		.host = p->host,
	};
}

/* The relative difference that run r makes to p. */
static double run_effect(const struct prediction *p, size_t r)
{
	const struct prediction *in = p->insitu;
	const struct demand *d = p->demand;
	double seconds = 0, kernel = 0;

	for (size_t i = 0; i < p->ncharges; i++)
		seconds += p->by_run[i * d->nruns + r];
	for (size_t i = 0; in && i < in->ncharges; i++)
		if (is_kernel(in, i))
			kernel += in->by_run[i * d->nruns + r];
	if (in)
		seconds += p->kernel * (d->runs[r].system / d->system - kernel / in->kernel);
	return seconds / p->total;
}

double doubt_runs(const struct prediction *a, const struct prediction *b)
{
	size_t n = a->demand->nruns;
	double sum = 0, squares = 0;

	for (size_t r = 0; r < n; r++) {
		double x = run_effect(a, r) - run_effect(b, r);

		sum += x;
		squares += x * x;
	}
	return n > 1 ? fmax(squares - sum * sum / (double)n, 0) / (double)(n * (n - 1)) : 0;
}

double doubt_ratio(const struct prediction *a, const struct prediction *b)
{
	const struct osvec *of[] = { a->machine, b->machine, a->reference };
	double sum = doubt_runs(a, b) + pow(doubt_uncovered(a), 2) + pow(doubt_uncovered(b), 2);
	struct doubts d = { 0 };

	doubt_add(&d, a, 1);
	doubt_add(&d, b, -1);
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		size_t k = 0;

		while (of[k] != of[i])
			k++;
		sum += k == i && of[i] ? doubt_variance(&d, of[i]) : 0;
	}
	vec_free(&d);
	return sum;
}
