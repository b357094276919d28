/* SPDX-License-Identifier: MIT */
#include "vector/sizes.h"

#include "util/vec.h"

/* The smallest size of the class of size: its three leading bits, the others cleared. */
static uint64_t class_of(uint64_t size)
{
	if (size < 8)
		return size;
	unsigned shift = 61 - (unsigned)__builtin_clzll(size);
	return size >> shift << shift;
}

/* The class that begins at first, which is made if there is none. */
static struct sizes_class *find_class(struct sizes *s, uint64_t first)
{
	size_t i;

	vec_search(i, s->n, s->v[i].first >= first);
	if (i == s->n || s->v[i].first != first)
		vec_insert(s, i, (struct sizes_class){ .first = first });
	return &s->v[i];
}

/* Turns single sizes into classes: v ascends, so that sizes of one class are neighbours. */
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
	struct sizes_class *c = find_class(s, s->merged ? class_of(size) : size);

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
