/* SPDX-License-Identifier: MIT */
#include "vector/sizes.h"

#include <string.h>

#include "util/vec.h"

/* The smallest size of the class: the two bits behind the leading one are kept. */
static uint64_t class_of(uint64_t size)
{
	if (size < 8)
		return size;
	unsigned shift = 61 - (unsigned)__builtin_clzll(size);
	return size >> shift << shift;
}

/* The class that begins at first, made when it is new. */
static struct sizes_class *find(struct sizes *s, uint64_t first)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->v[middle].first < first)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == s->n || s->v[low].first != first) {
		vec_reserve(s, 1);
		memmove(s->v + low + 1, s->v + low, (s->n - low) * sizeof(*s->v));
		s->v[low] = (struct sizes_class){ .first = first };
		s->n++;
	}
	return &s->v[low];
}

/* Single sizes become classes; v is ascending, so equal classes are neighbours. */
static void merge(struct sizes *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct sizes_class c = s->v[i];

		c.first = class_of(c.first);
		if (n && s->v[n - 1].first == c.first) {
			s->v[n - 1].calls += c.calls;
			s->v[n - 1].sum += c.sum;
		} else {
			s->v[n++] = c;
		}
	}
	s->n = n;
	s->merged = true;
}

void sizes_add(struct sizes *s, uint64_t size, double calls)
{
	struct sizes_class *c = find(s, s->merged ? class_of(size) : size);

	c->calls += calls;
	c->sum += calls * (double)size;
	if (!s->merged && s->n > SIZES_EXACT)
		merge(s);
}

struct appvec_size *sizes_rows(const struct sizes *s, size_t *n)
{
	*n = s->n;
	if (!s->n)
		return NULL;
	struct appvec_size *rows = xcalloc(s->n, sizeof(*rows));
	for (size_t i = 0; i < s->n; i++)
		rows[i] = (struct appvec_size){ s->v[i].sum / s->v[i].calls, s->v[i].calls };
	return rows;
}

void sizes_free(struct sizes *s)
{
	vec_free(s);
	s->merged = false;
}
