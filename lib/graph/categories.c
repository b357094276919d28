/* SPDX-License-Identifier: MIT */
#include "graph/categories.h"

#include <stdlib.h>
#include <string.h>

#include "trace/event.h"

const char *category_name(enum category category)
{
	static const char *const names[CATEGORIES] = {
		[COMPUTATION] = "computation", [COMMUNICATION] = "communication",
		[SYSTEM] = "system",	       [SYNCHRONIZATION] = "synchronization",
		[CONTENTION] = "contention",   [IDLE] = "idle",
		[TRACING] = "tracing",	       [UNKNOWN] = "unknown",
	};

	return names[category];
}

/* The category of a wait that no thread of the trace ended; 0: IDLE. */
static const enum category lone[ACTIVITIES] = {
	[WAITS_DISK] = SYSTEM,		[WAITS_FAULT] = SYSTEM,
	[WAITS_LOCK] = SYNCHRONIZATION, [WAITS_CHILD] = SYNCHRONIZATION,
	[WAITS_PIPE] = SYNCHRONIZATION, [WAITS_QUEUE] = SYNCHRONIZATION,
};

/* The category of a state while the thread runs in a call, and while it waits. */
struct meaning {
	enum category call, wait;
};

static struct meaning *find_meanings(const struct graph *g)
{
	struct meaning *m = xcalloc(g->states.n + 1, sizeof(*m));

	for (size_t s = 0; s < g->states.n; s++) {
		const char *word = g->words.v[g->states.v[s].word], *last = strrchr(word, ' ');
		int kind = last ? fd_kind_parse(last + 1) : -1;
		bool moves =
		    kind == FD_PIPE || (kind >= 0 && fd_kind_is_socket((enum fd_kind)kind));

		enum category wait = lone[g->states.v[s].activity];

		m[s] = (struct meaning){ moves ? COMMUNICATION : SYSTEM, wait ? wait : IDLE };
	}
	return m;
}

struct pass {
	struct graph *graph;
	struct meaning *meaning; /* by state */
	uint64_t call_cost;
	uint32_t *call; /* by thread: the state, plus 1, of the call that its last piece ended in */
	uint32_t *scope; /* by thread: the state outside of calls, plus 1; 0: not known yet */
	bool runs;	 /* the thread has a CPU in the current piece */
	category_take *take;
	void *arg;
};

static void add(struct pass *s, uint32_t thread, int64_t from, int64_t to, enum category category)
{
	int64_t known = from + (s->graph->gaps.n ? graph_missing(s->graph, from, to) : 0);
	uint16_t scope = (uint16_t)(s->scope[thread] - 1);

	if (known > from)
		s->take(s->arg,
			&(struct category_span){ thread, from, known, UNKNOWN, s->runs, scope });
	if (to > known)
		s->take(s->arg,
			&(struct category_span){ thread, known, to, category, s->runs, scope });
}

/* Adds the part of a run that lies in a call.  Its first call_cost ns, once per call, are the cost
 * of recording it. */
static void add_call(struct pass *s, const struct piece *p)
{
	int64_t length = p->end - p->enter, cost = 0;
	uint32_t call = length ? p->state + 1u : 0;

	if (p->enter > p->start || s->call[p->thread] != call)
		cost = s->call_cost < (uint64_t)length ? (int64_t)s->call_cost : length;
	s->call[p->thread] = call;
	add(s, p->thread, p->enter, p->enter + cost, TRACING);
	add(s, p->thread, p->enter + cost, p->end, s->meaning[p->state].call);
}

/* Updates the state that the thread is in outside of calls; before it has run, that is its
 * program's "user" state. */
static void note_scope(struct pass *s, const struct piece *p)
{
	if (piece_leaves_call(p))
		s->scope[p->thread] = p->before + 1u;
	/* An empty piece has no time to add, and the first one of a thread no program. */
	if (!s->scope[p->thread] && p->start < p->end)
		s->scope[p->thread] = graph_user_state(s->graph, p->state) + 1u;
}

static void take_piece(struct pass *s, const struct piece *p, int64_t caused)
{
	const struct meaning *m = &s->meaning[p->state];
	int64_t arrives = caused > p->start ? caused : p->start;

	note_scope(s, p);
	s->runs = piece_runs(p);
	switch (p->kind) {
	case PIECE_RUN:
		add(s, p->thread, p->start, p->enter, COMPUTATION);
		add_call(s, p);
		break;
	case PIECE_WAIT:
		add(s, p->thread, p->start, arrives, SYNCHRONIZATION);
		add(s, p->thread, arrives, p->end, m->wait == SYSTEM ? SYSTEM : COMMUNICATION);
		break;
	case PIECE_DELAY: add(s, p->thread, p->start, p->end, m->wait); break;
	case PIECE_CPU: add(s, p->thread, p->start, p->end, CONTENTION); break;
	default: add(s, p->thread, p->start, p->end, m->call);
	}
}

void categories_each(struct graph *g, uint64_t call_cost, category_take *take, void *arg)
{
	struct pass s = { .graph = g, .call_cost = call_cost, .take = take, .arg = arg };

	s.meaning = find_meanings(g);
	s.call = xcalloc(g->threads.n + 1, sizeof(*s.call));
	s.scope = xcalloc(g->threads.n + 1, sizeof(*s.scope));
	for (uint64_t number = 0; number < g->tape.n; number++) {
		/* Copied, because reading the cause may replace the page that the piece is in. */
		const struct piece p = *tape_read(&g->tape, number);
		const struct piece *cause =
		    p.kind == PIECE_WAIT ? tape_cause(&g->tape, &p, number) : NULL;

		take_piece(&s, &p, cause ? cause->end : INT64_MIN);
	}
	free(s.meaning);
	free(s.call);
	free(s.scope);
}

struct sums {
	int64_t (*ns)[CATEGORIES], (*scopes)[CATEGORIES];
};

static void sum_up(void *arg, const struct category_span *c)
{
	const struct sums *s = arg;

	s->ns[c->thread][c->category] += c->to - c->from;
	if (s->scopes)
		s->scopes[c->scope][c->category] += c->to - c->from;
}

void categories(struct graph *g, uint64_t call_cost, int64_t (*ns)[CATEGORIES],
		int64_t (*scopes)[CATEGORIES])
{
	if (g->threads.n)
		memset(ns, 0, g->threads.n * sizeof(*ns));
	if (scopes && g->states.n)
		memset(scopes, 0, g->states.n * sizeof(*scopes));
	categories_each(g, call_cost, sum_up, &(struct sums){ ns, scopes });
}
