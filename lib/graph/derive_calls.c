/* SPDX-License-Identifier: MIT */
/*
 * Derives the graph without scheduler events.  A call is reported when it ends, but what it wrote
 * was available to others from its beginning or soon after.  So events are sorted by time, and a
 * call that may write or wake is taken twice: at its beginning and at its end.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "graph/derive_parts.h"
#include "trace/syscalls.h"

struct held {
	struct event e;
	bool enters; /* this is the beginning of the call */
	char text[]; /* text_of(&e) */
};

/* The text of an event, which must outlive it; NULL: none. */
static const char **text_of(struct event *e)
{
	switch (e->type) {
	case EVENT_SYSCALL: return &e->call.path;
	case EVENT_MARK: return &e->mark.name;
	case EVENT_FD: return &e->fd.name;
	case EVENT_EXEC: return &e->exec.command;
	case EVENT_COMM: return &e->comm.name;
	case EVENT_STACK: return &e->stack.frames;
	default: return NULL;
	}
}

static bool is_futex(const struct event *e, const char *what)
{
	const char *variant = syscall_variant(e);

	return variant && !strcmp(variant, what) &&
	       !strncmp(syscall_get(e->call.id)->name, "futex", 5);
}

static uint64_t *futex(struct derive *d, const struct event *e)
{
	return map_at(&d->futexes, (uint64_t)e->pid << 32 ^ e->call.args[0]);
}

static void hold(struct derive *d, const struct event *e, bool enters)
{
	struct event copy = *e;
	const char **text = text_of(&copy);
	size_t n = text && *text ? strlen(*text) + 1 : 0;
	struct held *h = xmalloc(sizeof(*h) + n);

	if (n)
		memcpy(h->text, *text, n);
	h->e = copy;
	h->enters = enters;
	reorder_push(&d->held, enters ? e->time : event_end(e), d->sequence++, sizeof(*h) + n, h);
}

/* A call that was interrupted has ended when it is seen, which is later than its duration says:
 * that leaves out what passed between its parts.  What it waited for may have happened since. */
static void extend(const struct derive *d, struct event *e)
{
	if (e->call.flags & CALL_RESTARTED && e->call.duration >= 0 && event_end(e) < d->reached)
		e->call.duration = d->reached - e->time;
}

void derived_hold(struct derive *d, const struct event *event)
{
	struct event e = *event;
	bool call = e.type == EVENT_SYSCALL;

	if (call)
		extend(d, &e);
	if (call && (e.call.duration >= d->shortest || derived_direction(&e) != NO_DIRECTION ||
		     is_futex(&e, "wake")))
		hold(d, &e, true);
	hold(d, &e, false);
	d->reached = event_end(&e) > d->reached ? event_end(&e) : d->reached;
	derived_release(d, false);
}

/* Whether the call can wait, and took so long that it did. */
static bool waits(const struct derive *d, const struct event *e)
{
	return waiting_for(e) != RUNS_CALL && e->call.duration >= d->shortest;
}

/* Whether the queue surely has room for n units more: for a few if it is empty, and otherwise if it
 * has held more, with each unit in it counted twice, since parts of its room may be lost between
 * messages. */
static bool has_room(const struct graph_queue *q, uint64_t n)
{
	uint64_t level = q->put > q->taken ? q->put - q->taken : 0;

	return (!level && n <= PIPE_BUF) || 2 * level + n <= q->most;
}

/* What a call puts that waited for room was not in the queue with what was there when it began. */
static void put(struct derive *d, uint32_t thread, const struct event *e)
{
	uint32_t queue = derived_queue(d, e->call.object, DIRECTION_PUT);
	struct graph_queue *q = queue ? &d->graph->queues.v[queue - 1] : NULL;
	uint64_t most = q ? q->most : 0;

	d->threads.v[thread].at_once = q && has_room(q, (uint64_t)e->call.result);
	derived_put(d, thread, e->time, d->threads.v[thread].user, e);
	if (q && waits(d, e) && !d->threads.v[thread].at_once)
		q->most = most;
}

/* What is in the queue at the end of a call that waited for room. */
static void put_later(struct derive *d, const struct event *e)
{
	uint32_t queue = derived_queue(d, e->call.object, DIRECTION_PUT);
	struct graph_queue *q = &d->graph->queues.v[queue ? queue - 1 : 0];

	if (queue && q->put > q->taken && q->put - q->taken > q->most)
		q->most = q->put - q->taken;
}

/* A call that takes what is there makes room at its beginning, for a writer that may go on before
 * the call ends. */
static void get_at_once(struct derive *d, uint32_t thread, const struct event *e)
{
	uint32_t queue = derived_queue(d, e->call.object, DIRECTION_GET);

	if (!queue || waits(d, e) || !graph_supplier(d->graph, queue - 1, (uint64_t)e->call.result))
		return;
	derived_get(d, thread, e->time, d->threads.v[thread].user, e);
	d->threads.v[thread].at_once = true;
}

static void enter(struct derive *d, const struct event *e)
{
	uint32_t thread;

	if (derived_thread(d, e, &thread)->mark_queue)
		return;
	uint64_t piece = derived_cut(d, thread, e->time);

	if (derived_direction(e) == DIRECTION_PUT)
		put(d, thread, e);
	else if (derived_direction(e) == DIRECTION_GET)
		get_at_once(d, thread, e);
	else if (is_futex(e, "wake"))
		*futex(d, e) = piece;
}

void derived_release(struct derive *d, bool all_in)
{
	struct held *h;

	while ((h = reorder_pop(&d->held, all_in))) {
		const char **text = text_of(&h->e);

		if (text && *text)
			*text = h->text;
		if (h->enters)
			enter(d, &h->e);
		else
			derived_follow(d, &h->e);
		free(h);
	}
}

/* Who joins a thread waits until the kernel replaces its ID, which the call names.  Returns the
 * last piece of such a thread plus 1; 0: none ended meanwhile. */
static uint64_t joined_by(struct derive *d, const struct event *e)
{
	const uint64_t *at = map_find(&d->exits, (uint32_t)e->call.args[2]);

	if (!at || !*at)
		return 0;
	const struct piece *p = tape_read(&d->graph->tape, *at - 1);
	return p->end > e->time && d->graph->threads.v[p->thread].pid == e->pid ? *at : 0;
}

/* Guesses what ended a long call.  Returns a piece plus 1, or 0. */
static uint64_t cause_of(struct derive *d, const struct event *e, enum activity activity)
{
	enum direction direction = derived_direction(e);
	uint32_t queue = derived_queue(d, e->call.object, direction);
	const uint64_t *at;

	if (queue && direction == DIRECTION_GET) {
		const struct graph_message *m =
		    graph_supplier(d->graph, queue - 1, (uint64_t)e->call.result);

		return m ? m->piece : 0;
	}
	if (queue)
		return d->graph->queues.v[queue - 1].taker;
	if (activity == WAITS_CHILD && e->call.result > 0) {
		at = map_find(&d->exits, (uint64_t)e->call.result);
		return at ? *at : 0;
	}
	if (!is_futex(e, "wait"))
		return 0;
	uint64_t joined = joined_by(d, e);
	return joined ? joined : *futex(d, e);
}

void derived_call_alone(struct derive *d, uint32_t thread, const struct event *e)
{
	struct graph *g = d->graph;
	enum activity activity = waiting_for(e);
	int64_t end = event_end(e);

	/* A wait that a mark began goes on until the thread's next mark, whatever it calls. */
	if (d->threads.v[thread].mark_queue) {
		d->threads.v[thread].at_once = false;
		return;
	}
	/* Marks may seem to be within the call that they precede: their clock is known to within
	 * the way of a call to the recorder. */
	if (e->time >= g->threads.v[thread].at)
		derived_cut(d, thread, e->time);
	uint16_t state = derived_call_state(d, thread, e);
	uint16_t why = derived_activity(d, thread, activity);
	derived_name_open(d, thread, e);
	if (e->call.duration < 0) {
		/* The last call of the thread, which may be joined before its exit is seen. */
		if (activity != RUNS_CALL)
			graph_block(g, thread, why);
		*map_at(&d->exits, e->tid) = g->threads.v[thread].last;
		return;
	}
	bool waited = waits(d, e) && !d->threads.v[thread].at_once;
	uint64_t cause = waited ? cause_of(d, e, activity) : 0;
	if (cause && tape_read(&g->tape, cause - 1)->end <= g->threads.v[thread].at)
		cause = 0;
	if (cause)
		derived_name_queue(d, graph_wait(g, thread, end, why, cause, PIECE_GUESS), e);
	else if (waited)
		derived_name_queue(
		    d, graph_delay(g, thread, end, why, activity == WAITS_TIMER ? 0 : PIECE_GUESS),
		    e);
	else
		graph_run(g, thread, end, state, e->time, state);
	if (derived_direction(e) == DIRECTION_GET && !d->threads.v[thread].at_once)
		derived_get(d, thread, end, state, e);
	else if (derived_direction(e) == DIRECTION_PUT)
		put_later(d, e);
	d->threads.v[thread].at_once = false;
}
