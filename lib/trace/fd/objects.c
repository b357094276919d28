/* SPDX-License-Identifier: MIT */
#include "trace/fd/objects.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

static void tell(struct objects *o, uint32_t id)
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
	tell(o, id);
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
	tell(o, id);
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
	while (o->told < o->changed.n) {
		uint32_t id = o->changed.v[o->told++];

		o->v[id].changed = false;
		if (o->v[id].references)
			return id;
	}
	o->told = o->changed.n = 0;
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
