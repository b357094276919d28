/* SPDX-License-Identifier: MIT */
/* Adds what marks say: states, queues and links. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/derive_parts.h"
#include "mark/mark_file.h"

/* Returns the queue of that name which belongs to the connection or request that the thread has
 * identified (MARK_IDENTIFY). */
static uint32_t queue_of(struct derive *d, uint32_t thread, const char *name)
{
	uint64_t key = d->threads.v[thread].mark_key;
	char *own = key ? xasprintf("%s %" PRIx64, name ? name : "", key) : NULL;
	size_t number = names_add(&d->mark_names, own ? own : name ? name : "");
	uint64_t *at = map_at(&d->mark_queues, number);

	free(own);
	if (!*at)
		*at = graph_queue(d->graph, name ? name : "") + 1u;
	return (uint32_t)(*at - 1);
}

/* Counts a mark that does not fit those before it, and keeps the first one. */
static void contradict(struct graph *g, uint32_t thread, uint32_t queue, int64_t time)
{
	if (!g->faults.misplaced++)
		g->faults.first = (struct graph_misplaced){ thread, queue, time };
}

static bool is_overfull(const struct graph_queue *q)
{
	return q->capacity && q->put > q->taken + q->capacity;
}

/* Ends the wait that a WAIT mark began.  The cause is the operation that made room or put the
 * element, if the present mark is the operation that was waited for. */
static void end_wait(struct derive *d, uint32_t thread, const struct event *e, uint64_t amount)
{
	struct graph *g = d->graph;
	struct derived_thread *t = &d->threads.v[thread];
	uint32_t queue = t->mark_queue - 1;
	bool fits = mark_ends_wait(e->mark.verb, t->mark_full) &&
		    queue_of(d, thread, e->mark.name) == queue;
	const struct graph_message *m = graph_supplier(g, queue, amount);
	uint64_t cause = !fits ? 0 : t->mark_full ? g->queues.v[queue].taker : m ? m->piece : 0;
	int64_t since = g->threads.v[thread].at;

	t->mark_queue = 0;
	/* A wait that ended without anything, such as one with a time limit. */
	bool idle = fits && !amount;
	if (cause && tape_read(&g->tape, cause - 1)->end <= since)
		cause = 0;
	if (!cause && !idle)
		contradict(g, thread, queue, e->time);
	uint64_t wait =
	    graph_wait(g, thread, e->time, derived_activity(d, thread, WAITS_QUEUE), cause, 0);
	struct piece *p = tape_at(&g->tape, wait - 1);
	p->queue = queue;
	p->flags |= t->mark_full ? PIECE_FULL : PIECE_EMPTY;
	g->queues.v[queue].bounded |= t->mark_full;
}

/* Begins and ends the requests that a state delimits. */
static void delimit(struct derive *d, uint32_t thread, int64_t time, const char *state)
{
	const struct derived_thread *t = &d->threads.v[thread];
	uint64_t *open = map_at(&d->open_requests, t->mark_key ? t->mark_key : ~(uint64_t)thread);

	if (*open && (!d->request_until || !strcmp(state, d->request_until))) {
		graph_put(d->graph, thread, time, t->user, d->request_queue - 1, 0, *open);
		*open = 0;
	}
	if (!*open && !strcmp(state, d->request_from))
		*open = graph_get(d->graph, thread, time, t->user, d->request_queue - 1, 0);
}

/* The mark is about that queue.  Returns whether it fits the marks before it. */
static bool take_queue(struct derive *d, uint32_t thread, const struct event *e, uint32_t queue,
		       uint64_t amount)
{
	struct graph *g = d->graph;
	struct graph_queue *q = &g->queues.v[queue];
	struct derived_thread *t = &d->threads.v[thread];
	enum mark_verb verb = e->mark.verb;
	bool waits = verb == MARK_WAIT_EMPTY || verb == MARK_WAIT_FULL;
	bool there = !amount || graph_supplier(g, queue, amount);

	if (verb == MARK_CAPACITY) {
		q->capacity = amount;
		q->bounded = true;
	} else if (waits) {
		t->mark_full = verb == MARK_WAIT_FULL;
		t->mark_queue = queue + 1;
	} else if (amount && verb == MARK_ENQUEUE) {
		graph_put(g, thread, e->time, t->user, queue, amount, 0);
	} else if (amount && verb == MARK_DEQUEUE) {
		graph_get(g, thread, e->time, t->user, queue, amount);
	}
	if (verb == MARK_ENQUEUE || verb == MARK_CAPACITY)
		return !is_overfull(q);
	return waits ? t->mark_full || !graph_supplier(g, queue, 1) : there;
}

void derived_mark(struct derive *d, uint32_t thread, const struct event *e)
{
	struct graph *g = d->graph;
	struct derived_thread *t = &d->threads.v[thread];
	/* A piece has room for no more units. */
	uint64_t most = e->mark.verb == MARK_CAPACITY ? INT64_MAX : UINT32_MAX, *tag = NULL;
	uint64_t amount = e->mark.amount < most ? e->mark.amount : most;
	const char *name = e->mark.name ? e->mark.name : "";
	uint32_t queue;

	if (t->mark_queue)
		end_wait(d, thread, e, amount);
	else
		derived_cut(d, thread, e->time);
	if (e->mark.tag && e->mark.verb != MARK_IDENTIFY)
		tag = map_at(&d->tags, e->mark.tag);
	switch (e->mark.verb) {
	case MARK_STATE:
		if (d->request_from)
			delimit(d, thread, e->time, name);
		t->user = derived_state(d, thread, name, RUNS_USER);
		break;
	case MARK_LINK:
		if (tag && *tag)
			graph_wait(g, thread, e->time, t->user, *tag, 0);
		break;
	case MARK_IDENTIFY: t->mark_key = e->mark.tag; break;
	case MARK_ENQUEUE:
	case MARK_DEQUEUE:
	case MARK_WAIT_EMPTY:
	case MARK_WAIT_FULL:
	case MARK_PEEK:
	case MARK_CAPACITY:
		queue = queue_of(d, thread, name);
		if (!take_queue(d, thread, e, queue, amount))
			contradict(g, thread, queue, e->time);
		break;
	default: break;
	}
	if (tag)
		*tag = g->threads.v[thread].last;
}
