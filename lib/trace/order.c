/* SPDX-License-Identifier: MIT */
#include "trace/order.h"

#include <stdlib.h>

#include "util/vec.h"

static bool before(const struct callrow *a, const struct callrow *b)
{
	return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

static void swap(struct order *o, size_t a, size_t b)
{
	struct callrow *row = o->v[a];

	o->v[a] = o->v[b];
	o->v[b] = row;
}

void order_push(struct order *o, struct callrow *row)
{
	o->held += row->size;
	vec_push(o, row);
	for (size_t i = o->n - 1; i && before(o->v[i], o->v[(i - 1) / 2]); i = (i - 1) / 2)
		swap(o, i, (i - 1) / 2);
}

static void sift_down(struct order *o)
{
	for (size_t i = 0;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < o->n && before(o->v[child + 1], o->v[child]))
			child++;
		if (child >= o->n || !before(o->v[child], o->v[i]))
			return;
		swap(o, i, child);
		i = child;
	}
}

struct callrow *order_pop(struct order *o, bool all_in)
{
	if (!o->n || (!all_in && o->held <= o->window))
		return NULL;
	struct callrow *row = o->v[0];
	o->v[0] = o->v[--o->n];
	sift_down(o);
	o->held -= row->size;
	if (o->begun && row->time < o->last)
		o->late++;
	else
		o->last = row->time;
	o->begun = true;
	return row;
}

void order_free(struct order *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->v[i]);
	vec_free(o);
}
