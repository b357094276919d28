/* SPDX-License-Identifier: MIT */
/*
 * Contention for disks.  While n threads wait for a device, each is assumed to get an n-th of it: a
 * trace does not say whether the device serves them in parallel or one after the other.
 *
 * The tape is read backward, so that at each moment all waits that include it are known.
 */
#include <string.h>

#include "graph/contention.h"

enum { OPEN_MOST = CONTENTION_PARTS };

/* A wait that includes the time `now`. */
struct open {
	struct contention wait;
	int64_t since; /* start of the part without missing events */
	struct charges charges;
};

struct pass {
	struct graph *graph;
	contention_take *take;
	void *arg;
	struct open *open;
	size_t n;
	int64_t now;
	struct site
	    *at; /* by thread: where it runs next; there, too, is what it waited in before */
};

static const struct party unknown = { .thread = USER_UNKNOWN };

/* Splits the time from `then` to `now` among the open waits. */
static void share(struct pass *s, int64_t then)
{
	int64_t length = s->n ? s->now - then : 0, each = s->n ? length / (int64_t)s->n : 0;

	for (size_t i = 0; i < s->n; i++) {
		struct open *o = &s->open[i];

		for (size_t k = 0; k < s->n; k++)
			if (k != i)
				charges_add(&o->charges, s->open[k].wait.waiter, each);
		/* Its own share, and the remainder of the division. */
		charges_add(&o->charges, o->wait.waiter, length - each * (int64_t)(s->n - 1));
	}
	s->now = then;
}

static void report(struct pass *s, struct open *o)
{
	o->wait.charges = o->charges.v;
	o->wait.n = o->charges.n;
	s->take(s->arg, &o->wait);
}

/* Moves `now` back to `then` and reports the waits that began in between. */
static void go_back(struct pass *s, int64_t then)
{
	for (;;) {
		size_t last = 0;

		for (size_t i = 1; i < s->n; i++)
			if (s->open[i].since > s->open[last].since)
				last = i;
		if (!s->n || s->open[last].since < then)
			break;
		share(s, s->open[last].since);
		report(s, &s->open[last]);
		s->open[last] = s->open[--s->n];
	}
	if (then < s->now)
		share(s, then);
}

static void take_wait(struct pass *s, const struct piece *p)
{
	struct site *at = &s->at[p->thread];
	int64_t gap = graph_gap_before(s->graph, p->end);
	struct open o = { 0 };

	go_back(s, p->end);
	if (at->user == UINT16_MAX) /* it does not run again */
		at->user = at->call = graph_user_state(s->graph, p->state);
	o.wait = (struct contention){ .resource = RESOURCE_DISK,
				      .waiter = { p->thread, *at },
				      .server = GRAPH_NOBODY,
				      .from = p->start,
				      .until = p->end };
	o.since = gap == INT64_MAX ? p->end : gap > p->start ? gap : p->start;
	charges_add(&o.charges, unknown, o.since - p->start);
	/* The tape is slightly out of order, or too many waits are open: that part is unknown. */
	int64_t known = p->end < s->now ? p->end : s->now;
	if (s->n == OPEN_MOST || known < o.since)
		known = o.since;
	charges_add(&o.charges, unknown, p->end - known);
	if (known > o.since)
		s->open[s->n++] = o;
	else
		report(s, &o);
}

void contention_disk(struct graph *g, contention_take *take, void *arg)
{
	struct pass s = { .graph = g, .take = take, .arg = arg, .now = INT64_MAX };
	size_t disk = names_find(&g->words, "disk");

	if (disk == SIZE_MAX)
		return;
	s.open = xcalloc(OPEN_MOST, sizeof(*s.open));
	s.at = xcalloc(g->threads.n + 1, sizeof(*s.at));
	for (size_t i = 0; i < g->threads.n; i++)
		s.at[i] = (struct site){ UINT16_MAX, UINT16_MAX };
	for (uint64_t number = g->tape.n; number-- > 0;) {
		const struct piece *p = tape_read(&g->tape, number);

		if (p->kind == PIECE_RUN)
			s.at[p->thread] =
			    (struct site){ p->before, p->start < p->enter ? p->before : p->state };
		else if (p->kind == PIECE_DELAY && p->end > p->start &&
			 g->states.v[p->state].word == disk)
			take_wait(&s, p);
	}
	go_back(&s, INT64_MIN);
	free(s.open);
	free(s.at);
}
