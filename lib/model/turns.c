/* SPDX-License-Identifier: MIT */
#include "model/turns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/vec.h"

enum { FEWEST = 3 }; /* slices */
static const double alternating = 0.8;
static const double resolution = 1; /* seconds of a time in the meta data */

/* One slice of one vector; the times are seconds. */
struct slice {
	double from, to;
	int whose;
};

struct slices {
	struct slice *v;
	size_t n, cap;
};

static double seconds(const json_t *text)
{
	struct tm utc = { 0 };
	const char *s = json_string_value(text);
	const char *end = s ? strptime(s, "%Y-%m-%dT%H:%M:%SZ", &utc) : NULL;

	return end && !*end ? (double)timegm(&utc) : NAN;
}

/* Adds those of v; false when they are too few, or one is not known from its start to its end. */
static bool add_slices(struct slices *all, const struct osvec *v, int whose)
{
	const json_t *slices = json_object_get(v->meta, "slices");
	const size_t n = json_array_size(slices);

	for (size_t i = 0; i < n; i++) {
		const json_t *pair = json_array_get(slices, i);
		const struct slice s = { seconds(json_array_get(pair, 0)),
					 seconds(json_array_get(pair, 1)), whose };

		if (!(s.from <= s.to))
			return false;
		vec_push(all, s);
	}
	return n >= FEWEST;
}

static int by_start(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static bool take_turns(const struct slices *all)
{
	size_t changes = 0;

	for (size_t i = 1; i < all->n; i++) {
		if (all->v[i].from + resolution < all->v[i - 1].to)
			return false;
		changes += all->v[i].whose != all->v[i - 1].whose;
	}
	return (double)changes >= alternating * (double)(all->n - 1);
}

bool turns_taken(const struct osvec *a, const struct osvec *b)
{
	struct slices all = { 0 };
	bool taken = false;

	if (!osvec_is_other(a, b, "cpu.model") && add_slices(&all, a, 0) &&
	    add_slices(&all, b, 1)) {
		qsort(all.v, all.n, sizeof(*all.v), by_start);
		taken = take_turns(&all);
	}
	vec_free(&all);
	return taken;
}
