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

void objects_hold(struct objects *o, uint32_t id)
{
	o->v[id].references++;
}

void objects_drop(struct objects *o, uint32_t id)
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

enum { BITS = 5, SLOTS = 1 << BITS };

/* A node at the bottom holds values, and with each a reference to its object; one above holds nodes. */
struct fdtree_node {
	uint32_t references; /* from nodes above and from sets */
	uint32_t used;	     /* slots; a node without any is freed */
	union slot {
		uint64_t value;
		struct fdtree_node *node;
	} slots[SLOTS];
};

static unsigned place(uint64_t fd, unsigned level)
{
	return fd >> level * BITS & (SLOTS - 1);
}

/* Are there descriptors of that number in a tree of that height? */
static bool reaches(unsigned height, uint64_t fd)
{
	return !(fd >> height * BITS);
}

static struct fdtree_node *node_new(void)
{
	struct fdtree_node *n = xcalloc(1, sizeof(*n));

	n->references = 1;
	return n;
}

static void node_drop(struct objects *o, struct fdtree_node *n, unsigned level)
{
	if (!n || --n->references)
		return;
	for (unsigned i = 0; i < SLOTS; i++)
		if (level)
			node_drop(o, n->slots[i].node, level - 1);
		else if (n->slots[i].value)
			objects_drop(o, fdtree_object(n->slots[i].value));
	free(n);
}

/* Takes the caller's reference to n and returns one to a node of the same content that nobody shares. */
static struct fdtree_node *node_own(struct objects *o, struct fdtree_node *n, unsigned level)
{
	if (n->references == 1)
		return n;
	n->references--;
	struct fdtree_node *copy = xmalloc(sizeof(*copy));
	*copy = *n;
	copy->references = 1;
	for (unsigned i = 0; i < SLOTS; i++)
		if (level && n->slots[i].node)
			n->slots[i].node->references++;
		else if (!level && n->slots[i].value)
			objects_hold(o, fdtree_object(n->slots[i].value));
	return copy;
}

/* The node that takes the place of n (NULL: of nothing) when fd gets that value; NULL when it is empty. */
static struct fdtree_node *node_set(struct objects *o, struct fdtree_node *n, unsigned level,
				    uint32_t fd, uint64_t value)
{
	n = n ? node_own(o, n, level) : node_new();
	union slot *s = &n->slots[place(fd, level)];

	if (level) {
		n->used -= s->node != NULL;
		s->node = node_set(o, s->node, level - 1, fd, value);
		n->used += s->node != NULL;
	} else {
		uint64_t old = s->value;

		n->used -= old != 0;
		n->used += value != 0;
		s->value = value;
		if (value)
			objects_hold(o, fdtree_object(value));
		if (old)
			objects_drop(o, fdtree_object(old));
	}
	if (n->used)
		return n;
	free(n);
	return NULL;
}

uint64_t fdtree_get(const struct fdtree *t, uint32_t fd)
{
	const struct fdtree_node *n = reaches(t->height, fd) ? t->root : NULL;

	for (unsigned level = t->height; n && --level;)
		n = n->slots[place(fd, level)].node;
	return n ? n->slots[place(fd, 0)].value : 0;
}

/* One more level, so that higher descriptors have a place. */
static void rise(struct fdtree *t)
{
	if (t->root) {
		struct fdtree_node *top = node_new();

		top->slots[0].node = t->root;
		top->used = 1;
		t->root = top;
	}
	t->height++;
}

void fdtree_set(struct fdtree *t, struct objects *o, uint32_t fd, uint64_t value)
{
	if (fdtree_get(t, fd) == value)
		return;
	while (!t->height || !reaches(t->height, fd))
		rise(t);
	t->root = node_set(o, t->root, t->height - 1, fd, value);
	if (!t->root)
		t->height = 0;
}

static bool node_next(const struct fdtree_node *n, unsigned level, uint64_t *fd, uint64_t *value)
{
	unsigned i = place(*fd, level);

	for (; n && i < SLOTS; i++) {
		uint64_t next_slot = ((*fd >> level * BITS) + 1) << level * BITS;

		if (level ? node_next(n->slots[i].node, level - 1, fd, value)
			  : (*value = n->slots[i].value) != 0)
			return true;
		*fd = next_slot;
	}
	return false;
}

bool fdtree_next(const struct fdtree *t, uint64_t *fd, uint64_t *value)
{
	return t->root && reaches(t->height, *fd) && node_next(t->root, t->height - 1, fd, value);
}

struct fdtree fdtree_share(const struct fdtree *t)
{
	if (t->root)
		t->root->references++;
	return *t;
}

void fdtree_free(struct fdtree *t, struct objects *o)
{
	node_drop(o, t->root, t->height - 1);
	*t = (struct fdtree){ 0 };
}
