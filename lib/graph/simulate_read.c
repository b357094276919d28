/* SPDX-License-Identifier: MIT */
/* Turns the tape into tasks of actors: threads, or the workers that share one. */
#include <stdlib.h>
#include <string.h>

#include "graph/simulate_parts.h"

static struct actor *actor(struct simulator *s, uint32_t thread)
{
	while (s->actors.n <= thread)
		vec_push(&s->actors, (struct actor){ 0 });
	return &s->actors.v[thread];
}

void simulator_schedule(struct simulator *s, uint32_t thread, int64_t time)
{
	s->actors.v[thread].time = time;
	reorder_push(&s->events, time, s->sequence++, 1, (void *)((uintptr_t)thread + 1));
}

static void done_of(struct simulator *s, uint64_t piece, const struct piece *p)
{
	uint64_t *at = map_at(&s->by_piece, piece);

	if (!*at) {
		*at = vec_place(&s->done, &s->free_done) + 1u;
		s->done.v[*at - 1].uses = p->uses;
		s->done.v[*at - 1].end = p->end;
		s->done.v[*at - 1].is = false;
	}
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
		s->live++;
		simulator_schedule(s, worker, s->graph->threads.v[thread].begin - s->graph->begin);
		*map_at(&s->workers, key) = worker;
	} else if (turn) {
		worker = (uint32_t)*map_at(&s->workers, key);
	}
	x->queues++;
	*map_at(&s->workers, of) = worker + 1u;
	return worker;
}

/* Gives a piece of a shared thread to the worker of the queue that it took from, or, before the
 * first get, of the queue that it will take from. */
static void share(struct simulator *s, const struct task *t)
{
	struct shared *x = &s->shared[t->piece.thread];

	if (t->piece.kind == PIECE_GET) {
		uint32_t worker = worker_of(s, t->piece.thread, t->piece.queue);

		for (size_t i = 0; i < x->open.n; i++)
			vec_push(&s->actors.v[worker].tasks, x->open.v[i]);
		x->open.n = 0;
		x->worker = worker + 1;
	}
	if (x->worker)
		vec_push(&s->actors.v[x->worker - 1].tasks, *t);
	else
		vec_push(&x->open, *t);
	if (t->piece.kind == PIECE_PUT)
		x->worker = 0;
}

/* What follows the last put is done by the thread itself. */
static void share_rest(struct simulator *s)
{
	for (uint32_t i = 0; s->shared && i < s->graph->threads.n; i++) {
		struct shared *x = &s->shared[i];

		for (size_t k = 0; k < x->open.n; k++)
			vec_push(&s->actors.v[i].tasks, x->open.v[k]);
		x->open.n = 0;
	}
}

bool simulator_read(struct simulator *s)
{
	const uint64_t n = s->graph->tape.n, until = s->read + 1024 < n ? s->read + 1024 : n;

	if (s->read == n)
		return false;
	for (; s->read < until; s->read++) {
		const struct task t = { *tape_read(&s->graph->tape, s->read), s->read, -1 };
		const struct piece *p = &t.piece;

		actor(s, p->thread);
		if (p->uses)
			done_of(s, s->read, p);
		if (s->shared && s->h->workers[p->thread] > 1)
			share(s, &t);
		else
			vec_push(&s->actors.v[p->thread].tasks, t);
		if (!(p->flags & PIECE_FIRST))
			continue;
		s->live++;
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
	       s->actors.v[thread].last == s->graph->threads.v[thread].last;
}

struct task *simulator_next(struct simulator *s, uint32_t thread)
{
	struct actor *a = &s->actors.v[thread];

	vec_drop(&a->tasks, a->first);
	while (s->actors.v[thread].first == s->actors.v[thread].tasks.n)
		if (is_through(s, thread) || !simulator_read(s))
			return NULL;
	a = &s->actors.v[thread];
	return &a->tasks.v[a->first];
}

void simulator_share(struct simulator *s)
{
	if (!s->h->workers || !s->graph->threads.n)
		return;
	s->shared = xcalloc(s->graph->threads.n, sizeof(*s->shared));
	/* Added workers are numbered after the threads. */
	actor(s, (uint32_t)s->graph->threads.n - 1);
}
