/* SPDX-License-Identifier: MIT */
#include "filed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/xalloc.h"

/* "a/b" */
static char *name_ratio(const struct cell *a, const struct cell *b)
{
	return xasprintf("%s/%s", a->machine->label, b->machine->label);
}

static void print_row(const struct trial *t, const char *machine, double value, double low,
		      double high)
{
	printf("%s\t%s\t%s\t%.6g\t%.6g\t%.6g\n", t->q.application->name, machine,
	       measured_kind_names[t->kind], fmin(low, value), value, fmax(high, value));
}

void filed_print(const struct trial *t)
{
	for (const struct cell *c = t->cells; c < t->cells + t->n; c++)
		print_row(t, c->machine->label, c->predicted, c->interval.low, c->interval.high);
	/* A pair's b stands before its a. */
	for (size_t i = 0; i < t->npairs; i++) {
		const struct pair *p = &t->pairs[i];
		char *name = name_ratio(p->b, p->a);

		print_row(t, name, p->b->predicted / p->a->predicted, 1 / p->predicted.high,
			  1 / p->predicted.low);
		free(name);
	}
}

int filed_read(struct measured *t, const char *path, struct error *e)
{
	if (measured_read(t, path, e))
		return -1;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].repetitions != 3 || !t->v[i].ascending)
			return error_set(e,
					 "%s:%zu: %s on %s: not a lower bound, a prediction and an "
					 "upper bound, in this order",
					 path, t->v[i].line, t->v[i].application, t->v[i].machine);
	return 0;
}

static const struct measured_row *find(const struct trial *t, const struct measured *filed,
				       const struct cell *a, const struct cell *b)
{
	char *name = name_ratio(a, b);
	const struct measured_row *row =
	    measured_find(filed, t->q.application->name, name, t->kind);

	free(name);
	return row;
}

void filed_take_pairs(struct trial *t, const struct measured *filed)
{
	size_t pairs = 0;

	for (size_t i = 0; i < t->npairs; i++) {
		struct pair p = t->pairs[i];
		const struct measured_row *row = find(t, filed, p.a, p.b);
		const struct measured_row *inverse = row ? NULL : find(t, filed, p.b, p.a);

		if (row)
			p.predicted = (struct samples_interval){ row->median, row->low, row->high };
		else if (inverse)
			p.predicted =
			    (struct samples_interval){ 1 / inverse->median, 1 / inverse->high,
						       1 / inverse->low };
		else
			continue;
		p.doubt = (struct next_parts){ 0 }; /* that of another day is not known */
		t->pairs[pairs++] = p;
	}
	t->npairs = pairs;
}
