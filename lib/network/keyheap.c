/* SPDX-License-Identifier: MIT */
#include "network/keyheap.h"

#include <string.h>

#include "util/vec.h"

enum { ARITY = 4 }; /* half the depth of a binary heap, and siblings share a cache line */

static void put(struct keyheap *h, size_t at, struct keyheap_entry e)
{
	h->v[at] = e;
	h->at[e.id] = (uint32_t)at + 1;
}

static void rise(struct keyheap *h, size_t at, struct keyheap_entry e)
{
	for (; at && h->v[(at - 1) / ARITY].key > e.key; at = (at - 1) / ARITY)
		put(h, at, h->v[(at - 1) / ARITY]);
	put(h, at, e);
}

/* Returns the smallest of the siblings from `child` on.  A full set is compared without branches,
 * which the processor could not predict. */
static size_t least_child(const struct keyheap *h, size_t child)
{
	const struct keyheap_entry *v = h->v;

	if (child + ARITY <= h->n) {
		size_t a = child + (v[child + 1].key < v[child].key);
		size_t b = child + 2 + (v[child + 3].key < v[child + 2].key);

		return v[b].key < v[a].key ? b : a;
	}
	size_t least = child;
	for (size_t i = child + 1; i < h->n; i++)
		if (v[i].key < v[least].key)
			least = i;
	return least;
}

static void sink(struct keyheap *h, size_t at, struct keyheap_entry e)
{
	for (size_t child; (child = ARITY * at + 1) < h->n;) {
		size_t least = least_child(h, child);

		if (h->v[least].key >= e.key)
			break;
		put(h, at, h->v[least]);
		at = least;
	}
	put(h, at, e);
}

void keyheap_push(struct keyheap *h, double key, uint32_t id)
{
	if (id >= h->ids) {
		size_t more = 2 * (size_t)id + 64;

		h->at = xreallocarray(h->at, more, sizeof(*h->at));
		memset(h->at + h->ids, 0, (more - h->ids) * sizeof(*h->at));
		h->ids = more;
	}
	vec_reserve(h, 1);
	h->n++;
	rise(h, h->n - 1, (struct keyheap_entry){ key, id });
}

void keyheap_set(struct keyheap *h, double key, uint32_t id)
{
	if (!keyheap_has(h, id)) {
		keyheap_push(h, key, id);
		return;
	}
	size_t at = h->at[id] - 1;
	struct keyheap_entry e = { key, id };
	if (key < h->v[at].key)
		rise(h, at, e);
	else
		sink(h, at, e);
}

uint32_t keyheap_pop(struct keyheap *h)
{
	uint32_t id = h->v[0].id;
	struct keyheap_entry last = h->v[--h->n];

	h->at[id] = 0;
	if (h->n)
		sink(h, 0, last);
	return id;
}

void keyheap_free(struct keyheap *h)
{
	free(h->v);
	free(h->at);
	*h = (struct keyheap){ 0 };
}
