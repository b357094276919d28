/* SPDX-License-Identifier: MIT */
#include "graph/near.h"

#include <stdlib.h>
#include <string.h>

#include "graph/path_walk.h"

/* A chain that was not walked yet: it leaves its parent at one piece, where it takes the other way.
 */
struct chain {
	int64_t slack;
	size_t parent; /* in search.walked, plus 1; 0: none */
	uint64_t last; /* piece that it ends with, plus 1 */
	uint64_t off;  /* piece where it leaves its parent, plus 1; 0: nowhere */
};

struct search {
	struct graph *graph;
	size_t k;
	VEC(struct chain) walked; /* in the order of slack */
	VEC(struct chain) open;	  /* the k best that are known, in the order of slack */
};

/* Adds a chain to the open ones, unless there are as many better ones as are still wanted. */
static void open_chain(struct search *s, struct chain c)
{
	size_t wanted = s->k - s->walked.n, at = s->open.n;

	while (at > 0 && s->open.v[at - 1].slack > c.slack)
		at--;
	vec_insert(&s->open, at, c);
	s->open.n = s->open.n > wanted ? wanted : s->open.n;
}

/* What follows when a chain goes the other way at p. */
struct turn {
	bool possible;
	int64_t cost;  /* ns by which that way is shorter */
	int64_t at;    /* ns, where it continues */
	uint64_t next; /* the piece there, plus 1; 0: the thread's previous one */
};

static struct turn turn_at(struct graph *g, const struct walk *w, const struct piece *p)
{
	bool waits = p->kind == PIECE_WAIT || p->kind == PIECE_CPU;

	if (!p->cause || p->flags & PIECE_FIRST || (waits && p->start >= w->at))
		return (struct turn){ .possible = false };
	int64_t caused = tape_read(&g->tape, p->cause - 1)->end;
	int64_t own = piece_own_length(p, caused);

	if (waits)
		return (struct turn){ true, w->at - p->start - own, p->start + own, 0 };
	return (struct turn){ true, w->at - caused, caused, p->cause };
}

/* Whether the chain of that number goes the other way at the piece. */
static bool turns(const struct search *s, size_t number, uint64_t piece)
{
	for (size_t i = number; i; i = s->walked.v[i - 1].parent)
		if (s->walked.v[i - 1].off == piece + 1)
			return true;
	return false;
}

/* Adds a piece to the chain that is walked, the last one, or goes the other way there. */
static void visit(void *search, struct walk *w, uint64_t at, const struct piece *p)
{
	struct search *s = search;
	const size_t number = s->walked.n;
	const struct chain c = s->walked.v[number - 1];

	walk_arrive(w, p);
	struct turn t = turn_at(s->graph, w, p);
	if (t.possible && turns(s, number, at)) {
		struct piece own = *p;

		w->at = t.at;
		w->wanted = t.next;
		own.cause = 0;
		if (p->kind == PIECE_CPU)
			walk_take(w, at, &own);
		return;
	}
	/* Chains that leave it before it left its parent are those of the parent. */
	if (t.possible && (!c.off || at + 1 < c.off))
		open_chain(s, (struct chain){ c.slack + t.cost, number, c.last, at + 1 });
	walk_take(w, at, p);
}

/* Walks the last chain of `walked` from its end to the beginning of the run. */
static void walk_chain(struct search *s, const struct near_taker *taker)
{
	struct graph *g = s->graph;
	const uint64_t last = s->walked.v[s->walked.n - 1].last;
	const struct piece *p = tape_read(&g->tape, last - 1);
	struct walk w = { .graph = g,
			  .take = taker->take,
			  .arg = taker->arg,
			  .at = p->end,
			  .bound = g->begin,
			  .thread = p->thread };

	walk_back(&w, last, visit, s);
}

void near_paths(struct graph *g, size_t k, const struct near_taker *taker)
{
	struct search s = { .graph = g, .k = k };

	for (size_t t = 0; t < g->threads.n; t++)
		if (g->threads.v[t].last)
			open_chain(&s, (struct chain){ g->end - g->threads.v[t].at, 0,
						       g->threads.v[t].last, 0 });
	while (s.open.n && s.walked.n < k) {
		struct chain c = s.open.v[0];

		s.open.n--;
		memmove(s.open.v, s.open.v + 1, s.open.n * sizeof(c));
		vec_push(&s.walked, c);
		taker->begin(taker->arg, c.slack);
		walk_chain(&s, taker);
		taker->end(taker->arg);
	}
	vec_free(&s.walked);
	vec_free(&s.open);
}
