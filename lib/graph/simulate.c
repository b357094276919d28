/* SPDX-License-Identifier: MIT */
#include "graph/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reorder.h"

enum { SLICE = 3000000, LATENCY = 50000 /* ns */, FORCED_MOST = 10000 };

/* A piece that is still to be done. */
struct task {
	struct piece piece;
	uint64_t number;
	int64_t left; /* ns; -1: not begun */
};

struct actor {
	VEC(struct task) tasks;
	size_t first;
	int64_t time; /* it is there, and ready for the next task */
	bool blocked; /* until a queue or cause changes */
	bool has_cpu;
	int64_t used; /* ns of CPU since it got one */
	bool over;
	uint64_t last; /* task that it did, plus 1 */
};

struct done {
	int64_t time, end; /* simulated; as it was */
	uint32_t uses;
	bool is;
	VEC(uint32_t) waiting; /* actors */
};

struct place {
	double put, taken, capacity;
	VEC(uint32_t) waiting;
};

struct simulator {
	struct graph *graph;
	const struct hypothesis *h;
	VEC(struct actor) actors;
	VEC(struct done) done;
	VEC(uint32_t) free_done;
	struct map by_piece; /* place in done plus 1 */
	VEC(struct place) places;
	struct reorder events; /* actors, by time */
	VEC(uint32_t) ready;   /* wait for a CPU, the first first */
	size_t first_ready;
	unsigned free_cpus;
	uint64_t sequence, read; /* pieces of the tape */
	uint64_t live;		 /* actors that are not over */
	struct simulation result;
};

/* ---- the tape ---- */

static struct actor *actor(struct simulator *s, uint32_t thread)
{
	while (s->actors.n <= thread)
		vec_push(&s->actors, (struct actor){ 0 });
	return &s->actors.v[thread];
}

static void schedule(struct simulator *s, uint32_t thread, int64_t time)
{
	s->actors.v[thread].time = time;
	reorder_push(&s->events, time, s->sequence++, 1, (void *)((uintptr_t)thread + 1));
}

static void done_of(struct simulator *s, uint64_t piece, const struct piece *p)
{
	uint64_t *at = map_at(&s->by_piece, piece);

	if (!*at) {
		if (!s->free_done.n) {
			vec_push(&s->done, (struct done){ 0 });
			vec_push(&s->free_done, (uint32_t)s->done.n - 1);
		}
		*at = s->free_done.v[--s->free_done.n] + 1u;
		s->done.v[*at - 1].uses = p->uses;
		s->done.v[*at - 1].end = p->end;
		s->done.v[*at - 1].is = false;
	}
}

/* Puts further pieces of the tape to their threads; false: there are none. */
static bool read_more(struct simulator *s)
{
	size_t n;

	if (s->read == s->graph->tape.n)
		return false;
	const struct piece *p = tape_from(&s->graph->tape, s->read, &n);
	for (size_t i = 0; i < n && i < 1024; i++, s->read++) {
		struct actor *a = actor(s, p[i].thread);

		if (p[i].uses)
			done_of(s, s->read, &p[i]);
		vec_push(&a->tasks, (struct task){ p[i], s->read, -1 });
		if (!(p[i].flags & PIECE_FIRST))
			continue;
		s->live++;
		schedule(s, p[i].thread,
			 p[i].kind == PIECE_WAIT ? 0 : p[i].start - s->graph->begin);
	}
	return true;
}

/* The next task of a thread; NULL: it is over. */
static struct task *next_task(struct simulator *s, uint32_t thread)
{
	struct actor *a = &s->actors.v[thread];

	if (a->first * 2 > a->tasks.n) {
		a->tasks.n -= a->first;
		memmove(a->tasks.v, a->tasks.v + a->first, a->tasks.n * sizeof(*a->tasks.v));
		a->first = 0;
	}
	while (s->actors.v[thread].first == s->actors.v[thread].tasks.n)
		if (s->actors.v[thread].last == s->graph->threads.v[thread].last || !read_more(s))
			return NULL;
	a = &s->actors.v[thread];
	return &a->tasks.v[a->first];
}

/* ---- lengths ---- */

static double scale(const struct simulator *s, uint16_t state)
{
	return s->h->scale ? s->h->scale[state] : 1;
}

static bool removed(const struct simulator *s, uint16_t state)
{
	return s->h->removed && s->h->removed[state];
}

static int64_t length(const struct simulator *s, const struct piece *p)
{
	int64_t enter = p->kind == PIECE_RUN ? p->enter : p->start;

	if (p->kind == PIECE_CPU) {
		int64_t latency = p->cause ? 0 : p->end - p->start;

		return (int64_t)((double)(latency < LATENCY ? latency : LATENCY) *
				 scale(s, p->state));
	}
	return llround((double)(enter - p->start) * scale(s, p->before) +
		       (double)(p->end - enter) * scale(s, p->state));
}

static bool runs(const struct piece *p)
{
	return p->kind == PIECE_RUN || p->kind == PIECE_PUT || p->kind == PIECE_GET;
}

/* ---- waits ---- */

static void wake_all(struct simulator *s, uint32_t *v, size_t n, int64_t time)
{
	for (size_t i = 0; i < n; i++) {
		struct actor *a = &s->actors.v[v[i]];

		if (!a->blocked)
			continue;
		a->blocked = false;
		schedule(s, v[i], a->time > time ? a->time : time);
	}
}

static void leave_cpu(struct simulator *s, struct actor *a)
{
	s->free_cpus += a->has_cpu;
	a->has_cpu = false;
}

static void block(struct simulator *s, uint32_t thread)
{
	s->actors.v[thread].blocked = true;
	leave_cpu(s, &s->actors.v[thread]);
}

/* True: the wait of the task is over at *time. */
static bool wait_is_over(struct simulator *s, uint32_t thread, const struct task *t, int64_t *time)
{
	const struct piece *p = &t->piece;
	bool queued = p->flags & (PIECE_FULL | PIECE_EMPTY) && p->queue < s->places.n;

	if (!p->cause || removed(s, p->state) || (queued && !(p->flags & PIECE_GUESS)))
		return true;
	const uint64_t *at = map_find(&s->by_piece, p->cause - 1);
	if (!at)
		return true;
	struct done *d = &s->done.v[*at - 1];
	if (!d->is) {
		vec_push(&d->waiting, thread);
		return false;
	}
	int64_t then = d->time + llround((double)(p->end - d->end) * scale(s, p->state));
	*time = then > *time ? then : *time;
	return true;
}

/* True: there is room for what the task puts, or as much as it takes. */
static bool queue_is_ready(struct simulator *s, uint32_t thread, const struct piece *p)
{
	struct place *q = &s->places.v[p->queue];
	bool ready = p->kind == PIECE_PUT
			 ? q->put == q->taken || q->put - q->taken + p->amount <= q->capacity
			 : !p->cause || q->put >= q->taken + p->amount;

	if (!ready)
		vec_push(&q->waiting, thread);
	return ready;
}

/* ---- tasks ---- */

/* The task is over: whoever waits for it, or its queue, goes on. */
static void finish(struct simulator *s, uint32_t thread, int64_t now)
{
	struct actor *a = &s->actors.v[thread];
	struct task t = a->tasks.v[a->first++];
	a->last = t.number + 1;
	const uint64_t *at = t.piece.uses ? map_find(&s->by_piece, t.number) : NULL;

	if (at) {
		struct done *d = &s->done.v[*at - 1];

		d->is = true;
		d->time = now;
		wake_all(s, d->waiting.v, d->waiting.n, now);
		d->waiting.n = 0;
	}
	at = t.piece.cause ? map_find(&s->by_piece, t.piece.cause - 1) : NULL;
	if (at && s->done.v[*at - 1].uses < UINT32_MAX && !--s->done.v[*at - 1].uses) {
		vec_push(&s->free_done, (uint32_t)*at - 1);
		map_remove(&s->by_piece, t.piece.cause - 1);
	}
	if (t.piece.kind != PIECE_PUT && t.piece.kind != PIECE_GET)
		return;
	struct place *q = &s->places.v[t.piece.queue];
	*(t.piece.kind == PIECE_PUT ? &q->put : &q->taken) += t.piece.amount;
	size_t n = q->waiting.n;
	q->waiting.n = 0; /* those for whom it is not enough wait again */
	wake_all(s, q->waiting.v, n, now);
}

static void end_actor(struct simulator *s, uint32_t thread, int64_t now)
{
	leave_cpu(s, &s->actors.v[thread]);
	s->actors.v[thread].over = true;
	s->live--;
	s->result.ns = now > s->result.ns ? now : s->result.ns;
}

static void give_cpus(struct simulator *s, int64_t now)
{
	while (s->free_cpus && s->first_ready < s->ready.n) {
		uint32_t thread = s->ready.v[s->first_ready++];

		s->free_cpus--;
		s->actors.v[thread].has_cpu = true;
		s->actors.v[thread].used = 0;
		schedule(s, thread, now);
	}
	if (s->first_ready == s->ready.n)
		s->ready.n = s->first_ready = 0;
}

/* Its slice, or the rest of the task; the thread is there when that is over. */
static void run_on(struct simulator *s, uint32_t thread, struct task *t, int64_t now)
{
	int64_t some = t->left < SLICE ? t->left : SLICE;

	t->left -= some;
	s->actors.v[thread].used += some;
	schedule(s, thread, now + some);
}

/* Does what the thread can do at `now`, until time has to pass. */
static void act(struct simulator *s, uint32_t thread, int64_t now)
{
	struct task *t;

	while ((t = next_task(s, thread))) {
		struct actor *a = &s->actors.v[thread];
		const struct piece *p = &t->piece;

		if (t->left < 0) {
			int64_t then = now;

			if (p->kind == PIECE_WAIT && !wait_is_over(s, thread, t, &then)) {
				block(s, thread);
				return;
			}
			t->left = p->kind == PIECE_WAIT ? then - now : length(s, p);
		}
		if (t->left && !runs(p)) {
			int64_t left = t->left;

			leave_cpu(s, a);
			t->left = 0;
			schedule(s, thread, now + left);
			return;
		}
		if (t->left && a->used >= SLICE && s->first_ready < s->ready.n)
			leave_cpu(s, a); /* others wait */
		if (t->left && !a->has_cpu) {
			vec_push(&s->ready, thread);
			return;
		}
		if (t->left) {
			run_on(s, thread, t, now);
			return;
		}
		if ((p->kind == PIECE_PUT || p->kind == PIECE_GET) &&
		    !queue_is_ready(s, thread, p)) {
			block(s, thread);
			return;
		}
		finish(s, thread, now);
	}
	end_actor(s, thread, now);
}

/* Nothing can happen any more: the thread whose task came first in the trace need not wait. */
static bool force(struct simulator *s)
{
	uint32_t best = GRAPH_NOBODY;

	for (uint32_t i = 0; i < s->actors.n; i++) {
		const struct actor *a = &s->actors.v[i];

		if (a->blocked && (best == GRAPH_NOBODY ||
				   a->tasks.v[a->first].number <
				       s->actors.v[best].tasks.v[s->actors.v[best].first].number))
			best = i;
	}
	if (best == GRAPH_NOBODY)
		return false;
	if (++s->result.forced > FORCED_MOST)
		return false;
	struct actor *a = &s->actors.v[best];
	a->blocked = false;
	finish(s, best, a->time);
	schedule(s, best, a->time);
	return true;
}

static void set_places(struct simulator *s)
{
	for (size_t q = 0; q < s->graph->queues.n; q++) {
		const struct graph_queue *from = &s->graph->queues.v[q];
		double other = s->h->capacity ? s->h->capacity[q] : NAN;
		double own = from->bounded ? (double)from->most : INFINITY;

		vec_push(&s->places, (struct place){ .capacity = isnan(other) ? own : other });
	}
}

static void free_all(struct simulator *s)
{
	for (size_t i = 0; i < s->actors.n; i++)
		vec_free(&s->actors.v[i].tasks);
	for (size_t i = 0; i < s->done.n; i++)
		vec_free(&s->done.v[i].waiting);
	for (size_t i = 0; i < s->places.n; i++)
		vec_free(&s->places.v[i].waiting);
	vec_free(&s->actors);
	vec_free(&s->done);
	vec_free(&s->free_done);
	vec_free(&s->places);
	vec_free(&s->ready);
	map_free(&s->by_piece);
	reorder_free(&s->events);
}

struct simulation simulate(struct graph *g, const struct hypothesis *h, unsigned cpus)
{
	struct simulator s = { .graph = g, .h = h, .free_cpus = cpus ? cpus : UINT32_MAX / 2 };
	void *item;

	set_places(&s);
	while (read_more(&s) && !s.live)
		;
	for (;;) {
		while ((item = reorder_pop(&s.events, true))) {
			uint32_t thread = (uint32_t)((uintptr_t)item - 1);
			struct actor *a = &s.actors.v[thread];

			int64_t now = a->time;
			if (!a->over && !a->blocked)
				act(&s, thread, now);
			give_cpus(&s, now);
		}
		if (!read_more(&s) && !s.events.n && !force(&s))
			break;
	}
	free_all(&s);
	if (s.result.forced > FORCED_MOST)
		s.result.ns = -1;
	return s.result;
}
