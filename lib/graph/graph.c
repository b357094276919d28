/* SPDX-License-Identifier: MIT */
#include "graph/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	STATES_MOST = UINT16_MAX,
	GAPS_MOST = 4096,
	MESSAGES_MOST = 1 << 16, /* per queue */
	UNREAD_MOST =
	    1 << 8, /* per queue from which nobody has read: its reader is not in the trace */
};

/* ---- names ---- */

static_assert(ACTIVITIES <= 16, "an activity takes four bits of a key");

static uint64_t state_key(uint64_t program, uint64_t word, enum activity activity)
{
	return program << 36 | (uint64_t)activity << 32 | word;
}

static uint16_t state_of(struct graph *g, uint64_t key, struct graph_state state)
{
	uint64_t *at = map_at(&g->by_state, key);

	if (*at)
		return (uint16_t)(*at - 1);
	if (g->states.n == STATES_MOST) {
		g->faults.crowded++;
		return STATES_MOST - 1;
	}
	vec_push(&g->states, state);
	*at = g->states.n;
	return (uint16_t)(*at - 1);
}

uint16_t graph_state(struct graph *g, uint32_t program, uint32_t word, enum activity activity)
{
	return state_of(g, state_key(program, word, activity),
			(struct graph_state){ program, word, activity, 0 });
}

uint16_t graph_state_at(struct graph *g, uint16_t state, uint32_t place)
{
	if (!place)
		return state;
	struct graph_state s = g->states.v[state];
	s.place = place;
	return state_of(g, 1ull << 63 | (uint64_t)state << 32 | place, s);
}

uint32_t graph_find_state(const struct graph *g, uint32_t program, const char *word,
			  enum activity activity)
{
	size_t w = names_find(&g->words, word);
	const uint64_t *at =
	    w == SIZE_MAX ? NULL : map_find(&g->by_state, state_key(program, w, activity));

	return at ? (uint32_t)*at : 0;
}

uint16_t graph_user_state(const struct graph *g, uint16_t state)
{
	uint32_t user = graph_find_state(g, g->states.v[state].program, "user", RUNS_USER);

	return user ? (uint16_t)(user - 1) : state;
}

char *graph_state_name(const struct graph *g, uint16_t state)
{
	const struct graph_state *s = &g->states.v[state];
	const char *program = g->programs.v[s->program];

	return xasprintf("%s %s", *program ? program : "?", g->words.v[s->word]);
}

/* ---- pieces ---- */

/* Counts one more use of the cause and returns it.  Returns 0 for a cause that ends after its
 * effect. */
static uint64_t check_cause(struct graph *g, uint64_t cause, int64_t end)
{
	if (!cause)
		return 0;
	struct piece *c = tape_at(&g->tape, cause - 1);
	if (c->end > end) {
		g->faults.inverted++;
		return 0;
	}
	c->uses += c->uses < UINT32_MAX;
	return cause;
}

/*
 * Appends a piece of that kind, state and cause that lasts from the end of the thread's previous
 * piece until `end`.  Returns it, for the rest to be set where it is: a piece that is made
 * elsewhere and copied waits for its last members to be written.
 */
static struct piece *append(struct graph *g, uint32_t thread, enum piece_kind kind, int64_t end,
			    uint16_t state, uint64_t cause)
{
	struct graph_thread *t = &g->threads.v[thread];

	if (end < t->at) {
		g->faults.moved++;
		end = t->at;
	}
	cause = check_cause(g, cause, end);
	struct piece *p = tape_append(&g->tape);
	*p = (struct piece){ .start = t->at,
			     .end = end,
			     .cause = cause,
			     .thread = thread,
			     .state = state,
			     .kind = (uint8_t)(kind == PIECE_WAIT && !cause ? PIECE_DELAY : kind),
			     .flags = t->last ? 0 : PIECE_FIRST,
			     .cpu = t->cpu };
	if (!g->last || t->at < g->begin)
		g->begin = t->at;
	t->last = g->tape.n;
	t->at = end;
	if (!g->last || end >= g->end) {
		g->end = end;
		g->last = t->last;
	}
	return p;
}

uint64_t graph_wait(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint64_t cause,
		    uint8_t flags)
{
	append(g, t, PIECE_WAIT, time, state, cause)->flags |= flags;
	return g->tape.n;
}

uint32_t graph_thread(struct graph *g, uint32_t pid, uint32_t tid, int64_t time, uint64_t by)
{
	struct graph_thread t = { .pid = pid, .tid = tid, .begin = time, .at = time };
	uint32_t number = (uint32_t)g->threads.n;

	if (!g->programs.n)
		names_add(&g->programs, "");
	if (!g->words.n)
		names_add(&g->words, "other");
	vec_push(&g->threads, t);
	if (by)
		graph_wait(g, number, time, graph_state(g, 0, 0, WAITS_OTHER), by, 0);
	return number;
}

uint64_t graph_run(struct graph *g, uint32_t t, int64_t time, uint16_t before, int64_t enter,
		   uint16_t state)
{
	const struct graph_thread *thread = &g->threads.v[t];

	if (time == thread->at && thread->last)
		return thread->last;
	enter = enter < thread->at ? thread->at : enter;
	struct piece *p = append(g, t, PIECE_RUN, time, state, 0);
	p->enter = enter;
	p->before = before;
	return g->tape.n;
}

uint64_t graph_delay(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint8_t flags)
{
	append(g, t, PIECE_DELAY, time, state, 0)->flags |= flags;
	return g->tape.n;
}

/* ---- waits ---- */

void graph_block(struct graph *g, uint32_t t, uint16_t why)
{
	struct graph_thread *thread = &g->threads.v[t];

	thread->waits = true;
	thread->woken = false;
	thread->why = why;
	thread->cause = 0;
	thread->flags = 0;
}

bool graph_wake(struct graph *g, uint32_t t, int64_t time, uint64_t cause, uint8_t flags)
{
	struct graph_thread *thread = &g->threads.v[t];

	if (!thread->waits || thread->woken || time < thread->at)
		return false;
	thread->woken = true;
	thread->woken_at = time;
	thread->cause = cause;
	thread->flags = flags;
	return true;
}

uint64_t graph_resume(struct graph *g, uint32_t t, int64_t time, uint64_t from, uint16_t runnable)
{
	struct graph_thread *w = &g->threads.v[t];
	uint64_t wait = 0;

	if (!w->waits)
		return 0;
	w->waits = false;
	if (!w->woken)
		g->faults.no_waker++;
	if (!w->woken || w->woken_at > time)
		w->woken_at = time;
	if (w->woken_at > w->at)
		wait = graph_wait(g, t, w->woken_at, w->why, w->cause, w->flags);
	if (time > w->at)
		append(g, t, PIECE_CPU, time, runnable, from);
	return wait;
}

void graph_retract(struct graph *g, uint64_t wait)
{
	struct piece *p = tape_at(&g->tape, wait - 1);
	uint64_t cause = p->kind == PIECE_WAIT ? p->cause : 0;

	if (!cause)
		return;
	p->kind = PIECE_DELAY;
	p->cause = 0;
	p->flags &= (uint8_t)~PIECE_GUESS;
	p = tape_at(&g->tape, cause - 1);
	p->uses -= p->uses < UINT32_MAX;
}

bool graph_attach(struct graph *g, uint64_t wait, uint64_t cause)
{
	int64_t end = tape_at(&g->tape, wait - 1)->end;
	struct piece *p;

	if (!cause || cause >= wait || tape_at(&g->tape, wait - 1)->kind != PIECE_DELAY)
		return false;
	p = tape_at(&g->tape, cause - 1);
	if (p->end > end)
		return false;
	p->uses += p->uses < UINT32_MAX;
	p = tape_at(&g->tape, wait - 1);
	p->kind = PIECE_WAIT;
	p->cause = cause;
	return true;
}

/* ---- queues ---- */

uint32_t graph_queue(struct graph *g, const char *name)
{
	vec_push(&g->queues, (struct graph_queue){ .name = names_add(&g->queue_names, name) });
	return (uint32_t)g->queues.n - 1;
}

void graph_queue_end(struct graph *g, uint32_t queue)
{
	struct graph_queue *q = &g->queues.v[queue];

	g->faults.unread += q->n - q->first;
	q->first = 0;
	vec_free(q);
}

/* Removes the oldest message. */
static void drop(struct graph_queue *q)
{
	q->first++;
	vec_drop(q, q->first);
}

/* Removes the messages that were taken completely. */
static void drop_taken(struct graph_queue *q)
{
	while (q->first < q->n && q->v[q->first].end <= q->taken)
		drop(q);
}

/* Units taken that are not put yet: a write that waits for room returns after they were read. */
static uint64_t owed(const struct graph_queue *q)
{
	return q->taken > q->put ? q->taken - q->put : 0;
}

uint64_t graph_unmatched(const struct graph *g)
{
	uint64_t n = 0;

	for (size_t i = 0; i < g->queues.n; i++)
		n += owed(&g->queues.v[i]);
	return n;
}

static void take(struct graph_queue *q, uint64_t n)
{
	q->taken += n;
	drop_taken(q);
}

void graph_queue_move(struct graph *g, uint32_t from, uint32_t to)
{
	uint64_t n = owed(&g->queues.v[from]);

	g->queues.v[from].taken -= n;
	take(&g->queues.v[to], n);
}

uint64_t graph_put(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint32_t queue,
		   uint64_t n, uint64_t asked)
{
	struct piece *p = append(g, t, PIECE_PUT, time, state, asked);
	p->before = state;
	p->queue = queue;
	p->amount = (uint32_t)n;
	uint64_t piece = g->tape.n;
	struct graph_queue *q = &g->queues.v[queue];

	q->put += n;
	q->from = g->threads.v[t].program;
	/* Units that were taken before they were seen to be put need not be kept. */
	if (q->put <= q->taken)
		return piece;
	if (q->n - q->first == (q->taken ? MESSAGES_MOST : UNREAD_MOST)) {
		g->faults.unread++;
		drop(q);
	}
	vec_push(q, (struct graph_message){ q->put, piece, g->threads.v[t].at });
	q->most = q->put - q->taken > q->most ? q->put - q->taken : q->most;
	return piece;
}

const struct graph_message *graph_supplier(const struct graph *g, uint32_t queue, uint64_t n)
{
	const struct graph_queue *q = &g->queues.v[queue];

	for (size_t i = q->first; i < q->n; i++)
		if (q->v[i].end >= q->taken + n)
			return &q->v[i];
	return NULL;
}

uint64_t graph_get(struct graph *g, uint32_t t, int64_t time, uint16_t state, uint32_t queue,
		   uint64_t n)
{
	struct graph_queue *q = &g->queues.v[queue];
	const struct graph_message *m = graph_supplier(g, queue, n);
	struct piece *p = append(g, t, PIECE_GET, time, state, m ? m->piece : 0);

	p->queue = queue;
	p->amount = (uint32_t)n;
	take(q, n);
	q->to = g->threads.v[t].program;
	q->taker = q->takers[q->gets++ % TAKERS] = g->tape.n;
	return g->tape.n;
}

/* ---- gaps ---- */

void graph_lost(struct graph *g, int64_t from, int64_t until)
{
	struct graph_gap *last = g->gaps.n ? &g->gaps.v[g->gaps.n - 1] : NULL;

	until = until < from ? from : until;
	if (!last || (from > last->until && g->gaps.n < GAPS_MOST)) {
		vec_push(&g->gaps, (struct graph_gap){ from, until });
		return;
	}
	/* Gaps come nearly in order; one that does not is merged with its neighbours. */
	until = until > last->until ? until : last->until;
	while (g->gaps.n > 1 && g->gaps.v[g->gaps.n - 2].until >= from)
		last = &g->gaps.v[--g->gaps.n - 1];
	last->from = from < last->from ? from : last->from;
	last->until = until;
}

int64_t graph_missing(const struct graph *g, int64_t from, int64_t until)
{
	int64_t sum = 0;

	for (size_t i = 0; i < g->gaps.n; i++) {
		int64_t a = g->gaps.v[i].from > from ? g->gaps.v[i].from : from;
		int64_t b = g->gaps.v[i].until < until ? g->gaps.v[i].until : until;

		sum += b > a ? b - a : 0;
	}
	return sum;
}

int64_t graph_gap_before(const struct graph *g, int64_t time)
{
	size_t i;

	vec_search(i, g->gaps.n, g->gaps.v[i].from > time);
	if (!i)
		return INT64_MIN;
	return g->gaps.v[i - 1].until < time ? g->gaps.v[i - 1].until : INT64_MAX;
}

int64_t graph_known_from(const struct graph *g, int64_t from, int64_t until)
{
	int64_t gap = graph_gap_before(g, until);

	return gap == INT64_MAX ? until : gap > from ? gap : from;
}

void graph_free(struct graph *g)
{
	tape_free(&g->tape);
	for (size_t i = 0; i < g->queues.n; i++)
		free(g->queues.v[i].v);
	vec_free(&g->threads);
	vec_free(&g->states);
	vec_free(&g->queues);
	vec_free(&g->gaps);
	names_free(&g->programs);
	names_free(&g->words);
	names_free(&g->queue_names);
	map_free(&g->by_state);
}
