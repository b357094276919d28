/* SPDX-License-Identifier: MIT */
#include "graph/loops.h"

#include <math.h>
#include <string.h>

#include "graph/cycleratio.h"
#include "graph/forward.h"
#include "graph/path_walk.h"

enum {
	SEEN_LEAST = 3,	  /* times that an edge must occur to count */
	EDGES_MOST = 4096 /* the most frequent edges are kept */
};
static const double too_long = 1.25; /* in multiples of the run time; see loops.h */

/*
 * How the earlier end of an edge leads to the later one, which is a put or get of a thread: the
 * same thread's previous put or get, a wake-up, the put of what it takes, or the get that made
 * room.
 */
enum edge_kind { EDGE_OWN, EDGE_WAKE, EDGE_DATA, EDGE_ROOM };

struct edge {
	uint32_t from, to; /* nodes: 2 * queue for puts, 2 * queue + 1 for gets */
	uint32_t queue;	   /* for EDGE_ROOM the queue that was full, else GRAPH_NOBODY */
	uint64_t seen;
	double delay, tokens; /* sums over all occurrences */
};

/* The last put or get on a path. */
struct transfer {
	uint32_t node; /* plus 1; 0: none */
	uint32_t queue;
	enum edge_kind kind; /* of the edge that begins there */
	double at;	     /* share of all units of its queue that had passed then */
	double since;	     /* ns of work on the path since then */
};

struct kept {
	struct transfer transfer;
	int64_t end;
};

struct pass {
	struct graph *graph;
	struct progress {
		struct transfer own, waited;
	} * threads;
	struct {
		uint64_t put, taken;
	} * queues;
	VEC(struct edge) edges;
	struct map edge_of; /* index plus 1 */
};

/* ---- the marked graph ---- */

static void add_edge(struct pass *s, const struct transfer *from, enum edge_kind kind, uint32_t to,
		     double at)
{
	uint64_t key = (uint64_t)(from->node - 1) << 33 ^ (uint64_t)to << 2 ^ kind;

	if (!from->node)
		return;
	uint64_t *place = map_at(&s->edge_of, key);
	if (!*place) {
		vec_push(&s->edges,
			 (struct edge){ from->node - 1, to,
					kind == EDGE_ROOM ? from->queue : GRAPH_NOBODY, 0, 0, 0 });
		*place = s->edges.n;
	}
	struct edge *e = &s->edges.v[*place - 1];
	e->seen++;
	e->delay += from->since;
	e->tokens += at - from->at;
}

/* Adds the edges that end in the put or get at the end of p. */
static void take_transfer(struct pass *s, const struct piece *p, const struct kept *c)
{
	struct progress *t = &s->threads[p->thread];
	bool get = p->kind == PIECE_GET;
	uint64_t *units = get ? &s->queues[p->queue].taken : &s->queues[p->queue].put;
	uint64_t all = s->graph->queues.v[p->queue].put;
	uint32_t node = 2 * p->queue + get;

	*units += p->amount;
	double at = (double)*units / (double)(all ? all : 1);
	add_edge(s, &t->own, EDGE_OWN, node, at);
	add_edge(s, &t->waited, t->waited.kind, node, at);
	if (get && c)
		add_edge(s, &c->transfer, EDGE_DATA, node, at);
	t->own = (struct transfer){ .node = node + 1, .at = at };
	t->waited.node = 0;
}

static void take(void *pass, const struct visit *v)
{
	struct pass *s = pass;
	const struct piece *p = v->piece;
	const struct kept *c = v->cause;
	struct progress *t = &s->threads[p->thread];
	double length = (double)(p->end - p->start);
	bool transfers = p->kind == PIECE_PUT || p->kind == PIECE_GET;

	if (p->kind == PIECE_WAIT && c) {
		bool room = p->flags & PIECE_FULL && p->queue < s->graph->queues.n;

		t->waited = c->transfer;
		t->waited.since += (double)(p->end - c->end);
		t->waited.kind = room ? EDGE_ROOM : EDGE_WAKE;
		t->waited.queue = room ? p->queue : GRAPH_NOBODY;
	} else if (p->kind != PIECE_WAIT && !(p->flags & (PIECE_FULL | PIECE_EMPTY))) {
		t->own.since += length;
		t->waited.since += length;
	}
	if (transfers && p->queue < s->graph->queues.n)
		take_transfer(s, p, c);
	if (v->keep)
		*(struct kept *)v->keep = (struct kept){ t->own, p->end };
}

static int more_seen(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->seen != y->seen)
		return (x->seen < y->seen) - (x->seen > y->seen);
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
				  : (x->to > y->to) - (x->to < y->to);
}

static void make_edges(struct pass *s)
{
	struct graph *g = s->graph;

	s->threads = xcalloc(g->threads.n + 1, sizeof(*s->threads));
	s->queues = xcalloc(g->queues.n + 1, sizeof(*s->queues));
	forward(g, sizeof(struct kept), take, s);
	vec_sort(&s->edges, more_seen);
	if (s->edges.n > EDGES_MOST)
		s->edges.n = EDGES_MOST;
	while (s->edges.n && s->edges.v[s->edges.n - 1].seen < SEEN_LEAST)
		s->edges.n--;
	free(s->threads);
	free(s->queues);
	map_free(&s->edge_of);
}

/* ---- its loops ---- */

/* Converts the edges to those of cycleratio.h, with nodes numbered from 0.  Returns the number of
 * nodes. */
static uint32_t number_nodes(const struct pass *s, struct cycle_edge *v)
{
	struct map numbers = { 0 };

	for (size_t i = 0; i < s->edges.n; i++) {
		const struct edge *e = &s->edges.v[i];
		const uint32_t ends[] = { e->from, e->to };

		v[i] = (struct cycle_edge){ .delay = e->delay / (double)e->seen,
					    .tokens = e->tokens / (double)e->seen };
		for (int k = 0; k < 2; k++) {
			uint64_t *at = map_at(&numbers, ends[k]);

			*at = *at ? *at : numbers.n;
			*(k ? &v[i].to : &v[i].from) = (uint32_t)*at - 1;
		}
	}
	uint32_t n = (uint32_t)numbers.n;
	map_free(&numbers);
	return n;
}

/* Removes the edges that wait for room in `queue`, or, if that is GRAPH_NOBODY, the edge
 * `number`. */
static void leave_out(struct pass *s, uint32_t queue, size_t number)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->edges.n; i++)
		if (queue == GRAPH_NOBODY ? i != number : s->edges.v[i].queue != queue)
			s->edges.v[kept++] = s->edges.v[i];
	s->edges.n = kept;
}

static uint32_t program_of(const struct graph *g, uint32_t node)
{
	const struct graph_queue *q = &g->queues.v[node / 2];

	return node % 2 ? q->to : q->from;
}

static struct loop describe(const struct pass *s, const struct cycle_edge *v, const uint32_t *cycle,
			    size_t length)
{
	struct loop l = { .queue = GRAPH_NOBODY };
	double tokens = 0, slowest = -1;

	for (size_t i = 0; i < length; i++) {
		const struct edge *e = &s->edges.v[cycle[i]];
		double delay = v[cycle[i]].delay;

		l.lap += delay;
		tokens += v[cycle[i]].tokens;
		if (l.queue == GRAPH_NOBODY)
			l.queue = e->queue;
		if (delay <= slowest)
			continue;
		slowest = delay;
		l.from = program_of(s->graph, e->from);
		l.to = program_of(s->graph, e->to);
	}
	l.bound = l.lap / tokens;
	l.units = l.queue == GRAPH_NOBODY ? NAN : tokens * (double)s->graph->queues.v[l.queue].put;
	return l;
}

static size_t rarest(const struct pass *s, const uint32_t *cycle, size_t length)
{
	size_t best = cycle[0];

	for (size_t i = 1; i < length; i++)
		if (s->edges.v[cycle[i]].seen < s->edges.v[best].seen)
			best = cycle[i];
	return best;
}

/* ---- laps ---- */

static void no_step(void *arg, const struct path_step *step)
{
	(void)arg;
	(void)step;
}

/* Counts, by queue, how often the path waits for room in it. */
static void count_lap(void *arg, struct walk *w, uint64_t number, const struct piece *p)
{
	uint64_t *laps = arg;

	if (p->kind == PIECE_WAIT && p->flags & PIECE_FULL && p->cause && p->start < w->at &&
	    p->queue < w->graph->queues.n)
		laps[p->queue]++;
	walk_take(w, number, p);
}

static void count_laps(struct graph *g, uint64_t *laps)
{
	struct walk w = { .graph = g, .take = no_step, .at = g->end, .bound = g->begin };

	w.thread = tape_read(&g->tape, g->last - 1)->thread;
	walk_back(&w, g->last, count_lap, laps);
}

/* Finds the binding loops, and sets the laps of their queues to 0. */
static size_t find_loops(struct pass *s, uint64_t *laps, struct loop *v, size_t most)
{
	struct cycle_edge *edges = xcalloc(s->edges.n + 1, sizeof(*edges));
	uint32_t *cycle = xcalloc(s->edges.n + 1, sizeof(*cycle));
	size_t n = 0, length;

	while (n < most) {
		uint32_t nodes = number_nodes(s, edges);
		double bound = cycle_ratio(nodes, edges, s->edges.n, cycle, &length);

		if (!length)
			break;
		if (bound > too_long * (double)(s->graph->end - s->graph->begin)) {
			leave_out(s, GRAPH_NOBODY, rarest(s, cycle, length));
			continue;
		}
		struct loop *l = &v[n++];
		*l = describe(s, edges, cycle, length);
		if (l->queue == GRAPH_NOBODY)
			break;
		l->laps = laps[l->queue];
		laps[l->queue] = 0;
		leave_out(s, l->queue, 0);
	}
	free(edges);
	free(cycle);
	return n;
}

static int more_laps(const void *a, const void *b)
{
	const struct loop *x = a, *y = b;

	return x->laps != y->laps ? (x->laps < y->laps) - (x->laps > y->laps)
				  : (x->queue > y->queue) - (x->queue < y->queue);
}

/* Finds the other queues in which the critical path waits for room. */
static size_t find_chances(const struct graph *g, const uint64_t *laps, struct loop *v, size_t most)
{
	VEC(struct loop) all = { 0 };

	for (uint32_t i = 0; i < g->queues.n; i++) {
		const struct graph_queue *q = &g->queues.v[i];
		double units = (double)(q->capacity ? q->capacity : q->most);

		if (laps[i])
			vec_push(&all,
				 (struct loop){ i, q->from, q->to, units, NAN, NAN, laps[i] });
	}
	vec_sort(&all, more_laps);
	size_t n = all.n < most ? all.n : most;
	if (n)
		memcpy(v, all.v, n * sizeof(*v));
	vec_free(&all);
	return n;
}

size_t loops(struct graph *g, struct loop *v, size_t most)
{
	struct pass s = { .graph = g };

	if (!g->last)
		return 0;
	uint64_t *laps = xcalloc(g->queues.n + 1, sizeof(*laps));
	count_laps(g, laps);
	make_edges(&s);
	size_t n = find_loops(&s, laps, v, most);
	n += find_chances(g, laps, v + n, most - n);
	vec_free(&s.edges);
	free(laps);
	return n;
}
