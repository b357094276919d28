/* SPDX-License-Identifier: MIT */
#include "vector/aggregate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

static double in_parallel(double a, double b)
{
	return 1 / (1 / a + 1 / b);
}

/* x at the cost of from, divided by n; strings are its own. */
static struct osvec_entry divide(const struct osvec_entry *x, const struct osvec_entry *from,
				 double n)
{
	struct osvec_entry y = *from;

	y.seconds /= n;
	y.low /= n;
	y.high /= n;
	y.mean /= n;
	y.name = xstrdup(x->name);
	y.size = x->size;
	y.curve = x->curve ? xstrdup(x->curve) : NULL;
	y.flags = xstrdup(from->flags);
	return y;
}

/* "lat_mmap_64kx2" is an entry of copies. */
static bool is_of_copies(const char *name)
{
	size_t n = strlen(name), digits = 0;

	while (digits < n && isdigit((unsigned char)name[n - 1 - digits]))
		digits++;
	return digits && digits < n && name[n - 1 - digits] == 'x';
}

/* The entry of n copies of x in v, or NULL. */
static const struct osvec_entry *copies_of(const struct osvec *v, const char *name, unsigned n)
{
	char *copies = xasprintf("%sx%u", name, n);
	const struct osvec_entry *found = osvec_find(v, copies);

	free(copies);
	return found;
}

/* How much dearer n copies make an entry that was measured alone: as much as its loop, where it is
 * one after other data and code, which copies do not measure. */
static double surcharge(const struct osvec *v, const char *name, unsigned n)
{
	const char *after = strstr(name, "@after=");
	char *loop = xasprintf("%.*s", after ? (int)(after - name) : 0, name);
	const struct osvec_entry *alone = osvec_find(v, loop), *copies = copies_of(v, loop, n);

	free(loop);
	return alone && copies ? copies->seconds / alone->seconds : 1;
}

bool osvec_has_copies(const struct osvec *v, unsigned n)
{
	size_t i = 0;

	while (i < v->n &&
	       (is_of_copies(v->entries[i].name) || !copies_of(v, v->entries[i].name, n)))
		i++;
	return i < v->n;
}

struct osvec *osvec_of_copies(const struct osvec *v, unsigned n, struct error *e)
{
	static const char *const of_the_host[] = { "canaries", "environment" };
	char *machine = xasprintf("%sx%u", v->machine, n);
	struct osvec *all = osvec_new(machine);

	free(machine);
	all->alone = v;
	all->correlation = v->correlation;
	json_object_set_new(all->meta, "aggregate",
			    json_pack("{s:s, s:i}", "machine", v->machine, "copies", (int)n));
	/* Its host is that of v. */
	for (size_t i = 0; i < sizeof(of_the_host) / sizeof(*of_the_host); i++)
		json_object_set(all->meta, of_the_host[i],
				json_object_get(v->meta, of_the_host[i]));
	for (size_t i = 0; i < v->n; i++) {
		const struct osvec_entry *x = &v->entries[i];
		const struct osvec_entry *copies = copies_of(v, x->name, n);

		if (is_of_copies(x->name))
			continue;
		struct osvec_entry y =
		    copies ? divide(x, copies, n) : divide(x, x, n / surcharge(v, x->name, n));
		if (!copies)
			y.flags = xappend(y.flags, "%sUNSHARED", *y.flags ? "," : "");
		osvec_add(all, y);
	}
	if (!osvec_has_copies(v, n))
		error_set(e,
			  "%s has no entry of %u copies; measure some, such as "
			  "'hbench run --copies %u'",
			  v->machine, n, n);
	else if (!osvec_finish(all, e))
		return all;
	osvec_free(all);
	return NULL;
}

struct osvec *osvec_half_harmonic(const struct osvec *a, const struct osvec *b, struct error *e)
{
	char *machine = xasprintf("half-harmonic(%s,%s)", a->machine, b->machine);
	struct osvec *v = osvec_new(machine);

	free(machine);
	v->correlation = fmax(a->correlation, b->correlation);
	json_object_set_new(v->meta, "half_harmonic",
			    json_pack("[s?, s?]", a->machine, b->machine));
	for (size_t i = 0; i < a->n; i++) {
		const struct osvec_entry *x = &a->entries[i], *y = osvec_find(b, x->name);
		struct osvec_entry sum = *x;

		if (!y)
			continue;
		sum.name = xstrdup(x->name);
		sum.curve = x->curve ? xstrdup(x->curve) : NULL;
		sum.flags = xstrdup(x->flags);
		sum.seconds = in_parallel(x->seconds, y->seconds);
		sum.error =
		    hypot(x->error * sum.seconds / x->seconds, y->error * sum.seconds / y->seconds);
		sum.n = x->n < y->n ? x->n : y->n;
		/* An interval that reaches down to zero has no reciprocal. */
		sum.low = x->low > 0 && y->low > 0 ? in_parallel(x->low, y->low) : 0;
		sum.high = in_parallel(x->high, y->high);
		sum.mean = in_parallel(x->mean, y->mean);
		sum.mean_error =
		    hypot(x->mean_error * sum.mean / x->mean, y->mean_error * sum.mean / y->mean);
		sum.waiting = (x->waiting + y->waiting) / 2;
		/* Each CPU does operations at its own rate. */
		sum.cpu = sum.seconds * (x->cpu / x->seconds + y->cpu / y->seconds);
		osvec_add(v, sum);
	}
	if (v->n && !osvec_finish(v, e))
		return v;
	if (!v->n)
		error_set(e, "%s and %s have no entry in common", a->machine, b->machine);
	osvec_free(v);
	return NULL;
}
