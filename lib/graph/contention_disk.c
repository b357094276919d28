/* SPDX-License-Identifier: MIT */
/*
 * Waits for disks.  A device that several wait for serves them at the same time or one after the
 * other, which a trace does not tell: while n wait each is taken to get an n-th of it.
 *
 * Backward, so that all waits of a moment are known at it.
 */
#include <string.h>

#include "graph/contention.h"

enum { OPEN_MOST = CONTENTION_PARTS };

/* A wait that reaches to `now`. */
struct open {
	struct contention wait;
	int64_t since; /* what was before is not known */
	struct charges charges;
};

struct pass {
	struct graph *graph;
	contention_take *take;
	void *arg;
	struct open *open;
	size_t n;
	int64_t now;
};

/* What each had of the time back to `then`. */
static void share(struct pass *s, int64_t then)
{
	int64_t length = s->n ? s->now - then : 0, each = s->n ? length / (int64_t)s->n : 0;

	for (size_t i = 0; i < s->n; i++) {
		struct open *o = &s->open[i];

		for (size_t k = 0; k < s->n; k++)
			if (k != i)
				charges_add(&o->charges, s->open[k].wait.waiter, each);
		/* Its own share, and what is left over by dividing. */
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

/* Back to that time: waits that began behind it are over. */
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
	int64_t gap = graph_gap_before(s->graph, p->end);
	struct open o = { 0 };

	go_back(s, p->end);
	o.wait = (struct contention){ RESOURCE_DISK, p->thread, GRAPH_NOBODY, p->start, p->end,
				      NULL,	     0 };
	o.since = gap == INT64_MAX ? p->end : gap > p->start ? gap : p->start;
	charges_add(&o.charges, USER_UNKNOWN, o.since - p->start);
	/* The tape is not quite in order, or there are too many. */
	int64_t known = p->end < s->now ? p->end : s->now;
	if (s->n == OPEN_MOST || known < o.since)
		known = o.since;
	charges_add(&o.charges, USER_UNKNOWN, p->end - known);
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
	for (uint64_t number = g->tape.n; number > 0;) {
		size_t n;
		const struct piece *p = tape_upto(&g->tape, number - 1, &n);

		for (number -= n; n > 0; n--)
			if (p[n - 1].kind == PIECE_DELAY && p[n - 1].end > p[n - 1].start &&
			    g->states.v[p[n - 1].state].word == disk)
				take_wait(&s, &p[n - 1]);
	}
	go_back(&s, INT64_MIN);
	free(s.open);
}
