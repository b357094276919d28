/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include "util/xalloc.h"

void pairs_find(struct trial *t, const struct samples *d, double level)
{
	const struct machine *machines = t->q.machines.v;

	if (t->kind == MEASURED_RATE)
		return;
	t->pairs = xcalloc(t->n * t->n, sizeof(*t->pairs));
	for (const struct cell *a = t->cells; a < t->cells + t->n; a++)
		for (const struct cell *b = t->cells; b < a; b++)
			t->pairs[t->npairs++] = (struct pair){
				.a = a,
				.b = b,
				.measured = a->measured->median / b->measured->median,
				.predicted = samples_ratio(d, (size_t)(a->machine - machines),
							   (size_t)(b->machine - machines), level),
			};
}

enum kind pair_kind(const struct pair *p)
{
	const enum kind a = p->a->prediction->kind, b = p->b->prediction->kind;

	return a > b ? a : b;
}
