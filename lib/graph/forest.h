/* SPDX-License-Identifier: MIT */
/*
 * forest.h - records how the time of many chains of events was spent, so that two chains can be
 * compared from their last common event on.
 *
 * A chain is named by a number.  It grows with what its thread does, and a thread that waited for
 * another one continues with a copy of the other's chain.  So the chains are the branches of trees,
 * and two of them differ in what each has since they parted.  Time with the same key is summed up
 * as soon as no chain can part in between: memory depends on how many chains are held, not on how
 * long they are.
 *
 * W. Meira, T. LeBlanc, V. Almeida: Using Cause-Effect Analysis to Understand the Performance of
 * Distributed Programs, SPDT 1998, section 3.2.
 */
#ifndef GRAPH_FOREST_H
#define GRAPH_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

enum { FOREST_NONE = 0 };

struct forest_item {
	uint64_t key;
	int64_t ns;
};

/* Sorted by key; each key occurs once. */
struct forest_items {
	struct forest_item *v;
	size_t n, cap;
};

/* A zeroed struct is valid and empty. */
struct forest {
	VEC(struct forest_node) nodes; /* index: number less 1 */
	VEC(uint32_t) unused;
	uint64_t made;	 /* nodes made so far */
	size_t sweep_at; /* number of nodes in use that starts the next sweep */
};

/* Returns a new chain that begins at `time` (ns).  The caller holds it.  Each chain that is held
 * must be passed to forest_add, which replaces it, or to forest_drop. */
uint32_t forest_begin(struct forest *f, int64_t time);
/* Adds a hold to the chain and returns it. */
uint32_t forest_hold(struct forest *f, uint32_t chain);
/* Returns the chain extended by ns of `key`, held by the caller; the caller's hold of the old one
 * ends. */
uint32_t forest_add(struct forest *f, uint32_t chain, uint64_t key, int64_t ns);
/* Ends a hold; FOREST_NONE is allowed. */
void forest_drop(struct forest *f, uint32_t chain);
/*
 * Fills *out with what chain a has more than b since they parted (> 0) and b more than a (< 0), by
 * key; keys without a difference are left out.  Chains that have no common event differ also in
 * their beginning: *begun gets by how many ns a began later than b, otherwise 0.
 */
void forest_difference(struct forest *f, uint32_t a, uint32_t b, struct forest_items *out,
		       int64_t *begun);
/* Returns the number of nodes in use; for tests. */
size_t forest_size(const struct forest *f);
/* Adds ns to the item with that key, which is inserted if it is new. */
void forest_items_add(struct forest_items *items, uint64_t key, int64_t ns);
/* Frees everything; the forest is empty then. */
void forest_free(struct forest *f);

#endif
