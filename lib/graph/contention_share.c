/* SPDX-License-Identifier: MIT */
#include "graph/contention_share.h"

#include <stdlib.h>

enum { OPEN_MOST = CONTENTION_PARTS };

/* A use that includes the time `now`. */
struct open_use {
	struct contention use;
	int64_t since; /* start of the part without missing events */
	struct charges charges;
};

/* Splits the time from `then` to `now` among the open uses. */
static void split(struct share *s, int64_t then)
{
	int64_t length = s->n ? s->now - then : 0, each = s->n ? length / (int64_t)s->n : 0;

	for (size_t i = 0; i < s->n; i++) {
		struct open_use *o = &s->open[i];

		for (size_t k = 0; k < s->n; k++)
			if (k != i)
				charges_add(&o->charges, s->open[k].use.waiter, each);
		/* Its own share, and the remainder of the division. */
		charges_add(&o->charges, o->use.waiter, length - each * (int64_t)(s->n - 1));
	}
	s->now = then;
}

static void report(struct share *s, struct open_use *o)
{
	o->use.charges = o->charges.v;
	o->use.n = o->charges.n;
	s->take(s->arg, &o->use);
}

/* Moves `now` back to `then` and reports the uses that began in between. */
static void go_back(struct share *s, int64_t then)
{
	for (;;) {
		size_t last = 0;

		for (size_t i = 1; i < s->n; i++)
			if (s->open[i].since > s->open[last].since)
				last = i;
		if (!s->n || s->open[last].since < then)
			break;
		split(s, s->open[last].since);
		report(s, &s->open[last]);
		s->open[last] = s->open[--s->n];
	}
	if (then < s->now)
		split(s, then);
}

struct share share_begin(struct graph *g, contention_take *take, void *arg)
{
	return (struct share){ .graph = g,
			       .take = take,
			       .arg = arg,
			       .open = xcalloc(OPEN_MOST, sizeof(struct open_use)),
			       .now = INT64_MAX };
}

void share_use(struct share *s, const struct contention *use)
{
	struct open_use o = { .use = *use };

	go_back(s, use->until);
	o.since = graph_known_from(s->graph, use->from, use->until);
	charges_add(&o.charges, contention_unknown, o.since - use->from);
	/* The uses are slightly out of order, or too many are open: that part is unknown. */
	int64_t known = use->until < s->now ? use->until : s->now;
	if (s->n == OPEN_MOST || known < o.since)
		known = o.since;
	charges_add(&o.charges, contention_unknown, use->until - known);
	if (known > o.since)
		s->open[s->n++] = o;
	else
		report(s, &o);
}

void share_flush(struct share *s)
{
	go_back(s, INT64_MIN);
	s->now = INT64_MAX;
}

void share_free(struct share *s)
{
	free(s->open);
}
