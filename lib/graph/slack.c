/* SPDX-License-Identifier: MIT */
#include "graph/slack.h"

#include <stdlib.h>

struct pass {
	struct graph *graph;
	uint64_t *latest;  /* by thread: latest end of its previous piece, plus 1; 0: any */
	struct map causes; /* the same for causes, by number of the piece plus 1 */
};

static void no_later(struct pass *s, uint64_t *latest, int64_t than)
{
	uint64_t value = (uint64_t)(than - s->graph->begin) + 1;

	if (!*latest || value < *latest)
		*latest = value;
}

static void take_piece(struct pass *s, uint64_t number, const struct piece *p, slack_take *take,
		       void *arg)
{
	const uint64_t *caused = p->uses ? map_find(&s->causes, number + 1) : NULL;
	uint64_t *before = &s->latest[p->thread], latest = *before;

	if (!latest)
		no_later(s, &latest, s->graph->end);
	if (caused && *caused < latest)
		latest = *caused;
	if (caused)
		map_remove(&s->causes, number + 1);
	int64_t end = (int64_t)(latest - 1) + s->graph->begin;
	take(arg, p, end - p->end);
	int64_t cause = p->cause ? tape_read(&s->graph->tape, p->cause - 1)->end : 0;
	*before = (uint64_t)(end - piece_own_length(p, cause) - s->graph->begin) + 1;
	if (!p->cause)
		return;
	/* The message of a get was there without further delay. */
	bool waits = p->kind == PIECE_WAIT || p->kind == PIECE_CPU;
	no_later(s, map_at(&s->causes, p->cause), end - (waits ? p->end - cause : 0));
}

void slack(struct graph *g, slack_take *take, void *arg)
{
	struct pass s = { .graph = g };

	s.latest = xcalloc(g->threads.n + 1, sizeof(*s.latest));
	for (uint64_t number = g->tape.n; number-- > 0;) {
		/* Copied, because reading the cause may replace the page that the piece is in. */
		const struct piece p = *tape_read(&g->tape, number);

		take_piece(&s, number, &p, take, arg);
	}
	free(s.latest);
	map_free(&s.causes);
}
