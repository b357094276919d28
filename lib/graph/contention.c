/* SPDX-License-Identifier: MIT */
#include "graph/contention.h"

#include <stdlib.h>

#include "graph/contention_share.h"

enum { TURNS = 4096 /* a power of 2 */ };

/* A period in which one user had the resource. */
struct turn {
	int64_t from, until;
	struct party user;
};

/* The last TURNS turns of a resource, in order of time and without overlap. */
struct turns {
	struct turn *v; /* a ring that grows up to TURNS */
	uint64_t n;
	int64_t since;	   /* when the present user took it; that turn is not in v yet */
	struct party user; /* the present one; its thread is GRAPH_NOBODY: none */
	uint32_t only;	   /* the thread of the last turn that began, plus 1 */
	bool several;
};

struct pass {
	struct graph *graph;
	contention_take *take;
	void *arg;
	VEC(struct turns) cpus;
	struct turns *servers; /* by thread */
	uint32_t *at;	       /* by thread: its state outside of calls, plus 1; 0: not known yet */
	size_t exec;	       /* the word of states in which a thread begins another program */
	struct charges charges;
};

const struct party contention_unknown = { .thread = USER_UNKNOWN };

/* ---- turns ---- */

static const struct party idle = { .thread = USER_IDLE }, outside = { .thread = USER_OUTSIDE },
			  nobody = { .thread = GRAPH_NOBODY };

static bool is_same(struct party a, struct party b)
{
	return a.thread == b.thread && a.at.user == b.at.user && a.at.call == b.at.call;
}

static void add_turn(struct turns *t, struct party user, int64_t from, int64_t until)
{
	struct turn *last = t->n ? &t->v[(t->n - 1) % TURNS] : NULL;

	if (until <= from)
		return;
	if (last && last->until == from && is_same(last->user, user)) {
		last->until = until;
		return;
	}
	if (t->n < TURNS && !(t->n & (t->n - 1)))
		t->v = xreallocarray(t->v, t->n ? 2 * t->n : 1, sizeof(*t->v));
	t->v[t->n++ % TURNS] = (struct turn){ from, until, user };
}

void charges_add(struct charges *charges, struct party user, int64_t ns)
{
	size_t i = 0;

	if (ns <= 0)
		return;
	while (i < charges->n && !is_same(charges->v[i].user, user))
		i++;
	if (i == charges->n && i == CONTENTION_PARTS)
		charges->v[--i].user = contention_unknown;
	if (i == charges->n)
		charges->v[charges->n++] = (struct charge){ user, 0 };
	charges->v[i].ns += ns;
}

/* Charges the time between `from` and `until` to those who had the resource: the time after the
 * last turn to `last`, the time between turns and before the oldest to `other`. */
static void charge_turns(struct pass *s, const struct turns *t, int64_t from, int64_t until,
			 struct party last, struct party other)
{
	uint64_t first = t->n > TURNS ? t->n - TURNS : 0;

	for (uint64_t i = t->n; i > first && until > from; i--) {
		const struct turn *turn = &t->v[(i - 1) % TURNS];
		int64_t begin = turn->from > from ? turn->from : from;
		int64_t end = turn->until > from ? turn->until : from;

		if (begin >= until)
			continue;
		end = end < until ? end : until;
		charges_add(&s->charges, last, until - end);
		charges_add(&s->charges, turn->user, end - begin);
		last = other;
		until = begin < end ? begin : end;
	}
	charges_add(&s->charges, first ? contention_unknown : last, until - from);
}

/* Returns the thread of the piece, and where it is. */
static struct party party_of(const struct pass *s, const struct piece *p)
{
	uint32_t known = s->at[p->thread];
	uint16_t at = known ? (uint16_t)(known - 1) : graph_user_state(s->graph, p->state);

	return (struct party){ p->thread, { at, at } };
}

static void report(struct pass *s, enum resource resource, const struct piece *p, uint32_t server)
{
	const struct contention c = { .resource = resource,
				      .waiter = party_of(s, p),
				      .at = server,
				      .from = p->start,
				      .until = p->end,
				      .charges = s->charges.v,
				      .n = s->charges.n };

	s->take(s->arg, &c);
}

/* Returns from when on the wait can be explained.  Charges what was before to USER_UNKNOWN. */
static int64_t known_from(struct pass *s, const struct piece *p)
{
	int64_t from = graph_known_from(s->graph, p->start, p->end);

	s->charges.n = 0;
	charges_add(&s->charges, contention_unknown, from - p->start);
	return from;
}

/* ---- CPUs ---- */

static struct turns *cpu_of(struct pass *s, const struct piece *p)
{
	while (s->cpus.n < p->cpu)
		vec_push(&s->cpus, (struct turns){ 0 });
	return p->cpu ? &s->cpus.v[p->cpu - 1] : NULL;
}

/*
 * Charges a wait for a CPU to the threads that ran on it.  What follows the last turn of a thread
 * of the trace was idle or went outside, as its switch says; for times between turns that is not
 * recorded, so they count as outside.
 */
static void wait_for_cpu(struct pass *s, const struct piece *p)
{
	const struct turns *cpu = cpu_of(s, p);
	int64_t from = known_from(s, p);

	if (cpu)
		charge_turns(s, cpu, from, p->end, p->next ? outside : idle, outside);
	else
		charges_add(&s->charges, contention_unknown, p->end - from);
	report(s, RESOURCE_CPU, p, GRAPH_NOBODY);
}

/* ---- servers ---- */

/* From `time` on the thread works for that user, or for nobody. */
static void work_for(struct pass *s, uint32_t thread, struct party user, int64_t time)
{
	struct turns *t = &s->servers[thread];

	if (t->user.thread != GRAPH_NOBODY)
		add_turn(t, t->user, t->since, time);
	t->user = user;
	t->since = time;
	if (user.thread == GRAPH_NOBODY)
		return;
	t->several |= t->only && t->only != user.thread + 1;
	t->only = user.thread + 1;
}

static void wait_for_server(struct pass *s, const struct piece *p, uint32_t server)
{
	struct turns *t = &s->servers[server];

	if (!t->several || server == p->thread)
		return;
	/* A turn that began before the end of the wait is still the present one. */
	if (t->user.thread != GRAPH_NOBODY)
		add_turn(t, t->user, t->since, p->end);
	charge_turns(s, t, known_from(s, p), p->end, idle, idle);
	report(s, RESOURCE_SERVER, p, server);
}

/* Whom a program served, the next one of the same thread does not. */
static void begin_program(struct pass *s, const struct piece *p)
{
	struct turns *t = &s->servers[p->thread];

	work_for(s, p->thread, nobody, p->start);
	t->only = 0;
	t->several = false;
}

/* ---- pieces ---- */

static bool waits_for_more(const struct pass *s, const struct piece *p)
{
	return (p->kind == PIECE_WAIT || p->kind == PIECE_DELAY) &&
	       (p->flags & PIECE_EMPTY || s->graph->states.v[p->state].activity == WAITS_WORK);
}

static void take_turn(struct pass *s, const struct piece *p)
{
	struct turns *cpu = piece_runs(p) ? cpu_of(s, p) : NULL;

	if (piece_leaves_call(p))
		s->at[p->thread] = p->before + 1u;
	if (cpu)
		add_turn(cpu, party_of(s, p), p->start, p->end);
	if (p->kind == PIECE_CPU && p->end > p->start)
		wait_for_cpu(s, p);
}

/* by: the thread of the piece's cause, and where it was then; or nobody. */
static void serve(struct pass *s, const struct piece *p, struct party by)
{
	if (waits_for_more(s, p))
		work_for(s, p->thread, nobody, p->start);
	if (p->kind == PIECE_GET)
		work_for(s, p->thread, by, p->end);
	/* A client waits for its server in a read, or for any of its descriptors. */
	if (p->kind == PIECE_WAIT && by.thread != GRAPH_NOBODY && waits_for_more(s, p) &&
	    p->end > p->start)
		wait_for_server(s, p, by.thread);
}

static void pass(struct graph *g, bool servers, contention_take *take, void *arg)
{
	struct pass s = { .graph = g, .take = take, .arg = arg };

	s.exec = names_find(&g->words, "execve");
	s.servers = xcalloc(g->threads.n + 1, sizeof(*s.servers));
	s.at = xcalloc(g->threads.n + 1, sizeof(*s.at));
	for (size_t i = 0; i < g->threads.n; i++)
		s.servers[i].user = nobody;
	for (uint64_t number = 0; number < g->tape.n; number++) {
		/* Copied, because reading the cause may replace the page that the piece is in. */
		const struct piece p = *tape_read(&g->tape, number);
		struct party by = nobody;

		take_turn(&s, &p);
		if (servers && g->states.v[p.state].word == s.exec)
			begin_program(&s, &p);
		if (!servers || (p.kind != PIECE_GET && !piece_waits_in(&p)))
			continue;
		const struct piece *cause = tape_cause(&g->tape, &p, number);
		if (cause)
			by = (struct party){ cause->thread, { cause->before, cause->before } };
		serve(&s, &p, by);
	}
	for (size_t i = 0; i < s.cpus.n; i++)
		free(s.cpus.v[i].v);
	for (size_t i = 0; i < g->threads.n; i++)
		free(s.servers[i].v);
	vec_free(&s.cpus);
	free(s.servers);
	free(s.at);
}

void contention_cpu(struct graph *g, contention_take *take, void *arg)
{
	pass(g, false, take, arg);
}

void contention(struct graph *g, contention_take *take, void *arg)
{
	pass(g, true, take, arg);
	contention_link(g, take, arg);
	contention_disk(g, take, arg);
}
