/* SPDX-License-Identifier: MIT */
#include "graph/loops.h"

#include "graph/path_walk.h"

static void no_step(void *arg, const struct path_step *step)
{
	(void)arg;
	(void)step;
}

static void note(struct loop *l, int64_t time)
{
	if (!l->laps++)
		l->last = time;
	l->first = time;
}

void loops(struct graph *g, struct loop *v)
{
	struct walk w = { .take = no_step, .at = g->end, .bound = g->begin };
	size_t n;

	for (size_t q = 0; q < g->queues.n; q++)
		v[q] = (struct loop){ .queue = (uint32_t)q };
	if (!g->last)
		return;
	w.thread = tape_from(&g->tape, g->last - 1, &n)->thread;
	for (uint64_t number = g->last; number > 0 && walk_goes_on(&w);) {
		const struct piece *p = tape_upto(&g->tape, number - 1, &n);

		for (number -= n; n > 0 && walk_goes_on(&w); n--) {
			const struct piece *one = &p[n - 1];

			if (!walk_wants(&w, number + n - 1, one))
				continue;
			if (one->kind == PIECE_WAIT && one->flags & PIECE_FULL && one->cause &&
			    one->start < w.at && one->queue < g->queues.n)
				note(&v[one->queue], one->end);
			walk_take(&w, number + n - 1, one);
		}
	}
	walk_end(&w);
}
