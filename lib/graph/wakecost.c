/* SPDX-License-Identifier: MIT */
#include "graph/wakecost.h"

#include <stdlib.h>

#include "util/xalloc.h"

enum { SAMPLES_LEAST = 16 };

void waking_take(struct waking *w, const struct piece *p)
{
	if (p->kind == PIECE_GET || (p->kind == PIECE_RUN && p->enter > p->start))
		*w = (struct waking){ 0 }; /* another call has begun */
	if (p->kind != PIECE_RUN)
		return;
	w->ns += p->end - p->enter;
	w->woke |= p->uses > 0;
}

double *wakecost_find(struct graph *g)
{
	struct {
		double ns, n;
	} *sums = xcalloc(2 * g->words.n + 1, sizeof(*sums)); /* by word and whether it woke */
	struct waking *threads = xcalloc(g->threads.n + 1, sizeof(*threads));
	double *cost = xcalloc(g->words.n + 1, sizeof(*cost));

	for (uint64_t i = 0; i < g->tape.n; i++) {
		const struct piece *p = tape_read(&g->tape, i);
		struct waking *w = &threads[p->thread];

		waking_take(w, p);
		if (p->kind != PIECE_PUT)
			continue;
		size_t at = 2 * (size_t)g->states.v[p->state].word + w->woke;
		sums[at].ns += (double)w->ns;
		sums[at].n++;
		*w = (struct waking){ 0 };
	}
	for (size_t i = 0; i < g->words.n; i++) {
		double n = sums[2 * i].n, woke = sums[2 * i + 1].n;
		double more = sums[2 * i + 1].ns / woke - sums[2 * i].ns / n;

		cost[i] = n >= SAMPLES_LEAST && woke >= SAMPLES_LEAST && more > 0 ? more : 0;
	}
	free(threads);
	free(sums);
	return cost;
}
