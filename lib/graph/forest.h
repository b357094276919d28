/* SPDX-License-Identifier: MIT */
/*
 * forest.h - where the time of each chain of events went, back to what it has in common with
 * others.
 *
 * A chain is a number; it grows by what its thread does, and one thread that waits for another goes
 * on with a copy of the other's chain.  So chains are the branches of trees, and two of them differ
 * by what each has since they parted.  Items of the same key are summed up as soon as nobody can
 * part between them: memory depends on the chains that are held and not on how long they are.
 *
 * W. Meira, T. LeBlanc, V. Almeida: Using Cause-Effect Analysis to Understand the Performance of
 * Distributed Programs, SPDT 1998, section 3.2.
 */
#ifndef FOREST_H
#define FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

enum { FOREST_NONE = 0 };

struct forest_item {
	uint32_t key;
	int64_t ns;
};

/* Items in order of their keys, each key once. */
struct forest_items {
	struct forest_item *v;
	size_t n, cap;
};

/* Zeroed is valid and empty. */
struct forest {
	VEC(struct forest_node) nodes; /* number less 1 */
	VEC(uint32_t) unused;
	uint64_t made;	 /* nodes, ever */
	size_t sweep_at; /* nodes in use */
};

/* A chain that begins at that time.  Whoever holds a chain gives it back with one of the others. */
uint32_t forest_begin(struct forest *f, int64_t time);
/* Another hold of the chain. */
uint32_t forest_hold(struct forest *f, uint32_t chain);
/* The chain, given back, with ns more of that key; the new one is held. */
uint32_t forest_add(struct forest *f, uint32_t chain, uint32_t key, int64_t ns);
/* Gives a chain back; FOREST_NONE is fine. */
void forest_drop(struct forest *f, uint32_t chain);
/*
 * What a has more than b since they parted, and, below 0, what b has more; keys in which they are
 * alike are left out.  What they had in common when they parted is known to be the same; if they
 * never were one, *begun is by how much later a began than b, else 0.
 */
void forest_difference(struct forest *f, uint32_t a, uint32_t b, struct forest_items *out,
		       int64_t *begun);
/* Nodes in use, for tests. */
size_t forest_size(const struct forest *f);
/* Adds ns of a key to items. */
void forest_items_add(struct forest_items *items, uint32_t key, int64_t ns);
/* Returns the memory. */
void forest_free(struct forest *f);

#endif
