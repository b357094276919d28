/* SPDX-License-Identifier: MIT */
#include "graph/explain.h"

#include <stdlib.h>

#include "graph/forward.h"

enum { HOPS = 64 /* a power of 2 */ };

/* A wake-up of a thread. */
struct hop {
	uint64_t piece; /* number of its wait */
	int64_t since, time;
	uint64_t cause; /* number of the piece that ended the wait */
	uint32_t by;	/* thread of that piece */
	struct site at; /* where that thread was */
};

/* The state of a thread during the pass over the tape. */
struct follower {
	uint32_t chain;
	uint32_t woken;	  /* the chain as it was when its last wait ended, or FOREST_NONE */
	struct site site; /* outside of calls its program's "user" until it has run */
	bool ran;
	int64_t waited;	  /* ns, for other threads, so far */
	struct hop *hops; /* the last HOPS wake-ups */
	uint64_t nhops;
};

/* The end of a piece that later pieces have as their cause. */
struct kept {
	uint32_t chain, woken, thread;
	struct site site;
	int64_t end;
};

struct pass {
	struct graph *graph;
	explain_take *take;
	void *arg;
	struct forest forest;
	struct follower *threads;	/* by number */
	struct forest_items items, own; /* own: what the waker did since its last wait */
	VEC(int64_t) indirect;		/* by item */
	struct holder holders[EXPLAIN_HOLDERS + 1];
};

/* ---- chains ---- */

static uint32_t hold(struct pass *s, uint32_t chain)
{
	return chain ? forest_hold(&s->forest, chain) : FOREST_NONE;
}

static void drop(struct pass *s, uint32_t chain, uint32_t woken)
{
	forest_drop(&s->forest, chain);
	forest_drop(&s->forest, woken);
}

/* Extends a thread's chain by what it did between two times.  If a gap lies between them, a new
 * chain begins behind it, whose thread has not waited: what was before the gap does not explain
 * what is after it. */
static void go_on(struct pass *s, uint32_t *chain, uint32_t *woken, int64_t from, int64_t to,
		  uint64_t key)
{
	if (from == to)
		return;
	int64_t gap = graph_gap_before(s->graph, to);
	if (gap != INT64_MAX && gap >= from && gap != INT64_MIN) {
		drop(s, *chain, *woken);
		*chain = forest_begin(&s->forest, gap);
		*woken = FOREST_NONE;
		from = gap;
	}
	*chain = forest_add(&s->forest, *chain, key, to - from);
}

static void extend(struct pass *s, struct follower *t, int64_t from, int64_t to, uint64_t key)
{
	go_on(s, &t->chain, &t->woken, from, to, key);
}

/* ---- who kept whom waiting ---- */

static void note_hop(struct follower *t, struct hop hop)
{
	uint64_t n = t->nhops;

	/* Most threads are woken only a few times, so the ring starts small. */
	if (n < HOPS && !(n & (n - 1)))
		t->hops = xreallocarray(t->hops, n ? 2 * n : 1, sizeof(*t->hops));
	t->hops[t->nhops++ % HOPS] = hop;
	t->waited += hop.time - hop.since;
}

/* Returns the last wake-up of the thread up to that piece.  NULL: there was none, or, with
 * *forgotten, it is no longer in the ring. */
static const struct hop *last_hop(const struct follower *t, uint64_t piece, bool *forgotten)
{
	uint64_t first = t->nhops > HOPS ? t->nhops - HOPS : 0;

	for (uint64_t i = t->nhops; i > first; i--)
		if (t->hops[(i - 1) % HOPS].piece <= piece)
			return &t->hops[(i - 1) % HOPS];
	*forgotten = first > 0;
	return NULL;
}

static size_t find_holders(struct pass *s, const struct piece *p, const struct kept *cause,
			   int64_t from)
{
	struct hop h = { .cause = p->cause - 1, .by = cause->thread, .at = cause->site };
	int64_t until = p->end;
	size_t n = 0;

	for (int steps = 0; steps < EXPLAIN_HOLDERS && from < until; steps++) {
		bool forgotten = false;
		const struct hop *before = last_hop(&s->threads[h.by], h.cause, &forgotten);
		int64_t since = before && before->time > from ? before->time : from;

		if (forgotten)
			break;
		if (since < until)
			s->holders[n++] = (struct holder){ h.by, h.at, until - since };
		until = since;
		if (before)
			h = *before;
	}
	return n;
}

/* Returns for how long after `from` the waker of p waited for nobody.  Of its waits that are no
 * longer in the ring only their sum is known: they are taken to be spread evenly. */
static int64_t worked(const struct pass *s, uint32_t waker, const struct piece *p, int64_t from)
{
	const struct follower *t = &s->threads[waker];
	uint64_t first = t->nhops > HOPS ? t->nhops - HOPS : 0;
	int64_t ns = p->end - from, waited = t->waited, oldest = p->end;

	for (uint64_t i = t->nhops; i > first; i--) {
		const struct hop *h = &t->hops[(i - 1) % HOPS];

		if (h->time <= from)
			return ns;
		waited -= h->time - h->since;
		if (h->piece >= p->cause)
			continue;
		ns -= h->time - (h->since > from ? h->since : from);
		oldest = h->since;
	}
	int64_t begin = s->graph->threads.v[waker].begin, since = begin > from ? begin : from;
	if (first && oldest > since)
		waited =
		    (int64_t)((double)waited * (double)(oldest - since) / (double)(oldest - begin));
	else
		waited = 0;
	return ns > waited ? ns - waited : 0;
}

/* ---- places ---- */

/* The key of what the thread does in that state, where it is. */
static uint64_t key_in(const struct follower *t, uint16_t state)
{
	return explain_key((struct site){ t->site.user, state });
}

static void note_site(const struct graph *g, struct follower *t, const struct piece *p)
{
	if (piece_leaves_call(p)) {
		t->site = (struct site){ p->before, p->enter < p->end ? p->state : p->before };
		t->ran = true;
	} else if (!t->ran && p->start < p->end) {
		t->site.user = graph_user_state(g, p->state);
		t->site.call = p->kind == PIECE_RUN ? p->state : t->site.user;
		t->ran = p->kind == PIECE_RUN;
	} else if (p->kind == PIECE_RUN) {
		t->site.call = p->state;
	}
}

/* ---- waits ---- */

/* Finds which part of each item did not come from the waker itself since its last wait. */
static void find_indirect(struct pass *s, const struct kept *cause)
{
	int64_t begun;
	size_t k = 0;

	s->own.n = 0;
	if (cause->woken)
		forest_difference(&s->forest, cause->chain, cause->woken, &s->own, &begun);
	for (size_t i = 0; i < s->items.n; i++) {
		const struct forest_item *item = &s->items.v[i];

		while (k < s->own.n && s->own.v[k].key < item->key)
			k++;
		int64_t own = k < s->own.n && s->own.v[k].key == item->key ? s->own.v[k].ns : 0;
		bool indirect = cause->woken && !(item->key & EXPLAIN_UNKNOWN) && item->ns > own;
		vec_push(&s->indirect, indirect ? item->ns - own : 0);
	}
}

/* Adds what is unknown to the holders, so that they add up to the wait, and reports the
 * explanation. */
static void finish(struct pass *s, struct explanation *e)
{
	int64_t held = e->until - e->from;

	for (size_t i = 0; i < e->nholders; i++)
		held -= s->holders[i].ns;
	if (held)
		s->holders[e->nholders++] = (struct holder){ GRAPH_NOBODY, { 0, 0 }, held };
	e->items = s->items.v;
	e->indirect = s->indirect.v;
	e->n = s->items.n;
	e->holders = s->holders;
	s->take(s->arg, e);
}

/* Explains the wait p.  The cause's chain includes the way from the cause to the end of the wait.
 */
static void explain_wait(struct pass *s, const struct piece *p, const struct kept *cause)
{
	struct follower *t = &s->threads[p->thread];
	struct explanation e = { .waiter = p->thread,
				 .waker = GRAPH_NOBODY,
				 .waits_at = t->site,
				 .state = p->state,
				 .guess = p->flags & PIECE_GUESS,
				 .from = p->start,
				 .until = p->end };
	int64_t gap = graph_gap_before(s->graph, p->end), begun = p->end - p->start;

	s->items.n = s->indirect.n = 0;
	if (cause->end > gap) {
		int64_t from = p->start > gap ? p->start : gap;
		/* The waiter's chain is unknown if the wait began before a gap. */
		uint32_t own = p->start > gap ? forest_hold(&s->forest, t->chain)
					      : forest_begin(&s->forest, p->start);

		e.waker = cause->thread;
		e.woken_at = cause->site;
		forest_difference(&s->forest, cause->chain, own, &s->items, &begun);
		forest_drop(&s->forest, own);
		e.worked = worked(s, cause->thread, p, from);
		e.nholders = find_holders(s, p, cause, from);
	}
	if (begun)
		forest_items_add(&s->items, EXPLAIN_UNKNOWN, begun);
	find_indirect(s, cause);
	finish(s, &e);
}

/* A wait for a request that was made at its start has nothing to compare: the disk is the cause. */
static void explain_disk(struct pass *s, const struct piece *p)
{
	struct follower *t = &s->threads[p->thread];
	int64_t from = graph_known_from(s->graph, p->start, p->end), known = p->end - from;
	struct explanation e = { .waiter = p->thread,
				 .waker = known ? p->thread : GRAPH_NOBODY,
				 .waits_at = t->site,
				 .woken_at = t->site,
				 .state = p->state,
				 .guess = p->flags & PIECE_GUESS,
				 .from = p->start,
				 .until = p->end,
				 .worked = known,
				 .nholders = known > 0 };

	s->items.n = s->indirect.n = 0;
	s->holders[0] = (struct holder){ p->thread, t->site, known };
	if (known)
		forest_items_add(&s->items, key_in(t, p->state), known);
	if (from > p->start)
		forest_items_add(&s->items, EXPLAIN_UNKNOWN, from - p->start);
	find_indirect(s, &(struct kept){ 0 });
	finish(s, &e);
}

static void take_wait(struct pass *s, const struct visit *v)
{
	const struct piece *p = v->piece;
	struct follower *t = &s->threads[p->thread];

	if (!v->cause) {
		extend(s, t, p->start, p->end, EXPLAIN_UNKNOWN);
		return;
	}
	struct kept cause = *(const struct kept *)v->cause;
	if (!v->last) {
		hold(s, cause.chain);
		hold(s, cause.woken);
	}
	go_on(s, &cause.chain, &cause.woken, cause.end, p->end, key_in(t, p->state) | EXPLAIN_EDGE);
	if (!(p->flags & PIECE_FIRST) && p->end > p->start)
		explain_wait(s, p, &cause);
	forest_drop(&s->forest, cause.woken);
	drop(s, t->chain, t->woken);
	t->chain = cause.chain;
	t->woken = forest_hold(&s->forest, t->chain);
	note_hop(
	    t, (struct hop){ v->number, p->start, p->end, p->cause - 1, cause.thread, cause.site });
}

/* ---- pieces ---- */

static void take_run(struct pass *s, const struct piece *p)
{
	struct follower *t = &s->threads[p->thread];

	extend(s, t, p->start, p->enter, explain_key((struct site){ p->before, p->before }));
	extend(s, t, p->enter, p->end, key_in(t, p->state));
}

static void take_piece(void *pass, const struct visit *v)
{
	struct pass *s = pass;
	const struct piece *p = v->piece;
	const struct kept *cause = v->cause;
	struct follower *t = &s->threads[p->thread];

	if (!t->chain)
		t->chain = forest_begin(&s->forest, p->start);
	note_site(s->graph, t, p);
	/* Without a wait, the message or the CPU was there already: the thread's own chain goes on.
	 */
	if (p->kind != PIECE_WAIT && v->last)
		drop(s, cause->chain, cause->woken);
	if (p->kind == PIECE_WAIT)
		take_wait(s, v);
	else if (p->kind == PIECE_RUN)
		take_run(s, p);
	else
		extend(s, t, p->start, p->end, key_in(t, p->state));
	if (p->kind == PIECE_DELAY && p->end > p->start &&
	    s->graph->states.v[p->state].activity == WAITS_DISK)
		explain_disk(s, p);
	if (v->keep)
		*(struct kept *)v->keep = (struct kept){ hold(s, t->chain), hold(s, t->woken),
							 p->thread, t->site, p->end };
	if (v->ends) {
		drop(s, t->chain, t->woken);
		t->chain = t->woken = FOREST_NONE;
	}
}

void explain(struct graph *g, explain_take *take, void *arg)
{
	struct pass s = { .graph = g, .take = take, .arg = arg };

	s.threads = xcalloc(g->threads.n + 1, sizeof(*s.threads));
	forward(g, sizeof(struct kept), take_piece, &s);
	forest_free(&s.forest);
	for (size_t t = 0; t < g->threads.n; t++)
		free(s.threads[t].hops);
	free(s.threads);
	vec_free(&s.items);
	vec_free(&s.own);
	vec_free(&s.indirect);
}
