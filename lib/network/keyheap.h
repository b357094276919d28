/* SPDX-License-Identifier: MIT */
/*
 * keyheap.h - a heap of numbered things, the one with the least key first; keys can be changed.
 * Things of equal keys come in no particular order.
 */
#ifndef KEYHEAP_H
#define KEYHEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed is valid and empty. */
struct keyheap {
	struct keyheap_entry {
		double key;
		uint32_t id;
	} * v;
	size_t n, cap;
	uint32_t *at; /* [id]: its place in v, plus 1; 0: not in the heap */
	size_t ids;
};

/* Whether a thing is there. */
static inline bool keyheap_has(const struct keyheap *h, uint32_t id)
{
	return id < h->ids && h->at[id];
}
/* Puts in a thing that is not there. */
void keyheap_push(struct keyheap *h, double key, uint32_t id);
/* Puts it in, or changes its key. */
void keyheap_set(struct keyheap *h, double key, uint32_t id);
/* The least key; n > 0. */
static inline double keyheap_key(const struct keyheap *h)
{
	return h->v[0].key;
}
/* Takes out the thing that has it. */
uint32_t keyheap_pop(struct keyheap *h);
/* Returns the memory. */
void keyheap_free(struct keyheap *h);

#endif
