/* SPDX-License-Identifier: MIT */
#include "graph/path_walk.h"

/* Reports a step, if it has a length, that leads to the present position of the walk. */
static void report(struct walk *w, struct path_step s)
{
	s.to = w->at;
	if (s.from >= s.to)
		return;
	s.flags = (s.flags & PIECE_GUESS) | w->carried;
	w->take(w->arg, &s);
	w->carried = s.kind == STEP_EDGE ? w->carried : 0;
	w->sum += s.to - s.from;
	w->at = s.from;
}

/* Reports a step from `from` to the present position of the walk.  What the thread did in gaps of
 * the trace is unknown. */
static void step(struct walk *w, int64_t from, enum step_kind kind, uint32_t thread, uint16_t state,
		 uint8_t flags)
{
	size_t i;
	struct path_step one = { kind, thread, state, flags, 0, 0 },
			 gap = { STEP_UNKNOWN, thread, 0, 0, 0, 0 };

	from = from > w->bound ? from : w->bound;
	vec_search(i, w->graph->gaps.n, w->graph->gaps.v[i].from >= w->at);
	for (; i > 0 && w->graph->gaps.v[i - 1].until > from; i--) {
		const struct graph_gap *g = &w->graph->gaps.v[i - 1];

		one.from = g->until;
		report(w, one);
		gap.from = g->from > from ? g->from : from;
		report(w, gap);
	}
	one.from = from;
	report(w, one);
}

/* Continues with the cause of the wait p; on an anchored path only back to the beginning of the
 * wait. */
static void follow(struct walk *w, uint64_t number, const struct piece *p)
{
	if (w->anchored && !(p->flags & PIECE_FIRST) && p->start > w->bound) {
		vec_push(&w->frames, (struct walk_frame){ p->thread, w->bound });
		w->bound = p->start;
	}
	/* A larger cause occurs only if the temporary file is damaged. */
	w->wanted = p->cause <= number ? p->cause : 0;
	w->edge = *p;
	w->carried = p->flags & PIECE_FULL;
	w->carried |= p->flags & PIECE_GUESS ? STEP_GUESSED : 0;
}

void walk_arrive(struct walk *w, const struct piece *p)
{
	if (w->wanted)
		step(w, p->end, STEP_EDGE, w->edge.thread, w->edge.state, w->edge.flags);
	else
		step(w, p->end, STEP_UNKNOWN, p->thread, 0, 0);
	w->wanted = 0;
	w->thread = p->thread;
}

void walk_take(struct walk *w, uint64_t number, const struct piece *p)
{
	bool first = p->flags & PIECE_FIRST;

	walk_arrive(w, p);
	if (p->cause && (p->start < w->at || first) &&
	    (p->kind == PIECE_WAIT || (p->kind == PIECE_CPU && !w->anchored && !w->stays))) {
		follow(w, number, p);
		return;
	}
	if (p->kind == PIECE_RUN) {
		step(w, p->enter, STEP_STATE, p->thread, p->state, p->flags);
		step(w, p->start, STEP_STATE, p->thread, p->before, p->flags);
	} else {
		step(w, p->start, p->kind == PIECE_DELAY && p->cause ? STEP_EDGE : STEP_STATE,
		     p->thread, p->state, p->flags);
	}
	if (first)
		step(w, w->bound, STEP_UNKNOWN, p->thread, 0, 0);
}

bool walk_goes_on(struct walk *w)
{
	while (w->at <= w->bound) {
		if (!w->frames.n)
			return false;
		struct walk_frame f = w->frames.v[--w->frames.n];
		w->thread = f.thread;
		w->bound = f.bound;
		w->wanted = 0;
	}
	return true;
}

int64_t walk_end(struct walk *w)
{
	while (walk_goes_on(w))
		step(w, w->bound, STEP_UNKNOWN, w->thread, 0, 0);
	vec_free(&w->frames);
	return w->sum;
}

int64_t walk_back(struct walk *w, uint64_t number, walk_visit *visit, void *arg)
{
	while (number-- > 0 && walk_goes_on(w)) {
		const struct piece *p = tape_read(&w->graph->tape, number);

		if (walk_wants(w, number, p)) {
			/* Copied, because reading another piece may replace the page that it is in.
			 */
			const struct piece one = *p;

			visit(arg, w, number, &one);
		}
	}
	return walk_end(w);
}

static void visit_global(void *arg, struct walk *w, uint64_t number, const struct piece *p)
{
	(void)arg;
	walk_take(w, number, p);
}

/* If the cause of a wait ended before the wait began, an anchored path does not lead to the cause:
 * all of the wait is its way, a delay. */
static void visit_anchored(void *arg, struct walk *w, uint64_t number, const struct piece *p)
{
	struct piece one = *p;

	(void)arg;
	if (p->kind == PIECE_WAIT && p->cause &&
	    tape_read(&w->graph->tape, p->cause - 1)->end <= p->start && !(p->flags & PIECE_FIRST))
		one.kind = PIECE_DELAY;
	walk_take(w, number, &one);
}

int64_t path_global(struct graph *g, uint64_t last, int64_t from, path_take *take, void *arg)
{
	struct walk w = { .graph = g, .take = take, .arg = arg, .bound = from };

	if (!last)
		return 0;
	const struct piece *p = tape_read(&g->tape, last - 1);
	w.at = p->end;
	w.thread = p->thread;
	return walk_back(&w, last, visit_global, NULL);
}

int64_t path_anchored(struct graph *g, uint32_t thread, int64_t from, int64_t until,
		      path_take *take, void *arg)
{
	struct walk w = { .graph = g,
			  .take = take,
			  .arg = arg,
			  .anchored = true,
			  .at = until,
			  .bound = from,
			  .thread = thread };

	return walk_back(&w, g->tape.n, visit_anchored, NULL);
}
