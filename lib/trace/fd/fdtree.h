/* SPDX-License-Identifier: MIT */
/*
 * fdtree.h - the open descriptors of a process: which object stands behind each.
 *
 * A tree of small nodes, which several sets share until one of them changes: a fork costs nothing, and the
 * first change after it a copy of the few nodes on the way to the descriptor, however many are open.
 */
#ifndef FDTREE_H
#define FDTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/fd/objects.h"

/* What a descriptor refers to: an object, and whether exec closes it. */
#define FDTREE_CLOEXEC ((uint64_t)1 << 32)

static inline uint32_t fdtree_object(uint64_t value)
{
	return (uint32_t)value;
}

/* Zeroed is valid and empty. */
struct fdtree {
	struct fdtree_node *root;
	unsigned height; /* levels of nodes */
};

/* What fd refers to; 0 when it is not open. */
uint64_t fdtree_get(const struct fdtree *t, uint32_t fd);
/* Lets fd refer to that, and holds the object, in place of what it referred to before; 0 closes it. */
void fdtree_set(struct fdtree *t, struct objects *o, uint32_t fd, uint64_t value);
/* The first open descriptor that is not below *fd, and its value; false when there is none. */
bool fdtree_next(const struct fdtree *t, uint64_t *fd, uint64_t *value);
/* Another set of the same descriptors; what is done to one does not show in the other. */
struct fdtree fdtree_share(const struct fdtree *t);
/* Closes all. */
void fdtree_free(struct fdtree *t, struct objects *o);

#endif
