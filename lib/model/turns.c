/* SPDX-License-Identifier: MIT */
#include "model/turns.h"

#include <math.h>
#include <stdlib.h>

#include "util/timestamp.h"
#include "util/vec.h"

enum { FEWEST = 3 }; /* slices */
static const double alternating = 0.8;
static const double resolution = 1; /* seconds of a time in the meta data */

static double seconds(const json_t *text)
{
	return timestamp_seconds(json_string_value(text));
}

static int by_start(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

struct turns turns_read(const struct osvec *v)
{
	const json_t *slices = json_object_get(v->meta, "slices");
	const size_t n = json_array_size(slices);
	struct turns turns = { .vector = v };

	for (size_t i = 0; n >= FEWEST && i < n; i++) {
		const json_t *pair = json_array_get(slices, i);
		const struct slice s = { seconds(json_array_get(pair, 0)),
					 seconds(json_array_get(pair, 1)) };

		if (!(s.from <= s.to)) {
			vec_free(&turns);
			return turns;
		}
		vec_push(&turns, s);
	}
	vec_sort(&turns, by_start);
	return turns;
}

bool turns_taken(const struct turns *a, const struct turns *b)
{
	const struct turns *whose, *before = NULL;
	double end = -INFINITY;
	size_t i = 0, k = 0, changes = 0;

	for (; i < a->n || k < b->n; before = whose) {
		whose = k == b->n || (i < a->n && a->v[i].from < b->v[k].from) ? a : b;
		const struct slice *s = whose == a ? &a->v[i++] : &b->v[k++];

		if (s->from + resolution < end)
			return false;
		end = s->to;
		changes += before && whose != before;
	}
	return (double)changes >= alternating * (double)(i + k - 1) &&
	       !osvec_is_other(a->vector, b->vector, "cpu.model");
}
