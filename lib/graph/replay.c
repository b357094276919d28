/* SPDX-License-Identifier: MIT */
#include "graph/replay.h"

#include <math.h>
#include <string.h>

#include "graph/forward.h"

/* One time in ns for each hypothesis. */
struct lanes {
	double v[REPLAY_LANES];
};

/* The end of a piece that others wait for. */
struct held {
	struct lanes at;
	int64_t end;
};

struct progress {
	struct lanes at;
	struct held arrival; /* of the last message that came to the thread over a network */
	uint32_t waited;     /* the state plus 1 if its last piece is a wait */
};

/* A get from a queue whose capacity is changed. */
struct taken {
	uint64_t end; /* units taken, up to and including this get */
	struct lanes at;
};

struct history {
	uint64_t put, taken;
	VEC(struct taken) gets;
	size_t first;
};

struct replay {
	struct graph *graph;
	size_t n;
	struct lanes *scale;  /* by state */
	struct lanes *way;    /* by state: of the way from the cause of a wait to its end */
	struct lanes *extra;  /* by state: `never` where its waits are removed, else 0 */
	bool removes;	      /* any wait */
	struct lanes *cap;    /* by queue: capacity, NaN: unchanged; NULL: all unchanged */
	struct history *past; /* by queue, if cap is set */
	VEC(struct progress) threads;
	VEC(uint32_t) free_threads;
	uint32_t *live; /* by thread: index in threads, plus 1 */
	struct lanes end;
};

static const double never = -1e300;

/* ---- tables ---- */

static void set_tables(struct replay *r, const struct hypothesis *h)
{
	size_t states = r->graph->states.n, queues = r->graph->queues.n;

	r->scale = xcalloc(states + 1, sizeof(*r->scale));
	r->way = xcalloc(states + 1, sizeof(*r->way));
	r->extra = xcalloc(states + 1, sizeof(*r->extra));
	for (size_t s = 0; s < states; s++)
		for (size_t l = 0; l < REPLAY_LANES; l++) {
			const struct hypothesis *x = l < r->n ? &h[l] : &(struct hypothesis){ 0 };

			r->scale[s].v[l] = x->scale ? x->scale[s] : 1;
			r->way[s].v[l] = x->way ? x->way[s] : r->scale[s].v[l];
			r->extra[s].v[l] = x->removed && x->removed[s] ? never : 0;
			r->removes |= r->extra[s].v[l] < 0;
		}
	bool any = false;
	for (size_t l = 0; l < r->n; l++)
		any |= h[l].capacity != NULL;
	if (!any)
		return;
	r->cap = xcalloc(queues + 1, sizeof(*r->cap));
	r->past = xcalloc(queues + 1, sizeof(*r->past));
	for (size_t q = 0; q < queues; q++)
		for (size_t l = 0; l < REPLAY_LANES; l++)
			r->cap[q].v[l] = l < r->n && h[l].capacity ? h[l].capacity[q] : NAN;
}

/* ---- pieces ---- */

static struct progress *thread_at(struct replay *r, const struct piece *p)
{
	uint32_t *at = &r->live[p->thread];

	if (*at)
		return &r->threads.v[*at - 1];
	*at = vec_place(&r->threads, &r->free_threads) + 1u;
	struct progress *t = &r->threads.v[*at - 1];
	*t = (struct progress){ 0 };
	for (size_t l = 0; l < REPLAY_LANES; l++)
		t->at.v[l] = p->kind == PIECE_WAIT ? never : (double)(p->start - r->graph->begin);
	return t;
}

/* The lanes of an operation never overlap; told so, compilers do several at once. */
static inline void add(struct lanes *restrict t, int64_t length, const struct lanes *restrict scale)
{
	if (!length)
		return;
	for (size_t l = 0; l < REPLAY_LANES; l++)
		t->v[l] += (double)length * scale->v[l];
}

/* t is not earlier than the cause plus the length of the way from it. */
static inline void after(struct lanes *restrict t, const struct held *restrict c, int64_t length,
			 const struct lanes *restrict scale, const struct lanes *restrict extra)
{
	for (size_t l = 0; l < REPLAY_LANES; l++) {
		double then = c->at.v[l] + (double)length * scale->v[l] + extra->v[l];

		t->v[l] = then > t->v[l] ? then : t->v[l];
	}
}

/* The wait for room p, where the capacity is unchanged; where it is changed, put() decides. */
static void after_room(struct replay *r, struct lanes *t, const struct held *c,
		       const struct piece *p)
{
	struct lanes extra = r->extra[p->state];

	for (size_t l = 0; l < REPLAY_LANES; l++)
		if (!isnan(r->cap[p->queue].v[l]))
			extra.v[l] = never;
	after(t, c, p->end - c->end, &r->way[p->state], &extra);
}

/* The thread gets a CPU that nobody else had.  Where its wait before was removed, it has kept its
 * CPU instead. */
static void resume(struct replay *r, struct progress *t, const struct piece *p)
{
	struct lanes none;

	if (!r->removes || !t->waited) {
		add(&t->at, p->end - p->start, &r->scale[p->state]);
		return;
	}
	for (size_t l = 0; l < REPLAY_LANES; l++)
		none.v[l] = r->extra[t->waited - 1].v[l] < 0 ? 0 : r->scale[p->state].v[l];
	add(&t->at, p->end - p->start, &none);
}

/*
 * A message comes out of a network behind the one before it, and not before it could be there if
 * the network were empty; from the later of both on, the network took the rest of the time for it.
 * Where the capacity is changed, that rest may have been a wait for a window, and each message
 * takes its own time.
 */
static void after_arrival(struct replay *r, struct progress *t, const struct held *c,
			  const struct piece *p)
{
	struct held *a = &t->arrival;
	int64_t way = r->graph->queues.v[p->queue].way, from = c->end + way;
	const struct lanes *scale = &r->way[p->state], *extra = &r->extra[p->state];

	from = a->end > from ? a->end : from;
	for (size_t l = 0; l < REPLAY_LANES; l++) {
		double then = c->at.v[l];

		if (r->cap && !isnan(r->cap[p->queue].v[l]))
			then += (double)(p->end - c->end) * scale->v[l];
		else
			then = fmax(then + (double)way * scale->v[l], a->at.v[l]) +
			       (double)(p->end - from) * scale->v[l];
		a->at.v[l] = then;
		t->at.v[l] = fmax(t->at.v[l], then + extra->v[l]);
	}
	a->end = p->end;
}

/* The same for a wait for room of which the cause is unknown. */
static void delay_for_room(struct replay *r, struct lanes *t, const struct piece *p)
{
	struct lanes scale = r->scale[p->state];

	for (size_t l = 0; l < REPLAY_LANES; l++)
		if (!isnan(r->cap[p->queue].v[l]))
			scale.v[l] = 0;
	add(t, p->end - p->start, &scale);
}

/* A put into a queue with a changed capacity comes after the get that made room for it. */
static void put(struct replay *r, struct lanes *t, const struct piece *p)
{
	struct history *past = &r->past[p->queue];
	const struct lanes *cap = &r->cap[p->queue];
	/* The writer learns of the room as late after the get as the fastest message took on its
	 * way. */
	double way = (double)r->graph->queues.v[p->queue].way;

	past->put += p->amount;
	for (size_t l = 0; l < r->n; l++) {
		if (isnan(cap->v[l]) || cap->v[l] >= (double)past->put)
			continue;
		double need = (double)past->put - cap->v[l];
		for (size_t i = past->first; i < past->gets.n; i++)
			if ((double)past->gets.v[i].end >= need) {
				t->v[l] = fmax(t->v[l], past->gets.v[i].at.v[l] + way);
				break;
			}
	}
}

static void get(struct replay *r, const struct lanes *t, const struct piece *p)
{
	struct history *past = &r->past[p->queue];
	double most = 0;

	for (size_t l = 0; l < r->n; l++)
		if (r->cap[p->queue].v[l] < INFINITY)
			most = fmax(most, r->cap[p->queue].v[l]);
	past->taken += p->amount;
	if (!most)
		return;
	vec_push(&past->gets, (struct taken){ past->taken, *t });
	/* Gets that no later put can have to wait for. */
	while (past->first < past->gets.n &&
	       (double)past->gets.v[past->first].end + most < (double)past->put)
		past->first++;
	vec_drop(&past->gets, past->first);
}

static void take(void *replay, const struct visit *v)
{
	struct replay *r = replay;
	const struct piece *p = v->piece;
	struct progress *thread = thread_at(r, p);
	struct lanes *t = &thread->at;
	const struct lanes *scale = &r->scale[p->state];
	const struct held *c = v->cause;

	switch (p->kind) {
	case PIECE_RUN:
		add(t, p->enter - p->start, &r->scale[p->before]);
		add(t, p->end - p->enter, scale);
		break;
	case PIECE_WAIT:
		if (c && r->cap && p->flags & PIECE_FULL)
			after_room(r, t, c, p);
		else if (c && p->flags & PIECE_WIRE)
			after_arrival(r, thread, c, p);
		else if (c)
			after(t, c, p->end - c->end, &r->way[p->state], &r->extra[p->state]);
		break;
	case PIECE_CPU:
		if (c) {
			add(t, piece_own_length(p, c->end), scale);
			after(t, c, p->end - c->end, scale, &r->extra[p->state]);
		} else {
			resume(r, thread, p);
		}
		break;
	default:
		if (r->cap && p->kind == PIECE_DELAY && p->flags & PIECE_FULL) {
			delay_for_room(r, t, p);
			break;
		}
		add(t, p->end - p->start, scale);
		if (c) /* a get; its message was there without further delay */
			after(t, c, 0, scale, &r->extra[p->state]);
		if (r->cap && p->kind == PIECE_PUT)
			put(r, t, p);
		else if (r->cap && p->kind == PIECE_GET)
			get(r, t, p);
	}
	thread->waited = piece_waits_in(p);
	if (v->keep)
		*(struct held *)v->keep = (struct held){ *t, p->end };
	if (!v->ends)
		return;
	for (size_t l = 0; l < REPLAY_LANES; l++)
		r->end.v[l] = fmax(r->end.v[l], t->v[l]);
	vec_push(&r->free_threads, (uint32_t)(thread - r->threads.v));
	r->live[p->thread] = 0;
}

static void replay_some(struct graph *g, const struct hypothesis *h, size_t n, double *ns)
{
	struct replay r = { .graph = g, .n = n };

	set_tables(&r, h);
	r.live = xcalloc(g->threads.n + 1, sizeof(*r.live));
	forward(g, sizeof(struct held), take, &r);
	memcpy(ns, r.end.v, n * sizeof(*ns));
	for (size_t q = 0; r.past && q < g->queues.n; q++)
		vec_free(&r.past[q].gets);
	free(r.scale);
	free(r.way);
	free(r.extra);
	free(r.cap);
	free(r.past);
	vec_free(&r.threads);
	vec_free(&r.free_threads);
	free(r.live);
}

void replay(struct graph *g, const struct hypothesis *h, size_t n, double *ns)
{
	for (size_t i = 0; i < n; i += REPLAY_LANES)
		replay_some(g, h + i, n - i < REPLAY_LANES ? n - i : REPLAY_LANES, ns + i);
}

void replay_totals(struct graph *g, bool waits, int64_t *ns)
{
	memset(ns, 0, g->states.n * sizeof(*ns));
	for (uint64_t number = 0; number < g->tape.n; number++) {
		const struct piece *p = tape_read(&g->tape, number);
		int64_t enter = piece_enter(p);

		if (p->kind == PIECE_WAIT && !waits)
			continue;
		ns[p->before] += enter - p->start;
		ns[p->state] += p->end - enter;
	}
}
