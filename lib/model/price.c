/* SPDX-License-Identifier: MIT */
#include "model/price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"
#include "vector/group.h"

bool price_is_known(const struct price *x)
{
	return x->entry || x->curve.n;
}

/* Of the logarithm of a mean: with a larger error it is that of one stall of the device. */
static const double largest_error = 0.5;

/* A device is slow now and then, which is in the sum of many operations: it is the mean that
 * counts, as far as it is known, and not what most of them take. */
static struct price look_up(const struct osvec *v, const char *name)
{
	struct price x = { .scale = 1 };

	if (strchr(name, '*'))
		x.curve = osvec_curve(v, name);
	else
		x.entry = osvec_find(v, name);
	if (x.entry && x.entry->waits && x.entry->mean > 0 &&
	    !(x.entry->mean_error > largest_error))
		x.scale = x.entry->mean / x.entry->seconds;
	if (x.entry && x.entry->waiting > 0 && group_of(name) == GROUP_USER)
		x.scale *= osvec_work(x.entry) / x.entry->seconds;
	return x;
}

char *price_same_cpu(const char *name)
{
	return xasprintf("%s@same", name);
}

struct price price_measured(const struct osvec *v, const char *name)
{
	struct price x = look_up(v, name);

	if (!price_is_known(&x)) {
		char *same = price_same_cpu(name);

		x = look_up(v, same);
		free(same);
	}
	return x;
}

static double last_size(const struct osvec_curve *c)
{
	return c->n ? c->points[c->n - 1]->size : 0;
}

static double seconds_at(const struct osvec_curve *c, double size)
{
	const struct osvec_mix m = osvec_curve_at(c, size);

	return osvec_mix_seconds(&m);
}

struct osvec_mix price_at(const struct price *x, double size)
{
	if (x->entry)
		return (struct osvec_mix){ x->entry, x->entry, 1, 1, false };
	struct osvec_mix m = osvec_curve_at(&x->curve, size);
	const double last = last_size(&x->curve);
	if (size > last && x->longer.n)
		m.scale = seconds_at(&x->longer, size) / seconds_at(&x->longer, last);
	return m;
}

double price_seconds(const struct price *x, const struct osvec_mix *m)
{
	return osvec_mix_seconds(m) * x->scale;
}

/*
 * How much slower the machine is than the lender in each group.  Costs that were changed (whatif)
 * do not count.
 */
static void find_ratios(struct pricing *p, const struct osvec *lender)
{
	const struct osvec *machine = p->machine->original ? p->machine->original : p->machine;
	size_t groups = group_count();
	double *n = xcalloc(groups, sizeof(*n)), all = 0, entries = 0;

	free(p->ratios);
	p->ratios = xcalloc(groups, sizeof(*p->ratios));
	p->lender = lender;
	for (size_t i = 0, k = 0; i < lender->n; i++) {
		const struct osvec_entry *x = &lender->entries[i];

		while (k < machine->n && strcmp(machine->entries[k].name, x->name) < 0)
			k++;
		if (k == machine->n || strcmp(machine->entries[k].name, x->name) != 0)
			continue;
		double ratio = log(machine->entries[k].seconds / x->seconds);
		size_t group = group_of(x->name);

		p->ratios[group] += ratio;
		n[group]++;
		all += ratio;
		entries++;
	}
	for (size_t g = 0; g < groups; g++)
		p->ratios[g] = exp(n[g] > 0	 ? p->ratios[g] / n[g]
				   : entries > 0 ? all / entries
						 : 0);
	free(n);
}

/* By what to multiply the cost of name on lender. */
static double lent_scale(struct pricing *p, const struct osvec *lender, const char *name)
{
	const struct osvec_entry *here = osvec_find_whole(p->machine, name);
	const struct osvec_entry *there = osvec_find_whole(lender, name);

	if (here && there)
		return here->seconds / there->seconds;
	if (p->lender != lender)
		find_ratios(p, lender);
	return p->ratios[group_of(name)];
}

/* The curve of the first lender that has it, if it goes further than that of x. */
static struct osvec_curve find_longer(const struct pricing *p, const char *name,
				      const struct price *x)
{
	struct osvec_curve c = { 0 };

	for (size_t i = 0; x->curve.n && !c.n && i < p->lenders.n; i++)
		if (p->lenders.v[i] != p->machine)
			c = price_measured(p->lenders.v[i], name).curve;
	return last_size(&c) > last_size(&x->curve) ? c : (struct osvec_curve){ 0 };
}

struct price price_find(struct pricing *p, const char *name)
{
	struct price x = price_measured(p->machine, name);

	x.longer = find_longer(p, name, &x);
	for (size_t i = 0; !price_is_known(&x) && i < p->lenders.n; i++) {
		const struct osvec *lender = p->lenders.v[i];

		if (lender == p->machine)
			continue;
		x = price_measured(lender, name);
		x.borrowed = price_is_known(&x);
		if (x.borrowed)
			x.scale *= lent_scale(p, lender, name);
	}
	if (!price_is_known(&x) && p->null_entry) {
		x.lower_bound = true;
		x.entry = osvec_find(p->machine, p->null_entry);
	}
	return x;
}

void pricing_free(struct pricing *p)
{
	free(p->ratios);
	p->ratios = NULL;
	p->lender = NULL;
}
