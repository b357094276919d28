/* SPDX-License-Identifier: MIT */
#include "graph/requests.h"

#include <stdlib.h>

#include "graph/path_walk.h"

enum { OPEN_MOST = 4096 };

struct active {
	struct walk walk;
	struct request request;
	bool others;   /* before `since`, the path leads to an answer on another connection */
	int64_t since; /* ns */
	uint32_t next; /* the next in the list of those that want the same piece, plus 1 */
};

struct pass {
	struct graph *graph;
	const struct request_taker *taker;
	uint32_t queue; /* only requests of this one, plus 1; 0: of all */
	VEC(struct active) v;
	VEC(uint32_t) free;
	uint32_t *by_thread; /* list of those that want the thread's next piece, plus 1 */
	struct map by_piece; /* list of those that want this piece, plus 1 */
	uint64_t left_out;
};

static void link_up(struct pass *s, uint32_t i)
{
	struct active *a = &s->v.v[i];

	if (a->walk.wanted) {
		uint64_t *at = map_at(&s->by_piece, a->walk.wanted);

		a->next = (uint32_t)*at;
		*at = i + 1u;
	} else {
		a->next = s->by_thread[a->walk.thread];
		s->by_thread[a->walk.thread] = i + 1;
	}
}

/* Work that leads to a put on another connection, back to the get or put before, is work for that
 * connection. */
static void note_connection(struct active *a, int64_t at, bool others)
{
	int64_t from = at > a->walk.bound ? at : a->walk.bound;

	if (a->others)
		a->request.others += a->since - from;
	a->others = others;
	a->since = from;
}

static void finish(struct pass *s, uint32_t i)
{
	struct active *a = &s->v.v[i];

	note_connection(a, INT64_MIN, false);
	walk_end(&a->walk);
	s->taker->end(s->taker->arg, a->walk.arg, &a->request);
	vec_push(&s->free, i);
}

static void feed_list(struct pass *s, uint32_t first, uint64_t number, const struct piece *p)
{
	for (uint32_t next; first; first = next) {
		struct active *a = &s->v.v[first - 1];

		next = a->next;
		if (!s->queue && (p->kind == PIECE_GET || p->kind == PIECE_PUT))
			note_connection(a, p->end,
					p->kind == PIECE_PUT && p->queue != a->request.queue);
		walk_take(&a->walk, number, p);
		if (walk_goes_on(&a->walk))
			link_up(s, first - 1);
		else
			finish(s, first - 1);
	}
}

static void feed(struct pass *s, uint64_t number, const struct piece *p)
{
	uint32_t first = s->by_thread[p->thread];
	const uint64_t *at = s->by_piece.n ? map_find(&s->by_piece, number + 1) : NULL;
	uint32_t wanting = at ? (uint32_t)*at : 0;

	s->by_thread[p->thread] = 0;
	if (at)
		map_remove(&s->by_piece, number + 1);
	feed_list(s, first, number, p);
	feed_list(s, wanting, number, p);
}

/* Starts a walk if p is the answer to what its cause, a get, received. */
static void begin(struct pass *s, uint64_t number, const struct piece *p)
{
	const struct piece asked = *tape_read(&s->graph->tape, p->cause - 1);
	struct active a = {
		.walk = { .graph = s->graph,
			  .take = s->taker->take,
			  .stays = true,
			  .at = p->end,
			  .bound = asked.end,
			  .thread = p->thread },
		.request = { p->thread, p->queue, asked.end, p->end, 0 },
	};

	if (asked.end >= p->end)
		return;
	if (s->v.n == OPEN_MOST && !s->free.n) {
		s->left_out++;
		return;
	}
	a.walk.arg = s->taker->begin(s->taker->arg, &a.request);
	uint32_t i = vec_place(&s->v, &s->free);
	s->v.v[i] = a;
	walk_take(&s->v.v[i].walk, number, p);
	if (walk_goes_on(&s->v.v[i].walk))
		link_up(s, i);
	else
		finish(s, i);
}

uint64_t requests(struct graph *g, uint32_t queue, const struct request_taker *taker)
{
	struct pass s = { .graph = g, .taker = taker, .queue = queue };

	s.by_thread = xcalloc(g->threads.n + 1, sizeof(*s.by_thread));
	for (uint64_t number = g->tape.n; number-- > 0;) {
		/* Copied, because reading the cause may replace the page that the piece is in. */
		const struct piece p = *tape_read(&g->tape, number);

		feed(&s, number, &p);
		if (p.kind == PIECE_PUT && p.cause && p.cause <= number &&
		    (!queue || p.queue == queue - 1))
			begin(&s, number, &p);
	}
	free(s.by_thread);
	map_free(&s.by_piece);
	vec_free(&s.v);
	vec_free(&s.free);
	return s.left_out;
}
