/* SPDX-License-Identifier: MIT */
/* keyheap.h - a priority queue of numbered elements, the smallest key first, in which keys can be
 * changed.  Elements with equal keys come in no particular order. */
#ifndef NETWORK_KEYHEAP_H
#define NETWORK_KEYHEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct is valid and empty. */
struct keyheap {
	struct keyheap_entry {
		double key;
		uint32_t id;
	} * v;
	size_t n, cap;
	uint32_t *at; /* by id: index in v plus 1; 0: not in the heap */
	size_t ids;
};

/* Returns whether an element is in the heap. */
static inline bool keyheap_has(const struct keyheap *h, uint32_t id)
{
	return id < h->ids && h->at[id];
}
/* Inserts an element that is not in the heap. */
void keyheap_push(struct keyheap *h, double key, uint32_t id);
/* Inserts an element or changes its key. */
void keyheap_set(struct keyheap *h, double key, uint32_t id);
/* Returns the smallest key; n must be > 0. */
static inline double keyheap_key(const struct keyheap *h)
{
	return h->v[0].key;
}
/* Removes the element with the smallest key and returns its id; n must be > 0. */
uint32_t keyheap_pop(struct keyheap *h);
/* Frees the memory. */
void keyheap_free(struct keyheap *h);

#endif
