/* SPDX-License-Identifier: MIT */
#include "graph/stretches.h"

#include <stdlib.h>
#include <string.h>

struct stretch *stretches_event(struct stretches *s, const struct event *e)
{
	struct stretch *last = s->v.n ? &s->v.v[s->v.n - 1] : NULL;

	if (e->type != EVENT_COUNTER || !e->tid)
		return NULL;
	if (!strcmp(e->counter.name, "cpu_ns")) {
		if (!(e->counter.value > 0 && e->counter.value < 1e18))
			return NULL;
		vec_push(&s->v, (struct stretch){ .tid = e->tid,
						  .from = e->time - (int64_t)e->counter.value,
						  .to = e->time,
						  .first = s->counts.n });
		return &s->v.v[s->v.n - 1];
	}
	if (last && last->tid == e->tid && last->to == e->time && e->counter.value >= 0) {
		size_t event = names_add(&s->events, e->counter.name);

		vec_push(&s->counts, (struct counts_row){ event, e->counter.value });
		last->n++;
	}
	return NULL;
}

static int by_thread(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

void stretches_sort(struct stretches *s)
{
	vec_sort(&s->v, by_thread);
}

void stretches_between(const struct stretches *s, uint32_t tid, int64_t from, int64_t to,
		       stretch_take *take, void *arg)
{
	const struct stretch key = { .tid = tid, .to = from };
	size_t i;

	/* The first that ends later than from. */
	vec_search(i, s->v.n, by_thread(&s->v.v[i], &key) > 0);
	for (; i < s->v.n && s->v.v[i].tid == tid && s->v.v[i].from < to; i++) {
		const struct stretch *x = &s->v.v[i];

		take(arg, x, x->from > from ? x->from : from, x->to < to ? x->to : to);
	}
}

/* For stretches_between(): adds the state. */
struct in_state {
	stretch_take_state *take;
	void *arg;
	uint16_t state;
};

static void take_in_state(void *arg, const struct stretch *x, int64_t from, int64_t to)
{
	const struct in_state *s = arg;

	s->take(s->arg, x, from, to, s->state);
}

void stretches_by_state(const struct stretches *s, struct graph *g, stretch_take_state *take,
			void *arg)
{
	struct in_state in = { take, arg, 0 };

	for (uint64_t number = 0; number < g->tape.n; number++) {
		const struct piece *p = tape_read(&g->tape, number);
		uint32_t tid = g->threads.v[p->thread].tid;

		if (!piece_runs(p))
			continue;
		int64_t enter = piece_enter(p);
		in.state = p->before;
		if (enter > p->start)
			stretches_between(s, tid, p->start, enter, take_in_state, &in);
		in.state = p->state;
		if (p->end > enter)
			stretches_between(s, tid, enter, p->end, take_in_state, &in);
	}
}

void stretches_count(const struct stretches *s, const struct stretch *x, int64_t from, int64_t to,
		     struct counts *c, size_t unit, double begin)
{
	double share = (double)(to - from) / (double)(x->to - x->from);

	if (!x->n || to <= from)
		return;
	vec_push(&c->slices, (struct counts_slice){ .from = begin + (double)from * 1e-9,
						    .to = begin + (double)to * 1e-9,
						    .unit = unit,
						    .enabled = (double)(to - from),
						    .running = (double)(to - from),
						    .first = c->rows.n,
						    .n = x->n });
	for (size_t i = x->first; i < x->first + x->n; i++) {
		size_t event = names_add(&c->events, s->events.v[s->counts.v[i].event]);

		vec_push(&c->rows, (struct counts_row){ event, s->counts.v[i].count * share });
	}
}

void stretches_free(struct stretches *s)
{
	vec_free(&s->v);
	vec_free(&s->counts);
	names_free(&s->events);
}
