/* SPDX-License-Identifier: MIT */
#include "graph/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/simulate_parts.h"

enum { SLICE = 3000000, LATENCY = 50000 /* ns */, FORCED_MOST = 10000 };

/* ---- lengths ---- */

static double scale(const struct simulator *s, uint16_t state)
{
	return s->h->scale ? s->h->scale[state] : 1;
}

static bool removed(const struct simulator *s, uint16_t state)
{
	return s->h->removed && s->h->removed[state];
}

static int64_t length(const struct simulator *s, const struct actor *a, const struct piece *p)
{
	int64_t enter = piece_enter(p);

	/* Waits for room are simulated by the queues themselves. */
	if (p->kind == PIECE_DELAY && p->flags & PIECE_FULL)
		return 0;
	if (p->kind == PIECE_CPU) {
		/* Who did not have to wait has kept its CPU. */
		int64_t latency = p->cause || a->stayed ? 0 : p->end - p->start;

		return (int64_t)((double)(latency < LATENCY ? latency : LATENCY) *
				 scale(s, p->state));
	}
	return llround((double)(enter - p->start) * scale(s, p->before) +
		       (double)(p->end - enter) * scale(s, p->state));
}

/* ---- waits ---- */

/* Those who need more will wait again.  Returns whether anybody waited. */
static bool wake_all(struct simulator *s, struct waiting *all, int64_t time)
{
	bool any = false;

	for (size_t i = 0; i < all->n; i++) {
		struct actor *a = &s->actors.v[all->v[i]];

		if (!a->blocked)
			continue;
		a->blocked = false;
		any = true;
		simulator_schedule(s, all->v[i], a->time > time ? a->time : time);
	}
	all->n = 0;
	return any;
}

static void leave_cpu(struct simulator *s, struct actor *a)
{
	s->free_cpus += a->has_cpu;
	a->has_cpu = false;
}

static void block(struct simulator *s, uint32_t thread)
{
	s->actors.v[thread].blocked = s->actors.v[thread].slept = true;
	leave_cpu(s, &s->actors.v[thread]);
}

/* When a message arrives over a network whose put ended at `end` in the trace, and at `time` as
 * simulated; see after_arrival() in replay.c. */
static int64_t arrival(struct simulator *s, struct actor *a, const struct piece *p, int64_t end,
		       int64_t time)
{
	const struct sim_queue *q = &s->queues.v[p->queue];
	int64_t from = end + q->way;
	int64_t first = time + llround((double)q->way * scale(s, p->state));

	if (!q->changed) {
		from = a->arrived > from ? a->arrived : from;
		first = a->arrival > first ? a->arrival : first;
	}
	a->arrived = p->end;
	a->arrival = first + llround((double)(p->end - from) * scale(s, p->state));
	return a->arrival;
}

static bool has_room(const struct sim_queue *q, double taken, double amount)
{
	return q->put == taken || q->put - taken + amount <= q->capacity;
}

static void take_out(struct sim_queue *q, double amount, int64_t now)
{
	q->taken += amount;
	vec_push(&q->freed, (struct freed){ now + q->way, q->taken });
}

static bool find_room(struct sim_queue *q, double amount, int64_t now)
{
	for (; q->first < q->freed.n && q->freed.v[q->first].at <= now; q->first++)
		q->room = q->freed.v[q->first].taken;
	vec_drop(&q->freed, q->first);
	return has_room(q, q->room, amount);
}

/* Returns whether the queue has room for so much (puts), or so much in it; if not, the thread
 * waits.
 */
static bool queue_is_ready(struct simulator *s, uint32_t thread, uint32_t queue, bool puts,
			   double amount, int64_t now)
{
	struct sim_queue *q = &s->queues.v[queue];

	if (puts ? find_room(q, amount, now) : q->put >= q->taken + amount)
		return true;
	block(s, thread);
	/* Room may have been made that the writer learns of only later; then it waits for no other
	 * thread. */
	for (size_t i = q->first; puts && i < q->freed.n; i++)
		if (has_room(q, q->freed.v[i].taken, amount)) {
			s->actors.v[thread].blocked = false;
			simulator_schedule(s, thread, q->freed.v[i].at);
			return false;
		}
	vec_push(&q->waiting, thread);
	return false;
}

/* If the piece, a wait, is over, returns true and advances *time to its end; otherwise the thread
 * waits. */
static bool wait_is_over(struct simulator *s, uint32_t thread, const struct piece *p, int64_t *time)
{
	bool guess = p->flags & PIECE_GUESS, full = p->flags & PIECE_FULL;

	/* If a wait for room is a guess, the put stands before it, and has waited. */
	if (!p->cause || removed(s, p->state) || (full && guess))
		return true;
	if ((full || p->flags & PIECE_EMPTY) && !guess && p->queue < s->queues.n)
		return queue_is_ready(s, thread, p->queue, full, 1, *time);
	const int64_t *at = simulator_at(s, p->cause - 1);
	if (!at)
		return true;
	if (*at < 0) {
		uint64_t *all = map_at(&s->by_cause, p->cause);

		if (!*all)
			*all = vec_place(&s->waiting, &s->free_waiting) + 1u;
		vec_push(&s->waiting.v[*all - 1], thread);
		block(s, thread);
		return false;
	}
	int64_t end = tape_read(&s->graph->tape, p->cause - 1)->end;
	int64_t then = p->flags & PIECE_WIRE && p->queue < s->queues.n
			   ? arrival(s, &s->actors.v[thread], p, end, *at)
			   : *at + llround((double)(p->end - end) * scale(s, p->state));
	*time = then > *time ? then : *time;
	return true;
}

/* ---- pieces ---- */

/* Wakes those who wait for the piece.  Returns whether there are any. */
static bool wake_waiting(struct simulator *s, uint64_t piece, int64_t now)
{
	const uint64_t *all = s->by_cause.n ? map_find(&s->by_cause, piece) : NULL;

	if (!all)
		return false;
	bool any = wake_all(s, &s->waiting.v[*all - 1], now);
	vec_push(&s->free_waiting, (uint32_t)*all - 1);
	map_remove(&s->by_cause, piece);
	return any;
}

/* The call that ends with this put took longer because it woke somebody in the trace, or would have
 * taken longer.  What follows makes up for that. */
static void correct_wake(struct simulator *s, struct actor *a, const struct piece *put)
{
	double cost = s->wake_cost[s->graph->states.v[put->state].word] * scale(s, put->state);

	a->owed += llround(cost) * (a->waking.wakes - a->waking.woke);
	a->waking = (struct waking){ 0 };
}

/* Ends the thread's present piece, and wakes those who wait for it or for its queue. */
static void finish(struct simulator *s, uint32_t thread, const struct piece *p, int64_t now)
{
	struct actor *a = &s->actors.v[thread];

	/* A device is waited for however fast it is. */
	a->stayed =
	    p->kind == PIECE_WAIT ? !a->slept : p->kind == PIECE_DELAY && removed(s, p->state);
	/* A put that waits for room may stand before the piece of that wait. */
	a->slept &= p->kind == PIECE_PUT;
	waking_take(&a->waking, p);
	a->waking.wakes |= p->uses && wake_waiting(s, a->piece, now);
	simulator_finish(s, thread, p, now);
	if (p->kind != PIECE_PUT && p->kind != PIECE_GET)
		return;
	struct sim_queue *q = &s->queues.v[p->queue];
	if (p->kind == PIECE_PUT)
		q->put += p->amount;
	else
		take_out(q, p->amount, now);
	a->waking.wakes |= wake_all(s, &q->waiting, now + (p->kind == PIECE_GET ? q->way : 0));
	if (p->kind == PIECE_PUT)
		correct_wake(s, a, p);
}

static void end_actor(struct simulator *s, uint32_t thread, int64_t now)
{
	leave_cpu(s, &s->actors.v[thread]);
	s->actors.v[thread].over = true;
	s->result.ns = now > s->result.ns ? now : s->result.ns;
}

static void give_cpus(struct simulator *s, int64_t now)
{
	while (s->free_cpus && s->first_ready < s->ready.n) {
		uint32_t thread = s->ready.v[s->first_ready++];

		s->free_cpus--;
		s->actors.v[thread].has_cpu = true;
		s->actors.v[thread].used = 0;
		simulator_schedule(s, thread, now);
	}
	if (s->first_ready == s->ready.n)
		s->ready.n = s->first_ready = 0;
}

/* Lets time pass for the thread.  Returns false if others act in the meantime; it goes on then. */
static bool pass(struct simulator *s, uint32_t thread, int64_t ns, int64_t *now)
{
	int64_t then = *now + ns;

	if ((s->free_cpus && s->first_ready < s->ready.n) ||
	    !reorder_is_after(&s->events, then, s->sequence)) {
		simulator_schedule(s, thread, then);
		return false;
	}
	s->actors.v[thread].time = *now = then;
	return true;
}

/* Adds what is owed to the length of the piece, as far as that does not become negative. */
static void pay(struct actor *a)
{
	int64_t left = a->left + a->owed;

	a->left = left > 0 ? left : 0;
	a->owed = left - a->left;
}

/* Lets the thread work at time `now` until it has to wait or others act first.  Returns the time of
 * that. */
static int64_t act(struct simulator *s, uint32_t thread, int64_t now)
{
	while (simulator_next(s, thread)) {
		struct actor *a = &s->actors.v[thread];
		const struct piece p = *tape_read(&s->graph->tape, a->piece - 1);

		if (a->left < 0) {
			int64_t then = now;

			if (p.kind == PIECE_WAIT && !wait_is_over(s, thread, &p, &then))
				return now;
			a->left = p.kind == PIECE_WAIT ? then - now : length(s, a, &p);
			a->slept |= a->left > 0;
			if (p.kind == PIECE_RUN)
				pay(a);
		}
		bool runs = piece_runs(&p);
		if (a->left && (!runs || (a->used >= SLICE && s->first_ready < s->ready.n)))
			leave_cpu(s, a); /* to other threads that wait for one */
		if (a->left && runs && !a->has_cpu) {
			vec_push(&s->ready, thread);
			return now;
		}
		if (a->left) {
			int64_t some = runs && a->left > SLICE ? SLICE : a->left;

			a->left -= some;
			a->used += some;
			if (!pass(s, thread, some, &now))
				return now;
			continue;
		}
		bool puts = p.kind == PIECE_PUT;
		if ((puts || (p.kind == PIECE_GET && p.cause)) &&
		    !queue_is_ready(s, thread, p.queue, puts, p.amount, now))
			return now;
		finish(s, thread, &p, now);
	}
	end_actor(s, thread, now);
	return now;
}

/* Breaks a deadlock: of all waiting pieces, the first one in the trace need not wait any longer.
 * Returns false if nothing waits or too much was forced. */
static bool force(struct simulator *s)
{
	uint32_t best = GRAPH_NOBODY;

	for (uint32_t i = 0; i < s->actors.n; i++) {
		const struct actor *a = &s->actors.v[i];

		if (a->blocked && (best == GRAPH_NOBODY || a->piece < s->actors.v[best].piece))
			best = i;
	}
	if (best == GRAPH_NOBODY)
		return false;
	if (++s->result.forced > FORCED_MOST)
		return false;
	struct actor *a = &s->actors.v[best];
	const struct piece p = *tape_read(&s->graph->tape, a->piece - 1);
	a->blocked = false;
	finish(s, best, &p, a->time);
	simulator_schedule(s, best, a->time);
	return true;
}

static void set_queues(struct simulator *s)
{
	for (size_t q = 0; q < s->graph->queues.n; q++) {
		const struct graph_queue *from = &s->graph->queues.v[q];
		double other = s->h->capacity ? s->h->capacity[q] : NAN;
		double room = (double)(from->capacity ? from->capacity : from->most);
		double own = from->bounded ? room : INFINITY;

		vec_push(&s->queues, (struct sim_queue){ .capacity = isnan(other) ? own : other,
							 .changed = !isnan(other),
							 .way = from->way });
	}
}

static void free_all(struct simulator *s)
{
	for (size_t i = 0; i < s->spans.n; i++)
		free(s->spans.v[i]);
	for (size_t i = 0; i < s->queues.n; i++) {
		vec_free(&s->queues.v[i].waiting);
		vec_free(&s->queues.v[i].freed);
	}
	vec_free(&s->actors);
	for (size_t i = 0; i < s->waiting.n; i++)
		vec_free(&s->waiting.v[i]);
	vec_free(&s->spans);
	vec_free(&s->waiting);
	vec_free(&s->free_waiting);
	for (size_t i = 0; s->shared && i < s->graph->threads.n; i++)
		vec_free(&s->shared[i].open);
	free(s->shared);
	free(s->wake_cost);
	map_free(&s->workers);
	vec_free(&s->queues);
	vec_free(&s->ready);
	map_free(&s->by_cause);
	reorder_free(&s->events);
}

struct simulation simulate(struct graph *g, const struct hypothesis *h, unsigned cpus)
{
	struct simulator s = { .graph = g, .h = h, .free_cpus = cpus ? cpus : UINT32_MAX / 2 };
	void *item;

	s.wake_cost = wakecost_find(g);
	set_queues(&s);
	simulator_share(&s);
	for (;;) {
		while ((item = reorder_pop(&s.events, true))) {
			uint32_t thread = (uint32_t)((uintptr_t)item - 1);
			struct actor *a = &s.actors.v[thread];

			int64_t now = a->time;
			if (!a->over && !a->blocked)
				now = act(&s, thread, now);
			give_cpus(&s, now);
		}
		if (!simulator_read(&s) && !s.events.n && !force(&s))
			break;
	}
	free_all(&s);
	if (s.result.forced > FORCED_MOST)
		s.result.ns = -1;
	return s.result;
}

struct simulation simulate_unchanged(struct graph *g)
{
	const double observed = (double)(g->end - g->begin);
	const struct hypothesis none = { 0 };
	const struct simulation all = simulate(g, &none, g->cpus);
	struct simulation fewer = all;
	unsigned low = 0, high = g->cpus ? g->cpus - 1 : 0;

	if (all.ns < 0 || (double)all.ns >= 0.9 * observed)
		return all;
	while (low < high) {
		unsigned middle = low + (high - low + 1) / 2;
		struct simulation s = simulate(g, &none, middle);

		if ((double)s.ns >= 0.9 * observed) {
			low = middle;
			fewer = s;
		} else {
			high = middle - 1;
		}
	}
	if (!low || (double)fewer.ns > 1.1 * observed)
		return all;
	g->cpus = low;
	return fewer;
}
