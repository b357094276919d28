/* SPDX-License-Identifier: MIT */
#include "change.h"

#include <err.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/price.h"
#include "util/vec.h"
#include "vector/group.h"

bool change_is_user(const struct change *c)
{
	return !c->from && !strcmp(c->pattern, "user");
}

bool change_is_of(const struct change *c, const char *entry)
{
	const char *group = group_name(group_of(entry));
	size_t n = strlen(c->pattern);

	if (!fnmatch(c->pattern, entry, 0))
		return true;
	for (const char *w = group; n && *w; w += strspn(w, ", ")) {
		size_t length = strcspn(w, ", ");

		if (length == n && !strncmp(w, c->pattern, n) && strcmp(c->pattern, "and") != 0)
			return true;
		w += length;
	}
	return false;
}

/* The seconds that entry x costs on the machine v, as rank prices it: also on one CPU or on two,
 * where it was measured there on the other, and at a size that was not measured there; NaN:
 * unknown.  *waiting, unless NULL: the share of them without the CPU.
 */
static double find_other(const struct query *q, const struct osvec *v, const struct osvec_entry *x,
			 double *waiting)
{
	const bool there = osvec_find(v, x->name) || !x->curve; /* by its mean, if it waits */
	const char *name = there ? x->name : x->curve, *same = strstr(name, "@same");
	struct price price = price_measured(v, name);

	if (!price_is_known(&price) && same) {
		char *apart = xasprintf("%.*s%s", (int)(same - name), name, same + 5);
		const struct osvec *lender = q->machines.v[0].vector; /* as it is */
		struct pricing lent = { .machine = v, .lenders = { &lender, 1 } };

		/* On a machine with one CPU it stands for the one on two. */
		if (osvec_find(lender, apart) || osvec_curve(lender, apart).n)
			price = price_find(&lent, name);
		else
			price = price_measured(v, apart);
		pricing_free(&lent);
		free(apart);
	}
	if (!price_is_known(&price))
		return NAN;
	const struct osvec_mix m = price_at(&price, x->size);
	if (waiting) /* the price of user time has none */
		*waiting = group_of(name) == GROUP_USER ? 0 : osvec_mix_waiting(&m);
	return price_seconds(&price, &m);
}

static bool has_beginning(const struct osvec *v, const char *beginning)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strncmp(v->entries[i].name, beginning, strlen(beginning)))
			return true;
	return false;
}

static bool is_user_entry(const struct query *q, const char *name)
{
	for (size_t i = 0; i < q->application->nuser_entries; i++)
		if (!strcmp(q->application->user_entries[i], name))
			return true;
	return false;
}

/* Changes v, but what a factor changes of the kernel's part: that is of the charges.  The switches
 * and faults in an operation stay, as those beside it are counted from them.  Returns how many
 * entries c is about, and how many of those the other machine has. */
static size_t change_costs(const struct query *q, struct osvec *v, const struct change *c,
			   size_t *there)
{
	size_t matched = 0;

	*there = 0;
	for (size_t i = 0; i < v->n; i++) {
		struct osvec_entry *x = &v->entries[i];

		if (!change_is_of(c, x->name))
			continue;
		double waiting = 0;
		const double other = c->from ? find_other(q, c->from, x, &waiting) : NAN;
		matched++;
		*there += !isnan(other);
		if (!c->from && is_user_entry(q, x->name)) {
			x->seconds *= c->factor;
		} else if (!isnan(other) &&
			   !(c->only_if_cheaper && other >= find_other(q, v, x, NULL))) {
			x->seconds = x->mean = other;
			x->waiting = waiting;
		}
	}
	return matched;
}

/* What calls cost more inside a program is the lesser of both, too: each entry of v that is one
 * after other data and code costs at most so much more than the loop as it does on the other
 * machine. */
static void take_less_extra(struct osvec *v, const struct osvec *from)
{
	for (size_t i = 0; i < v->n; i++) {
		struct osvec_entry *x = &v->entries[i];
		const char *after = strstr(x->name, "@after=");
		const struct osvec_entry *other = after ? osvec_find(from, x->name) : NULL;

		if (!other)
			continue;
		char *loop = xstrndup(x->name, (size_t)(after - x->name));
		const struct osvec_entry *here = osvec_find(v, loop),
					 *there = osvec_find(from, loop);
		free(loop);
		if (here && there)
			x->seconds = fmin(x->seconds,
					  here->seconds + fmax(other->seconds - there->seconds, 0));
	}
}

void change_add_missing(const struct change *c, struct osvec *v)
{
	VEC(const struct osvec_entry *) missing = { 0 };
	struct error e;

	for (size_t i = 0; c->from && i < c->from->n; i++) {
		const struct osvec_entry *x = &c->from->entries[i];
		const struct price own = price_measured(v, x->curve ? x->curve : x->name);

		if (change_is_of(c, x->name) && !price_is_known(&own))
			vec_push(&missing, x);
	}
	for (size_t i = 0; i < missing.n; i++) {
		struct osvec_entry copy = *missing.v[i];

		copy.name = xstrdup(copy.name);
		copy.curve = copy.curve ? xstrdup(copy.curve) : NULL;
		copy.flags = xstrdup(copy.flags);
		osvec_add(v, copy);
	}
	if (missing.n && osvec_finish(v, &e))
		errx(1, "%s %s: %s", c->option, c->value, e.text);
	vec_free(&missing);
}

void change_make(const struct change *c, struct query *q, struct osvec *v, struct osvec *unscaled)
{
	size_t there, matched = change_costs(q, v, c, &there);

	if (!matched && has_beginning(v, c->pattern))
		errx(1, "%s %s: %s has no such entry; did you mean '%s*'?", c->option, c->value,
		     v->machine, c->pattern);
	if (!matched)
		errx(1,
		     "%s %s: %s has no such entry, nor does 'hbench summary' know such a group "
		     "(its entries are in %s)",
		     c->option, c->value, v->machine, v->path);
	if (c->from && !there)
		errx(1, "%s %s: %s has none of these entries", c->option, c->value,
		     c->from->machine);
	if (c->from && there < matched)
		query_note(q, "%s has %zu of the %zu entries; the others stay as they are",
			   c->from->machine, there, matched);
	if (c->only_if_cheaper)
		take_less_extra(unscaled, c->from);
	else if (c->from)
		change_costs(q, unscaled, c, &there);
}
