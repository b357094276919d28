/* SPDX-License-Identifier: MIT */
/* Deals the pieces of the tape out to actors: threads, or the workers that share one. */
#include <stdlib.h>
#include <string.h>

#include "graph/simulate_parts.h"

static struct actor *actor(struct simulator *s, uint32_t thread)
{
	while (s->actors.n <= thread)
		vec_push(&s->actors, (struct actor){ .left = -1 });
	return &s->actors.v[thread];
}

void simulator_schedule(struct simulator *s, uint32_t thread, int64_t time)
{
	s->actors.v[thread].time = time;
	reorder_push(&s->events, time, s->sequence++, 1, (void *)((uintptr_t)thread + 1));
}

int64_t *simulator_at(const struct simulator *s, uint64_t number)
{
	struct span *span = number / SPAN < s->spans.n ? s->spans.v[number / SPAN] : NULL;

	return span ? &span->at[number % SPAN] : NULL;
}

static void free_span(struct simulator *s, uint64_t number)
{
	struct span **span = &s->spans.v[number / SPAN];

	if ((*span)->unfinished || (*span)->uses)
		return;
	free(*span);
	*span = NULL;
}

void simulator_finish(struct simulator *s, uint32_t thread, const struct piece *p, int64_t now)
{
	struct actor *a = &s->actors.v[thread];
	uint64_t number = a->piece - 1;
	int64_t *at = simulator_at(s, number), next = -1 - *at;

	*at = now;
	a->done = a->piece;
	a->piece = next ? a->piece + (uint64_t)next : 0;
	a->left = -1;
	s->spans.v[number / SPAN]->unfinished--;
	free_span(s, number);
	if (!p->cause || !simulator_at(s, p->cause - 1))
		return;
	struct span *used = s->spans.v[(p->cause - 1) / SPAN];
	used->uses -= used->uses > 0; /* 0 if the temporary file is damaged */
	free_span(s, p->cause - 1);
}

/* Gives a piece to an actor. */
static void deal(struct simulator *s, uint32_t thread, uint64_t number)
{
	struct actor *a = &s->actors.v[thread];

	if (a->piece)
		*simulator_at(s, a->read - 1) = -1 - (int64_t)(number - (a->read - 1));
	else
		a->piece = number + 1;
	a->read = number + 1;
}

/* Returns the worker of a shared thread that takes from that queue.  A queue that is seen for the
 * first time is given to the next worker in turn. */
static uint32_t worker_of(struct simulator *s, uint32_t thread, uint32_t queue)
{
	const uint64_t of = (uint64_t)thread << 32 | queue, *known = map_find(&s->workers, of);
	struct shared *x = &s->shared[thread];
	uint32_t turn = x->queues % s->h->workers[thread], worker = thread;
	/* the key of an added worker, by thread and turn */
	uint64_t key = (uint64_t)1 << 63 | (uint64_t)thread << 32 | turn;

	if (known)
		return (uint32_t)*known - 1;
	if (turn && x->queues < s->h->workers[thread]) {
		worker = (uint32_t)s->actors.n;
		actor(s, worker);
		simulator_schedule(s, worker, s->graph->threads.v[thread].begin - s->graph->begin);
		*map_at(&s->workers, key) = worker;
	} else if (turn) {
		worker = (uint32_t)*map_at(&s->workers, key);
	}
	x->queues++;
	*map_at(&s->workers, of) = worker + 1u;
	return worker;
}

/* Gives a piece of a shared thread to the worker of the queue that it took from, or, between the
 * last put and the next get, of the queue that it will take from. */
static void share(struct simulator *s, const struct piece *p, uint64_t number)
{
	struct shared *x = &s->shared[p->thread];

	if (p->kind == PIECE_GET)
		x->worker = worker_of(s, p->thread, p->queue) + 1;
	else if (p->kind == PIECE_PUT && !x->worker)
		x->worker = x->last; /* of another part of the same answer */
	if (!x->worker) {
		vec_push(&x->open, number);
		return;
	}
	for (size_t i = 0; i < x->open.n; i++)
		deal(s, x->worker - 1, x->open.v[i]);
	x->open.n = 0;
	deal(s, x->worker - 1, number);
	if (p->kind == PIECE_PUT) {
		x->last = x->worker;
		x->worker = 0;
	}
}

/* What follows the last put is done by the thread itself. */
static void share_rest(struct simulator *s)
{
	for (uint32_t i = 0; s->shared && i < s->graph->threads.n; i++) {
		struct shared *x = &s->shared[i];

		for (size_t k = 0; k < x->open.n; k++)
			deal(s, i, x->open.v[k]);
		x->open.n = 0;
	}
}

bool simulator_read(struct simulator *s)
{
	const uint64_t n = s->graph->tape.n, until = s->read + SPAN < n ? s->read + SPAN : n;
	struct span *span;

	if (s->read == n)
		return false;
	span = xcalloc(1, sizeof(*span));
	memset(span->at, -1, sizeof(span->at));
	span->unfinished = until - s->read;
	vec_push(&s->spans, span);
	for (; s->read < until; s->read++) {
		const struct piece *p = tape_read(&s->graph->tape, s->read);

		actor(s, p->thread);
		span->uses += p->uses;
		if (s->shared && s->h->workers[p->thread] > 1)
			share(s, p, s->read);
		else
			deal(s, p->thread, s->read);
		if (p->flags & PIECE_FIRST)
			simulator_schedule(s, p->thread,
					   p->kind == PIECE_WAIT ? 0 : p->start - s->graph->begin);
	}
	if (s->read == n)
		share_rest(s);
	return true;
}

/* Whether the thread has done all of its pieces. */
static bool is_through(const struct simulator *s, uint32_t thread)
{
	return thread < s->graph->threads.n && !(s->shared && s->h->workers[thread] > 1) &&
	       s->actors.v[thread].done == s->graph->threads.v[thread].last;
}

bool simulator_next(struct simulator *s, uint32_t thread)
{
	while (!s->actors.v[thread].piece)
		if (is_through(s, thread) || !simulator_read(s))
			return false;
	return true;
}

void simulator_share(struct simulator *s)
{
	if (!s->h->workers || !s->graph->threads.n)
		return;
	s->shared = xcalloc(s->graph->threads.n, sizeof(*s->shared));
	/* Added workers are numbered after the threads. */
	actor(s, (uint32_t)s->graph->threads.n - 1);
}
