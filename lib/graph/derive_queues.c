/* SPDX-License-Identifier: MIT */
/* What goes through pipes and sockets, and which of them belong together. */
#include "graph/derive_parts.h"

#include <string.h>

#include "trace/syscalls.h"

enum { OBJECTS_MOST = 1 << 20 }; /* numbers of objects are used again: a sound trace has few */

static bool is_channel(enum fd_kind kind)
{
	return kind == FD_PIPE || fd_kind_is_socket(kind);
}

static enum direction direction_of(const struct syscall *call)
{
	if (call->returns != RETURNS_BYTES)
		return NO_DIRECTION;
	if (!strncmp(call->name, "read", 4) || !strncmp(call->name, "recv", 4))
		return DIRECTION_GET;
	if (!strncmp(call->name, "write", 5) || !strncmp(call->name, "send", 4))
		return DIRECTION_PUT;
	return NO_DIRECTION;
}

enum direction derived_direction(struct derive *d, const struct event *e)
{
	if (!is_channel(e->call.kind) || !e->call.object || e->call.result <= 0 ||
	    e->call.flags & CALL_UNFINISHED)
		return NO_DIRECTION;
	while (d->directions.n <= e->call.id)
		vec_push(&d->directions, 0);
	uint8_t *known = &d->directions.v[e->call.id];
	if (!*known)
		*known = direction_of(syscall_get(syscall_same(e->call.id))) + 1;
	return *known - 1;
}

/* ---- objects ---- */

static struct derived_object *object(struct derive *d, uint32_t number)
{
	if (number >= OBJECTS_MOST)
		return NULL;
	while (d->objects.n <= number)
		vec_push(&d->objects, (struct derived_object){ 0 });
	return &d->objects.v[number];
}

static uint64_t hash(const char *s, size_t n, uint64_t h)
{
	while (n--)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3; /* FNV-1a */
	return h;
}

/*
 * Of the name of an object: of this end, or of the other.  "tcp:[a->b]" and "tcp:[b->a]" are the
 * ends of a connection; both ends of a pipe have the same name.
 */
static uint64_t name_of(const struct event *e, bool other)
{
	const char *name = e->fd.name, *arrow = name ? strstr(name, "->") : NULL;
	uint64_t start = hash(fd_kind_name(e->fd.kind), 3, 0xcbf29ce484222325);

	if (!name || !*name || (!arrow && (e->fd.kind != FD_PIPE)))
		return 0;
	if (!arrow)
		return hash(name, strlen(name), start);
	const char *from = strchr(name, '['), *to = arrow + 2;
	from = from && from < arrow ? from + 1 : name + strcspn(name, ":") + 1;
	if (from >= arrow)
		return 0;
	size_t nfrom = (size_t)(arrow - from), nto = strcspn(to, ",]");
	return other ? hash(from, nfrom, hash("->", 2, hash(to, nto, start)))
		     : hash(to, nto, hash("->", 2, hash(from, nfrom, start)));
}

/* Parts it from its peer, and forgets what it was. */
static void reset(struct derive *d, uint32_t number)
{
	struct derived_object *o = &d->objects.v[number];
	const uint64_t *named = o->name ? map_find(&d->by_name, o->name) : NULL;

	if (named && *named == number)
		map_remove(&d->by_name, o->name);
	if (o->peer && d->objects.v[o->peer].peer == number)
		d->objects.v[o->peer].peer = 0;
	if (o->queue)
		graph_queue_reset(d->graph, o->queue - 1);
	if (o->inbound)
		graph_queue_reset(d->graph, o->inbound - 1);
	*o = (struct derived_object){ 0 };
}

/* What the peer read before it was known to be one is no longer in the queue. */
static void skip_ahead(struct derive *d, uint32_t number)
{
	struct derived_object *o = &d->objects.v[number];

	if (!o->queue || !o->peer)
		return;
	graph_queue_skip(d->graph, o->queue - 1, d->objects.v[o->peer].ahead);
	d->objects.v[o->peer].ahead = 0;
}

void derived_learn(struct derive *d, uint32_t a, uint32_t b)
{
	struct derived_object *x = object(d, a), *y = object(d, b);

	if (a == b || !x || !y)
		return;
	x = &d->objects.v[a];
	if (x->peer || y->peer || x->kind != y->kind)
		return;
	x->peer = b;
	y->peer = a;
	skip_ahead(d, a);
	skip_ahead(d, b);
}

void derived_define(struct derive *d, const struct event *e)
{
	struct derived_object *o = object(d, e->fd.object);

	if (!o || !e->fd.object)
		return;
	reset(d, e->fd.object);
	o->kind = e->fd.kind;
	if (!is_channel(o->kind))
		return;
	uint64_t own = name_of(e, false), other = name_of(e, true);
	const uint64_t *peer = other ? map_find(&d->by_name, other) : NULL;
	if (peer)
		derived_learn(d, e->fd.object, (uint32_t)*peer);
	else if (own)
		*map_at(&d->by_name, own) = e->fd.object;
	d->objects.v[e->fd.object].name = own;
}

/* ---- queues ---- */

/* A number that is used again for the same kind of object keeps its queues. */
static uint32_t queue_of(struct derive *d, uint32_t number, enum fd_kind kind, bool inbound)
{
	uint64_t *at = map_at(&d->queues, (uint64_t)number << 9 | (uint64_t)inbound << 8 | kind);

	if (!*at)
		*at = graph_queue(d->graph, fd_kind_name(kind), 0) + 1u;
	return (uint32_t)*at;
}

uint32_t derived_queue(struct derive *d, uint32_t number, enum direction direction)
{
	struct derived_object *o = object(d, number);

	if (!o || direction == NO_DIRECTION)
		return 0;
	if (direction == DIRECTION_GET && o->peer)
		return derived_queue(d, o->peer, DIRECTION_PUT);
	if (direction == DIRECTION_GET) {
		if (!o->inbound)
			o->inbound = queue_of(d, number, o->kind, true);
		return o->inbound;
	}
	if (!o->queue) {
		o->queue = queue_of(d, number, o->kind, false);
		skip_ahead(d, number);
	}
	return o->queue;
}

uint64_t derived_get(struct derive *d, uint32_t thread, int64_t time, uint16_t state,
		     const struct event *e)
{
	uint32_t queue = derived_queue(d, e->call.object, DIRECTION_GET);
	struct derived_object *o = object(d, e->call.object);
	uint64_t n = (uint64_t)e->call.result, piece;

	if (!queue || !o)
		return graph_run(d->graph, thread, time, state, time, state);
	piece = graph_get(d->graph, thread, time, state, queue - 1, n);
	o->ahead += o->peer ? 0 : n;
	o->asked = o->asked ? o->asked : piece;
	return piece;
}

uint64_t derived_put(struct derive *d, uint32_t thread, int64_t time, uint16_t state,
		     const struct event *e)
{
	uint32_t queue = derived_queue(d, e->call.object, DIRECTION_PUT);
	struct derived_object *o = object(d, e->call.object);
	uint64_t asked = o ? o->asked : 0;

	if (!queue || !o)
		return graph_run(d->graph, thread, time, state, time, state);
	o->asked = 0;
	return graph_put(d->graph, thread, time, state, queue - 1, (uint64_t)e->call.result, asked);
}
