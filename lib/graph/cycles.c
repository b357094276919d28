/* SPDX-License-Identifier: MIT */
#include "graph/cycles.h"

#include <stdlib.h>

/* At `time` the number of threads in a category changes by `by`. */
struct change {
	int64_t time;
	uint8_t category;
	bool runs;
	int8_t by;
};

/* The last span of a thread, which the next one may extend. */
struct span {
	int64_t from, to;
	enum category category;
	bool runs;
};

struct sweep {
	VEC(struct change) changes;
	struct span *threads;
	const struct graph *graph;
	uint32_t program; /* of the threads that count; GRAPH_NOBODY: of all */
};

const char *cycles_name(int cycle)
{
	return cycle == TOO_FEW_THREADS ? "parallelism" : category_name((enum category)cycle);
}

static void put(struct sweep *s, const struct span *p)
{
	if (p->to <= p->from)
		return;
	vec_push(&s->changes, (struct change){ p->from, (uint8_t)p->category, p->runs, 1 });
	vec_push(&s->changes, (struct change){ p->to, (uint8_t)p->category, p->runs, -1 });
}

static void take(void *arg, const struct category_span *c)
{
	struct sweep *s = arg;
	struct span *last = &s->threads[c->thread];

	if (s->program != GRAPH_NOBODY && s->graph->threads.v[c->thread].program != s->program)
		return;
	if (last->to == c->from && last->category == c->category && last->runs == c->runs) {
		last->to = c->to;
		return;
	}
	put(s, last);
	*last = (struct span){ c->from, c->to, c->category, c->runs };
}

static int earlier(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Divides ns among the categories in proportion to their numbers of threads; the last category that
 * has any gets the remainder. */
static void divide(int64_t ns, const int64_t *threads, int64_t *out)
{
	int64_t all = 0, left = ns;
	int last = 0;

	for (int c = 0; c < CATEGORIES; c++)
		all += threads[c];
	for (int c = 0; c < CATEGORIES; c++) {
		int64_t part = all ? (int64_t)((__int128)ns * threads[c] / all) : 0;

		out[c] += part;
		left -= part;
		last = threads[c] ? c : last;
	}
	out[last] += left;
}

/* Accounts for ns during which no thread changed its category. */
static void pass(int64_t ns, int64_t processors, const int64_t *running, const int64_t *waiting,
		 int64_t *out)
{
	int64_t run = 0, wait = 0;

	for (int c = 0; c < CATEGORIES; c++) {
		run += running[c];
		wait += waiting[c];
	}
	int64_t busy = run < processors ? run : processors, idle = processors - busy;
	int64_t lost = wait < idle ? wait : idle;
	if (busy)
		divide(ns * busy, running, out);
	if (lost)
		divide(ns * lost, waiting, out);
	out[TOO_FEW_THREADS] += ns * (idle - lost);
}

int64_t cycles(struct graph *g, uint64_t call_cost, unsigned processors, uint32_t program,
	       int64_t ns[CYCLES])
{
	struct sweep s = { .threads = xcalloc(g->threads.n + 1, sizeof(*s.threads)),
			   .graph = g,
			   .program = program };
	int64_t threads[2][CATEGORIES] = { { 0 } }, at = g->begin, over = 0, run = 0;

	for (int c = 0; c < CYCLES; c++)
		ns[c] = 0;
	categories_each(g, call_cost, take, &s);
	for (size_t t = 0; t < g->threads.n; t++)
		put(&s, &s.threads[t]);
	vec_sort(&s.changes, earlier);
	for (size_t i = 0; i < s.changes.n; i++) {
		const struct change *c = &s.changes.v[i];

		if (c->time > at) {
			pass(c->time - at, processors, threads[1], threads[0], ns);
			over += run > (int64_t)processors ? c->time - at : 0;
			at = c->time;
		}
		threads[c->runs][c->category] += c->by;
		run += c->runs ? c->by : 0;
	}
	if (g->end > at)
		pass(g->end - at, processors, threads[1], threads[0], ns);
	vec_free(&s.changes);
	free(s.threads);
	return over;
}
