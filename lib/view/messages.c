/* SPDX-License-Identifier: MIT */
#include "view/messages.h"

#include <errno.h>
#include <string.h>

#include "trace/syscalls.h"

/* Bytes or datagrams moved by one call, or by several calls at the same time. */
struct piece {
	uint64_t end; /* position after the last */
	int64_t from, to;
};

/* One direction of a connection, at one of its ends. */
struct flow {
	size_t next; /* a later connection with the same addresses, plus one */
	uint32_t trace;
	bool whole;  /* its beginning was seen */
	bool shared; /* another trace has the same end */
	bool closed; /* later transfers have unknown positions */
	VEC(struct piece) pieces;
};

void messages_begin(struct messages *m, uint32_t trace)
{
	connections_begin(&m->connections);
	map_free(&m->sockets);
	m->trace = trace;
	m->open = m->flows.n;
	m->unnamed = 0;
}

static uint64_t key_of(size_t direction, bool writes)
{
	return (uint64_t)direction << 1 | writes;
}

static struct flow *latest(const struct messages *m, size_t direction, bool writes)
{
	const uint64_t *at = map_find(&m->latest, key_of(direction, writes));

	return at && m->flows.v[*at - 1].trace == m->trace ? &m->flows.v[*at - 1] : NULL;
}

/* If two traces have the same end, it is unknown with which of them the other end communicates. */
static void spoil(struct messages *m, uint64_t key)
{
	for (size_t at = *map_at(&m->chains, key); at; at = m->flows.v[at - 1].next)
		m->flows.v[at - 1].shared = true;
}

static void add_flow(struct messages *m, size_t direction, bool writes, bool whole)
{
	uint64_t key = key_of(direction, writes), *last = map_at(&m->latest, key);
	uint64_t *first = map_at(&m->chains, key);
	const struct flow *before = *first ? &m->flows.v[*first - 1] : NULL;
	bool shared = before && (before->shared || before->trace != m->trace);

	vec_push(&m->flows, (struct flow){ .trace = m->trace, .whole = whole });
	if (*last)
		m->flows.v[*last - 1].next = m->flows.n;
	*last = m->flows.n;
	*first = *first ? *first : m->flows.n;
	if (shared)
		spoil(m, key);
}

/* From now on the object is this end of a connection: a new one if the previous one was used. */
static void begin_connection(struct messages *m, uint32_t object, size_t direction)
{
	size_t back = connections_back(direction);
	const struct flow *writes = latest(m, direction, true), *reads = latest(m, back, false);
	uint64_t *made = map_find(&m->sockets, object);

	if (!writes || writes->pieces.n || reads->pieces.n) {
		add_flow(m, direction, true, made && *made);
		add_flow(m, back, false, made && *made);
	}
	if (made)
		*made = 0;
	m->unnamed = direction + 1;
}

static void begin_whole(struct messages *m, size_t direction)
{
	struct flow *writes = latest(m, direction, true);
	struct flow *reads = latest(m, connections_back(direction), false);

	if (writes && !writes->pieces.n && !reads->pieces.n)
		writes->whole = reads->whole = true;
}

static void follow_object(struct messages *m, const struct event *e)
{
	uint32_t object = e->type == EVENT_FD ? e->fd.object : e->address.object;

	connections_event(&m->connections, e);
	size_t direction = connections_from(&m->connections, object);
	if (direction != SIZE_MAX)
		begin_connection(m, object, direction);
	else
		map_remove(&m->sockets, object);
}

static void transfer(struct messages *m, const struct event *e, size_t direction, enum transfer way,
		     uint64_t n)
{
	bool writes = way == TRANSFER_WRITES;
	size_t of = writes ? direction : connections_back(direction);
	struct flow *f = latest(m, of, writes);

	if (!f || f->closed)
		return;
	struct piece p = { n, e->time, event_end(e) };
	struct piece *last = f->pieces.n ? &f->pieces.v[f->pieces.n - 1] : NULL;
	p.end += last ? last->end : 0;
	if (!last || p.from >= last->to) {
		vec_push(&f->pieces, p);
		return;
	}
	last->end = p.end;
	last->from = p.from < last->from ? p.from : last->from;
	last->to = p.to > last->to ? p.to : last->to;
}

static void follow_call(struct messages *m, const struct event *e)
{
	const char *name = syscall_get(e->call.id)->name;
	size_t direction = connections_from(&m->connections, e->call.object);
	bool datagrams = e->call.kind == FD_UDP;
	uint64_t n = e->call.result > 0 ? (uint64_t)e->call.result : 0;
	enum transfer way = datagrams ? transfer_of_datagrams(e, &n) : transfer_of(e);

	/* Its first datagrams came from a peer that the trace does not name. */
	if (datagrams && way && direction == SIZE_MAX)
		map_remove(&m->sockets, e->call.object);
	if (direction == SIZE_MAX)
		way = TRANSFER_NONE;
	if (way == TRANSFER_UNKNOWN) {
		struct flow *writes = latest(m, direction, true);

		writes->closed = latest(m, connections_back(direction), false)->closed = true;
	} else if (way && n) {
		transfer(m, e, direction, way, n);
	} else if (m->unnamed && !event_failed(e) && !strncmp(name, "accept", 6)) {
		begin_whole(m, m->unnamed - 1);
	} else if (!strcmp(name, "socket") || (!datagrams && !strcmp(name, "connect"))) {
		if (direction != SIZE_MAX)
			begin_whole(m, direction);
		else if (e->call.object)
			*map_at(&m->sockets, e->call.object) = 1;
	}
	m->unnamed = 0;
}

/* Events were lost: open flows continue at unknown positions. */
static void lose(struct messages *m)
{
	for (; m->open < m->flows.n; m->open++)
		m->flows.v[m->open].closed = true;
}

void messages_event(struct messages *m, const struct event *e)
{
	switch (e->type) {
	case EVENT_FD:
	case EVENT_ADDRESS: follow_object(m, e); break;
	case EVENT_SYSCALL: follow_call(m, e); break;
	case EVENT_LOST:
		if (e->lost.class != LOST_UNTRACED_CHILD)
			lose(m);
		break;
	default: break;
	}
}

/* Each read shows that the write of its last byte had begun before. */
static void match_flows(struct messages *m, const struct flow *w, const struct flow *r)
{
	for (size_t i = 0, k = 0; i < r->pieces.n; i++) {
		const struct piece *p = &r->pieces.v[i];

		while (k < w->pieces.n && w->pieces.v[k].end < p->end)
			k++;
		if (k < w->pieces.n)
			vec_push(&m->list, (struct message){ w->trace, r->trace,
							     w->pieces.v[k].from, p->to });
	}
}

static uint64_t bytes(const struct flow *f)
{
	return f->pieces.n ? f->pieces.v[f->pieces.n - 1].end : 0;
}

void messages_match(struct messages *m)
{
	uint64_t key, first;

	for (size_t at = 0; map_next(&m->chains, &at, &key, &first);) {
		const uint64_t *other = key & 1 ? map_find(&m->chains, key ^ 1) : NULL;
		uint64_t w = first, r = other ? *other : 0;

		while (w && r) {
			const struct flow *writes = &m->flows.v[w - 1], *reads = &m->flows.v[r - 1];
			bool missed = writes->shared || reads->shared ||
				      (!writes->closed && bytes(reads) > bytes(writes));

			w = writes->next;
			r = reads->next;
			if (writes->trace == reads->trace || !bytes(reads))
				continue;
			if (!missed && writes->whole && reads->whole)
				match_flows(m, writes, reads);
			else
				m->unusable++;
		}
	}
}

void messages_free(struct messages *m)
{
	for (size_t i = 0; i < m->flows.n; i++)
		vec_free(&m->flows.v[i].pieces);
	vec_free(&m->flows);
	vec_free(&m->list);
	connections_free(&m->connections);
	map_free(&m->chains);
	map_free(&m->latest);
	map_free(&m->sockets);
}
