/* SPDX-License-Identifier: MIT */
#include "measure/search.h"

#include <inttypes.h>
#include <math.h>

#include "measure/clock.h"

/* A batch of this share of the goal is long enough; the goal is at least this share of the target.
 */
static const double enough = 0.3, goal_least = 0.25;

void search_note_idle(struct search *s, const struct batch *b)
{
	const double enough_to_tell = 0.1; /* of a batch */
	double seconds = batch_elapsed(b) * s->tick;

	if (seconds >= enough_to_tell * s->target)
		s->idle = fmin(s->idle, account_idle_share(&b->account, seconds));
}

int search_time(struct search *s, uint64_t n, struct timing *t, struct error *e)
{
	uint64_t start = clock_nanoseconds();
	struct batch b;

	if (batch_run(s->bench, n, s->eviction, &b, e))
		return -1;
	search_note_idle(s, &b);
	*t = (struct timing){ n, fmax(1, b.ticks / (double)b.runs),
			      (double)(clock_nanoseconds() - start) * 1e-9 };
	return 0;
}

/* Lowers *t to what a second try takes: the first may have been interrupted. */
static int time_again(struct search *s, struct timing *t, struct error *e)
{
	struct timing second;

	if (search_time(s, t->n, &second, e))
		return -1;
	t->ticks = fmin(t->ticks, second.ticks);
	t->wall = fmin(t->wall, second.wall);
	return 0;
}

/* How many ticks a batch should last, given t: fewer where hooks take most of the time. */
static double goal(const struct search *s, const struct timing *t)
{
	double share = t->ticks * s->tick / t->wall;

	return s->target / s->tick * fmin(1, fmax(goal_least, SEARCH_HOOKS * share));
}

static bool is_long_enough(const struct search *s, const struct timing *t)
{
	return t->ticks >= enough * goal(s, t);
}

/*
 * Did t take longer than fewer operations, by at least a quarter of what their numbers predict?
 * The first timing of fewer operations may have been slow, so several must agree.  1, 0, or -1 and
 * *e.
 */
static int took_longer(struct search *s, const struct timing *t, struct timing *fewer,
		       struct error *e)
{
	enum { TRIES = 5 };
	double ratio = (double)t->n / (double)fewer->n, needed = fmin(1 + (ratio - 1) / 4, 2);

	for (int i = 0; t->ticks < needed * fewer->ticks; i++) {
		if (i == TRIES)
			return 0;
		if (time_again(s, fewer, e))
			return -1;
	}
	return 1;
}

/* Times step i.  A step that is long enough is timed again if a stall may have made it so: if it is
 * much longer than the step before, or the first and not very long, or if its hooks took so long
 * that less is enough. */
static int take_step(struct search *s, struct timing *steps, int i, uint64_t n, struct error *e)
{
	struct timing *t = &steps[i];

	if (search_time(s, n, t, e))
		return -1;
	double whole = s->target / s->tick;
	bool suspect = goal(s, t) < whole ||
		       (i > 0 ? t->ticks >= 3 * steps[i - 1].ticks : t->ticks <= 10 * whole);
	return is_long_enough(s, t) && suspect ? time_again(s, t, e) : 0;
}

/*
 * Judges step i.  1: it is a batch, long enough and full of work; 0: continue; -1 and *e: this is
 * no work.  With few operations a single slow one hides the work of the others, so that a suspicion
 * is kept for larger numbers.  The last step before the limit is judged however short it is.
 */
static int judge_step(struct search *s, struct timing *steps, int i, bool last, int *suspicions,
		      struct error *e)
{
	enum {
		PATIENCE = 24,	/* doublings before operations too short to see are suspicious */
		SUSPICIONS = 5, /* doublings allowed without growth once batches are long enough */
	};
	bool long_enough = i > 0 && is_long_enough(s, &steps[i]);
	struct timing *fewer = steps;
	int longer;

	if (!long_enough)
		*suspicions = 0;
	if (!long_enough && i < PATIENCE && !(last && i > 0))
		return 0;
	if (i > 1)
		fewer = long_enough || last ? &steps[i - 2] : &steps[i - 8];
	longer = took_longer(s, &steps[i], fewer, e);
	if (longer)
		return longer < 0 ? -1 : long_enough;
	if (long_enough && (*suspicions)++ < SUSPICIONS)
		return 0;
	return error_set(e, "no work detected: %" PRIu64 " operations take no longer than %" PRIu64,
			 steps[i].n, fewer->n);
}

/* t for the number of operations next to n, in proportion. */
static struct timing scale(const struct search *s, const struct timing *t, double n)
{
	uint64_t rounded = batch_round(s->bench, n);
	double factor = (double)rounded / (double)t->n;

	return (struct timing){ rounded, t->ticks * factor, t->wall * factor };
}

int search_find(struct search *s, struct timing *t, struct error *e)
{
	enum { STEPS = 48 }; /* 2^48 operations take too long */
	uint64_t limit = batch_limit(s->bench), n = batch_multiple(s->bench);
	struct timing steps[STEPS];
	int i, suspicions = 0;

	for (i = 0; i < STEPS && !(i && limit && n > limit); i++, n *= 2) {
		if (take_step(s, steps, i, n, e))
			return -1;
		int found = judge_step(s, steps, i, limit && 2 * n > limit, &suspicions, e);
		if (found < 0)
			return -1;
		if (found) {
			*t = scale(s, &steps[i], (double)n * (goal(s, &steps[i]) / steps[i].ticks));
			return 0;
		}
	}
	if (i == STEPS)
		return error_set(e, "no work detected: %" PRIu64 " operations take too little time",
				 n / 2);
	if (suspicions)
		return error_set(e, "no work detected: up to %" PRIu64 " operations take the same",
				 steps[i - 1].n);
	*t = scale(s, &steps[i - 1], (double)limit);
	return 0;
}
