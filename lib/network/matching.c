/* SPDX-License-Identifier: MIT */
#include "network/matching.h"

#include <string.h>

#include "network/workload.h"
#include "util/vec.h"

/* A message or a receive that is not matched yet. */
struct waiter {
	uint32_t dst, src, tag;
	uint32_t what;		 /* the caller's number */
	uint32_t next;		 /* in its queue; in the list of free waiters, too */
	uint32_t before, behind; /* in the list of its rank */
	bool listed;
	uint64_t sequence;
};

/* The waiters for one (dst, src, tag), oldest first; either all are messages or all are
 * receives. */
struct queue {
	uint32_t head, tail; /* MATCH_NONE: a free slot of the table */
	bool receives;
};

struct list {
	uint32_t head, tail;
};

struct matching {
	uint32_t ranks;
	VEC(struct waiter) waiters;
	uint32_t free_waiter;
	struct queue *queues; /* hash table with open addressing and linear probing */
	size_t used, places;
	struct list *announced; /* by rank: announced messages, in order */
	struct list *wildcards; /* by rank: wildcard receives, in order */
	uint64_t sequence;
	size_t messages;
};

struct matching *matching_new(uint32_t ranks)
{
	struct matching *m = xcalloc(1, sizeof(*m));

	m->ranks = ranks;
	m->free_waiter = MATCH_NONE;
	m->places = 64;
	m->queues = xmalloc(m->places * sizeof(*m->queues));
	memset(m->queues, 0xff, m->places * sizeof(*m->queues));
	m->announced = xmalloc(ranks * sizeof(*m->announced));
	m->wildcards = xmalloc(ranks * sizeof(*m->wildcards));
	memset(m->announced, 0xff, ranks * sizeof(*m->announced));
	memset(m->wildcards, 0xff, ranks * sizeof(*m->wildcards));
	return m;
}

void matching_free(struct matching *m)
{
	if (!m)
		return;
	free(m->waiters.v);
	free(m->queues);
	free(m->announced);
	free(m->wildcards);
	free(m);
}

static uint32_t waiter_new(struct matching *m, uint32_t dst, uint32_t src, uint32_t tag,
			   uint32_t what)
{
	uint32_t w = m->free_waiter;

	if (w != MATCH_NONE)
		m->free_waiter = m->waiters.v[w].next;
	else {
		w = (uint32_t)m->waiters.n;
		vec_push(&m->waiters, (struct waiter){ 0 });
	}
	m->waiters.v[w] = (struct waiter){ .dst = dst,
					   .src = src,
					   .tag = tag,
					   .what = what,
					   .next = MATCH_NONE,
					   .sequence = m->sequence++ };
	return w;
}

static void list_add(struct matching *m, struct list *l, uint32_t w)
{
	struct waiter *v = m->waiters.v;

	v[w].listed = true;
	v[w].before = l->tail;
	v[w].behind = MATCH_NONE;
	*(l->tail == MATCH_NONE ? &l->head : &v[l->tail].behind) = w;
	l->tail = w;
}

static void list_remove(struct matching *m, struct list *l, uint32_t w)
{
	struct waiter *v = m->waiters.v;

	*(v[w].before == MATCH_NONE ? &l->head : &v[v[w].before].behind) = v[w].behind;
	*(v[w].behind == MATCH_NONE ? &l->tail : &v[v[w].behind].before) = v[w].before;
}

static size_t hash(const struct matching *m, uint32_t dst, uint32_t src, uint32_t tag)
{
	uint64_t x = ((uint64_t)dst << 32 | src) * 0x9e3779b97f4a7c15;

	x = (x ^ x >> 29 ^ tag) * 0xbf58476d1ce4e5b9;
	return (x ^ x >> 32) & (m->places - 1);
}

static size_t home(const struct matching *m, const struct queue *q)
{
	const struct waiter *w = &m->waiters.v[q->head];

	return hash(m, w->dst, w->src, w->tag);
}

/* Returns the index of the queue, or of the free slot where it belongs. */
static size_t find(const struct matching *m, uint32_t dst, uint32_t src, uint32_t tag)
{
	size_t i = hash(m, dst, src, tag);

	for (; m->queues[i].head != MATCH_NONE; i = (i + 1) & (m->places - 1)) {
		const struct waiter *w = &m->waiters.v[m->queues[i].head];

		if (w->dst == dst && w->src == src && w->tag == tag)
			break;
	}
	return i;
}

static void grow(struct matching *m)
{
	struct queue *old = m->queues;
	size_t n = m->places;

	m->places *= 2;
	m->queues = xmalloc(m->places * sizeof(*m->queues));
	memset(m->queues, 0xff, m->places * sizeof(*m->queues));
	for (size_t i = 0; i < n; i++)
		if (old[i].head != MATCH_NONE) {
			size_t to = home(m, &old[i]);

			while (m->queues[to].head != MATCH_NONE)
				to = (to + 1) & (m->places - 1);
			m->queues[to] = old[i];
		}
	free(old);
}

static void queue_add(struct matching *m, size_t place, uint32_t w, bool receives)
{
	struct queue *q = &m->queues[place];

	if (q->head != MATCH_NONE) {
		m->waiters.v[q->tail].next = w;
		q->tail = w;
		return;
	}
	*q = (struct queue){ w, w, receives };
	if (++m->used * 2 > m->places)
		grow(m);
}

/* Removes the oldest waiter of a queue; an empty queue leaves the table. */
static uint32_t queue_take(struct matching *m, size_t place)
{
	uint32_t w = m->queues[place].head, next = m->waiters.v[w].next;
	size_t hole = place, mask = m->places - 1;

	if (next != MATCH_NONE) {
		m->queues[place].head = next;
		return w;
	}
	/* Entries that could no longer be found because of the hole are moved into it. */
	m->queues[hole].head = MATCH_NONE;
	m->used--;
	for (size_t i = (hole + 1) & mask; m->queues[i].head != MATCH_NONE; i = (i + 1) & mask)
		if (((i - home(m, &m->queues[i])) & mask) >= ((i - hole) & mask)) {
			m->queues[hole] = m->queues[i];
			m->queues[i].head = MATCH_NONE;
			hole = i;
		}
	return w;
}

static uint32_t release(struct matching *m, uint32_t w)
{
	m->waiters.v[w].next = m->free_waiter;
	m->free_waiter = w;
	return m->waiters.v[w].what;
}

/* Removes a message from its queue and from the list of its rank. */
static uint32_t take_message(struct matching *m, size_t place)
{
	uint32_t w = queue_take(m, place);

	if (m->waiters.v[w].listed)
		list_remove(m, &m->announced[m->waiters.v[w].dst], w);
	m->messages--;
	return release(m, w);
}

static bool takes(const struct waiter *receive, uint32_t src, uint32_t tag)
{
	return (receive->src == PEER_ANY || receive->src == src) &&
	       (receive->tag == tag || (receive->tag == TAG_ANY && tag < TAG_LIMIT));
}

/* Returns the first wildcard receive of the rank that takes this message. */
static uint32_t find_wildcard(const struct matching *m, uint32_t dst, uint32_t src, uint32_t tag)
{
	uint32_t w = m->wildcards[dst].head;

	while (w != MATCH_NONE && !takes(&m->waiters.v[w], src, tag))
		w = m->waiters.v[w].behind;
	return w;
}

uint32_t matching_send(struct matching *m, uint32_t dst, uint32_t src, uint32_t tag, bool announced,
		       uint32_t message, uint32_t *waiting)
{
	size_t place = find(m, dst, src, tag);
	const struct queue *q = &m->queues[place];
	uint32_t exact = q->head != MATCH_NONE && q->receives ? q->head : MATCH_NONE;
	/* A wildcard receive must not take this message while an older one with the same source and
	 * tag waits. */
	uint32_t any = announced && (q->head == MATCH_NONE || q->receives)
			   ? find_wildcard(m, dst, src, tag)
			   : MATCH_NONE;

	if (any != MATCH_NONE &&
	    (exact == MATCH_NONE || m->waiters.v[any].sequence < m->waiters.v[exact].sequence)) {
		list_remove(m, &m->wildcards[dst], any);
		return release(m, any);
	}
	if (exact != MATCH_NONE)
		return release(m, queue_take(m, place));
	*waiting = waiter_new(m, dst, src, tag, message);
	if (announced)
		list_add(m, &m->announced[dst], *waiting);
	queue_add(m, place, *waiting, false);
	m->messages++;
	return MATCH_NONE;
}

uint32_t matching_receive(struct matching *m, uint32_t dst, uint32_t src, uint32_t tag,
			  uint32_t receive)
{
	if (src != PEER_ANY && tag != TAG_ANY) {
		size_t place = find(m, dst, src, tag);

		if (m->queues[place].head != MATCH_NONE && !m->queues[place].receives)
			return take_message(m, place);
		queue_add(m, place, waiter_new(m, dst, src, tag, receive), true);
		return MATCH_NONE;
	}
	uint32_t self = waiter_new(m, dst, src, tag, receive);
	for (uint32_t w = m->announced[dst].head; w != MATCH_NONE; w = m->waiters.v[w].behind) {
		const struct waiter *v = &m->waiters.v[w];

		if (takes(&m->waiters.v[self], v->src, v->tag)) {
			release(m, self);
			return take_message(m, find(m, dst, v->src, v->tag));
		}
	}
	list_add(m, &m->wildcards[dst], self);
	return MATCH_NONE;
}

bool matching_announce(struct matching *m, uint32_t waiting, uint32_t *message, uint32_t *receive)
{
	const struct waiter *w = &m->waiters.v[waiting];
	uint32_t dst = w->dst, src = w->src, tag = w->tag;
	uint32_t any = find_wildcard(m, dst, src, tag);

	if (any == MATCH_NONE) {
		list_add(m, &m->announced[dst], waiting);
		return false;
	}
	list_remove(m, &m->wildcards[dst], any);
	*receive = release(m, any);
	size_t place = find(m, dst, src, tag);
	if (m->queues[place].head != waiting)
		list_add(m, &m->announced[dst], waiting);
	*message = take_message(m, place);
	return true;
}

void matching_each(const struct matching *m,
		   void (*fn)(void *arg, uint32_t dst, uint32_t src, bool receives, uint32_t what),
		   void *arg)
{
	for (size_t i = 0; i < m->places; i++) {
		const struct queue *q = &m->queues[i];

		if (q->head != MATCH_NONE) {
			const struct waiter *w = &m->waiters.v[q->head];

			fn(arg, w->dst, w->src, q->receives, w->what);
		}
	}
}

size_t matching_unreceived(const struct matching *m)
{
	return m->messages;
}
