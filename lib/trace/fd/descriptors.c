/* SPDX-License-Identifier: MIT */
#include "trace/fd/descriptors.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

static void mark_changed(struct objects *o, uint32_t id)
{
	if (!o->v[id].changed)
		vec_push(&o->changed, id);
	o->v[id].changed = true;
}

uint32_t objects_add(struct objects *o, enum fd_kind kind, const char *name, bool named)
{
	uint32_t id = o->free;
	bool changed = false;

	if (id) {
		o->free = o->v[id].next;
		changed = o->v[id].changed;
	} else {
		if (!o->n)
			vec_push(o, (struct object){ 0 }); /* 0 is no object */
		id = (uint32_t)o->n;
		vec_push(o, (struct object){ 0 });
	}
	o->v[id] = (struct object){
		.kind = kind,
		.name = name ? xstrdup(name) : NULL,
		.named = named,
		.changed = changed,
	};
	mark_changed(o, id);
	return id;
}

static bool same_name(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

void objects_change(struct objects *o, uint32_t id, enum fd_kind kind, const char *name, bool named)
{
	struct object *object = &o->v[id];

	object->named = named;
	if (object->kind == kind && same_name(object->name, name))
		return;
	char *copy = name ? xstrdup(name) : NULL;
	free(object->name);
	object->kind = kind;
	object->name = copy;
	mark_changed(o, id);
}

struct object *objects_get(const struct objects *o, uint32_t id)
{
	return &o->v[id];
}

static void hold(struct objects *o, uint32_t id)
{
	o->v[id].references++;
}

/* Frees an object that nothing refers to any more. */
static void drop(struct objects *o, uint32_t id)
{
	struct object *object = &o->v[id];

	if (--object->references)
		return;
	free(object->name);
	object->name = NULL;
	object->next = o->free;
	o->free = id;
}

uint32_t objects_next_changed(struct objects *o)
{
	while (o->returned < o->changed.n) {
		uint32_t id = o->changed.v[o->returned++];

		o->v[id].changed = false;
		if (o->v[id].references)
			return id;
	}
	o->returned = o->changed.n = 0;
	return 0;
}

void objects_free(struct objects *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->v[i].name);
	vec_free(o);
	vec_free(&o->changed);
	*o = (struct objects){ 0 };
}

/* Enough levels for every 32-bit number; most nodes exist only on the way to low descriptors. */
enum { BITS = 5, SLOTS = 1 << BITS, LEVELS = 7 };

/* A node of level 0 holds values, and with each a reference to its object; one above holds nodes.
 */
struct fdtree_node {
	uint32_t references; /* from nodes above and from sets */
	union slot {
		uint64_t value;
		struct fdtree_node *node;
	} slots[SLOTS];
};

static unsigned place(uint64_t fd, unsigned level)
{
	return fd >> level * BITS & (SLOTS - 1);
}

static void node_drop(struct objects *o, struct fdtree_node *n, unsigned level)
{
	if (!n || --n->references)
		return;
	for (unsigned i = 0; i < SLOTS; i++)
		if (level)
			node_drop(o, n->slots[i].node, level - 1);
		else if (n->slots[i].value)
			drop(o, fdtree_object(n->slots[i].value));
	free(n);
}

/* Takes the caller's reference to n (NULL: an empty node), returns one to a node that nobody
 * shares. */
static struct fdtree_node *node_own(struct objects *o, struct fdtree_node *n, unsigned level)
{
	if (n && n->references == 1)
		return n;
	struct fdtree_node *copy = xcalloc(1, sizeof(*copy));
	if (n) {
		n->references--;
		*copy = *n;
	}
	copy->references = 1;
	for (unsigned i = 0; i < SLOTS; i++)
		if (level && copy->slots[i].node)
			copy->slots[i].node->references++;
		else if (!level && copy->slots[i].value)
			hold(o, fdtree_object(copy->slots[i].value));
	return copy;
}

uint64_t fdtree_get(const struct fdtree *t, uint32_t fd)
{
	const struct fdtree_node *n = t->root;

	for (unsigned level = LEVELS - 1; n && level; level--)
		n = n->slots[place(fd, level)].node;
	return n ? n->slots[place(fd, 0)].value : 0;
}

void fdtree_set(struct fdtree *t, struct objects *o, uint32_t fd, uint64_t value)
{
	struct fdtree_node **n = &t->root;

	if (fdtree_get(t, fd) == value)
		return;
	for (unsigned level = LEVELS - 1; level; level--) {
		*n = node_own(o, *n, level);
		n = &(*n)->slots[place(fd, level)].node;
	}
	*n = node_own(o, *n, 0);
	uint64_t *slot = &(*n)->slots[place(fd, 0)].value, old = *slot;
	*slot = value;
	if (value)
		hold(o, fdtree_object(value));
	if (old)
		drop(o, fdtree_object(old));
}

bool fdtree_next(const struct fdtree *t, uint64_t *fd, uint64_t *value)
{
	while (!(*fd >> LEVELS * BITS)) {
		const struct fdtree_node *n = t->root;
		unsigned level = LEVELS;

		while (n && --level)
			n = n->slots[place(*fd, level)].node;
		if (n && (*value = n->slots[place(*fd, 0)].value))
			return true;
		/* Past the descriptors of the missing node. */
		*fd = ((*fd >> level * BITS) + 1) << level * BITS;
	}
	return false;
}

struct fdtree fdtree_share(const struct fdtree *t)
{
	if (t->root)
		t->root->references++;
	return *t;
}

void fdtree_free(struct fdtree *t, struct objects *o)
{
	node_drop(o, t->root, LEVELS - 1);
	*t = (struct fdtree){ 0 };
}
