/* SPDX-License-Identifier: MIT */
/*
 * descriptors.h - keeps, for fdtable.c, open file descriptions ("objects") and the sets of
 * descriptors that refer to them.
 *
 * Objects are numbered from 1 and count the descriptors that refer to them; the number of an unused
 * object is used again.  A set is a tree of small nodes that several sets share until one of them
 * changes, since copied arrays would let a short log with many forks of a process with many
 * descriptors fill the memory.
 */
#ifndef FD_DESCRIPTORS_H
#define FD_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/fd/kind.h"

struct object {
	enum fd_kind kind;
	bool named;   /* the name comes from the source and is no guess */
	bool changed; /* objects_next_changed() has not returned it yet */
	uint32_t references;
	uint32_t next; /* of the list of free objects */
	char *name;    /* or NULL */
};

/* A zeroed struct is valid and empty. */
struct objects {
	struct object *v;
	size_t n, cap;
	uint32_t free; /* 0: none */
	struct {
		uint32_t *v;
		size_t n, cap;
	} changed;
	size_t returned; /* of changed */
};

/* Adds an object without references and returns its number.  The name is copied and may be NULL. */
uint32_t objects_add(struct objects *o, enum fd_kind kind, const char *name, bool named);
/* Sets the kind and the name of an object, which counts as changed only if they differ. */
void objects_change(struct objects *o, uint32_t id, enum fd_kind kind, const char *name,
		    bool named);
/* Returns the object with a number that is in use, valid until the next objects_add(). */
struct object *objects_get(const struct objects *o, uint32_t id);
/* Returns the number of the next object that is new or changed, or 0 if there is none. */
uint32_t objects_next_changed(struct objects *o);
/* Frees all objects; *o can be used again. */
void objects_free(struct objects *o);

/* What a descriptor refers to: an object, and whether exec closes it. */
#define FDTREE_CLOEXEC ((uint64_t)1 << 32)

static inline uint32_t fdtree_object(uint64_t value)
{
	return (uint32_t)value;
}

/* A zeroed struct is valid and empty. */
struct fdtree {
	struct fdtree_node *root;
};

/* Returns what fd refers to, or 0 if it is not open. */
uint64_t fdtree_get(const struct fdtree *t, uint32_t fd);
/* Lets fd refer to `value` instead, 0: to nothing, and updates the references of both objects. */
void fdtree_set(struct fdtree *t, struct objects *o, uint32_t fd, uint64_t value);
/* Stores the first open descriptor that is not below *fd, and its value.  Returns false if there is
 * none. */
bool fdtree_next(const struct fdtree *t, uint64_t *fd, uint64_t *value);
/* Returns a copy of the set, which shares its nodes; changes to one do not show in the other. */
struct fdtree fdtree_share(const struct fdtree *t);
/* Closes all descriptors and frees the set. */
void fdtree_free(struct fdtree *t, struct objects *o);

#endif
