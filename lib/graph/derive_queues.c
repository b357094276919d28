/* SPDX-License-Identifier: MIT */
/* Finds the queues behind pipes and sockets, and which sockets are connected. */
#include "graph/derive_parts.h"

#include <string.h>

#include "trace/connections.h"
#include "util/hash.h"

enum { OBJECTS_MOST = 1 << 20 }; /* a sound trace has far fewer, since object numbers are reused */

static bool is_channel(enum fd_kind kind)
{
	return kind == FD_PIPE || fd_kind_is_socket(kind);
}

enum direction derived_direction(const struct event *e)
{
	if (!is_channel(e->call.kind) || !e->call.object || e->call.result <= 0 ||
	    e->call.flags & CALL_UNFINISHED)
		return NO_DIRECTION;
	switch (transfer_of(e)) {
	case TRANSFER_READS: return DIRECTION_GET;
	case TRANSFER_WRITES: return DIRECTION_PUT;
	default: return NO_DIRECTION;
	}
}

/* ---- objects ---- */

/* Returns the index of an object, adding the object if it is new; 0: none. */
static uint32_t place(struct derive *d, uint32_t number)
{
	uint64_t at = derived_known(d, KNOWN_PLACE, &d->places, number);

	if (at)
		return (uint32_t)at;
	if (!number || d->objects.n >= OBJECTS_MOST)
		return 0;
	if (!d->objects.n)
		vec_push(&d->objects, (struct derived_object){ 0 });
	vec_push(&d->objects, (struct derived_object){ 0 });
	*map_at(&d->places, number) = d->objects.n - 1;
	return (uint32_t)d->objects.n - 1;
}

/* Finds the names of the two directions of an object: away from it and towards it.  Both ends of a
 * pipe have the same name, and pipes of other hosts may have it, too. */
static void find_ways(const struct derive *d, const struct event *e, uint64_t *from, uint64_t *to)
{
	bool pipe = e->type == EVENT_FD && e->fd.kind == FD_PIPE;
	uint32_t object = e->type == EVENT_FD ? e->fd.object : e->address.object;
	size_t way = connections_from(&d->connections, object);

	*from = *to = 0;
	if (pipe && e->fd.name && *e->fd.name) {
		uint64_t hash = hash_bytes(e->fd.name, strlen(e->fd.name));

		*from = *to = (hash + (object >> HOST_SHIFT)) | (uint64_t)1 << 63;
	} else if (!pipe && way != SIZE_MAX) {
		*from = way + 1;
		*to = connections_back(way) + 1;
	}
}

/* Disconnects the object from its peer and forgets what is known of it. */
static void reset(struct derive *d, uint32_t at)
{
	struct derived_object *o = &d->objects.v[at];
	struct derived_object *peer = &d->objects.v[o->peer];
	const uint64_t *named = o->name ? map_find(&d->by_name, o->name) : NULL;
	uint32_t kept = peer->inbound;

	if (named && *named == at)
		map_remove(&d->by_name, o->name);
	if (o->peer && peer->peer == at) { /* which can still read what is in the queue */
		peer->peer = 0;
		peer->inbound = o->queue;
		o->queue = kept;
	}
	if (o->queue)
		graph_queue_end(d->graph, o->queue - 1);
	if (o->inbound)
		graph_queue_end(d->graph, o->inbound - 1);
	*o = (struct derived_object){ 0 };
}

/* Takes what the peer read before it was known to be the peer out of the queue. */
static void skip_ahead(struct derive *d, uint32_t at)
{
	struct derived_object *o = &d->objects.v[at], *peer = &d->objects.v[o->peer];

	if (o->queue && o->peer && peer->inbound)
		graph_queue_move(d->graph, peer->inbound - 1, o->queue - 1);
}

static void join(struct derive *d, uint32_t a, uint32_t b)
{
	struct derived_object *x = &d->objects.v[a], *y = &d->objects.v[b];

	if (a == b || !a || !b || x->peer || y->peer || x->kind != y->kind)
		return;
	x->peer = b;
	y->peer = a;
	skip_ahead(d, a);
	skip_ahead(d, b);
}

void derived_learn(struct derive *d, uint32_t a, uint32_t b)
{
	uint32_t x = place(d, a), y = place(d, b);

	if (x && y)
		join(d, x, y);
}

void derived_define(struct derive *d, const struct event *e)
{
	uint32_t at = place(d, e->type == EVENT_FD ? e->fd.object : e->address.object);
	uint64_t from, to;

	connections_event(&d->connections, e);
	if (!at)
		return;
	if (e->type == EVENT_FD) {
		reset(d, at);
		d->objects.v[at].kind = e->fd.kind;
	}
	find_ways(d, e, &from, &to);
	if (!from || !is_channel(d->objects.v[at].kind))
		return;
	const uint64_t *peer = map_find(&d->by_name, to);
	if (peer && *peer != at)
		join(d, at, (uint32_t)*peer);
	else
		*map_at(&d->by_name, from) = at;
	d->objects.v[at].name = from;
}

/* ---- queues ---- */

static uint32_t queue_at(struct derive *d, uint32_t at, enum direction direction)
{
	struct derived_object *o = &d->objects.v[at];
	uint32_t *queue = direction == DIRECTION_GET ? &o->inbound : &o->queue;

	if (direction == DIRECTION_GET && o->peer)
		return queue_at(d, o->peer, DIRECTION_PUT);
	if (*queue)
		return *queue;
	*queue = graph_queue(d->graph, fd_kind_name(o->kind)) + 1;
	if (direction == DIRECTION_PUT)
		skip_ahead(d, at);
	return *queue;
}

uint32_t derived_queue(struct derive *d, uint32_t number, enum direction direction)
{
	uint32_t at = direction == NO_DIRECTION ? 0 : place(d, number);

	return at ? queue_at(d, at, direction) : 0;
}

static struct derived_object *object(struct derive *d, uint32_t number)
{
	uint32_t at = place(d, number);

	return at ? &d->objects.v[at] : NULL;
}

/*
 * If an interrupt ended the wait for the data that the thread now takes, the wait was for a message
 * on its way since it was put.  The queue remembers the fastest such message.  Since the time on
 * the way is part of the wait, the wait is not one for an empty queue.
 */
static void come_by_wire(struct derive *d, uint32_t thread, uint32_t queue)
{
	struct derived_thread *t = &d->threads.v[thread];
	const struct graph_message *m = graph_supplier(d->graph, queue, 1);
	struct graph_queue *q = &d->graph->queues.v[queue];
	uint64_t lone = t->lone;

	t->lone = 0;
	if (!lone || !m || !graph_attach(d->graph, lone, m->piece))
		return;
	struct piece *p = tape_at(&d->graph->tape, lone - 1);
	int64_t way = p->end - m->time;
	p->flags = (uint8_t)((p->flags & ~PIECE_EMPTY) | PIECE_WIRE);
	p->queue = queue;
	q->way = way > 0 && (!q->way || way < q->way) ? way : q->way;
}

uint64_t derived_get(struct derive *d, uint32_t thread, int64_t time, uint16_t state,
		     const struct event *e)
{
	uint32_t queue = derived_queue(d, e->call.object, DIRECTION_GET);
	struct derived_object *o = object(d, e->call.object);
	uint64_t n = (uint64_t)e->call.result, piece;

	if (!queue || !o)
		return graph_run(d->graph, thread, time, state, time, state);
	come_by_wire(d, thread, queue - 1);
	piece = graph_get(d->graph, thread, time, state, queue - 1, n);
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
	uint64_t piece =
	    graph_put(d->graph, thread, time, state, queue - 1, (uint64_t)e->call.result, asked);
	tape_at(&d->graph->tape, piece - 1)->before = d->threads.v[thread].user;
	return piece;
}
