/* SPDX-License-Identifier: MIT */
#include "measure/search.h"

#include <inttypes.h>
#include <math.h>

#include "measure/batch.h"
#include "measure/clock.h"

enum {
	STEPS = 48,    /* doublings; 2^48 operations end every wait */
	PATIENCE = 24, /* doublings before operations too cheap to see become suspicious */
	DOUBTS = 5,    /* doublings that may show no work where a batch is long enough */
	TRIES = 5,     /* at fewer operations before their time is believed */
};

/* Of the goal, so much is long enough; and of the target, the goal is so much at least. */
static const double enough = 0.75, goal_least = 0.25;

/* What a batch shall last. */
struct target {
	double seconds, tick; /* wanted; of one tick */
};

/* Ticks that a batch shall last, given that c is a call: fewer where hooks take most of the time. */
static double goal(const struct target *t, const struct call *c)
{
	double share = c->ticks * t->tick / c->wall;

	return t->seconds / t->tick * fmin(1, fmax(goal_least, SEARCH_HOOKS * share));
}

static uint64_t granule_of(const struct bench *bench)
{
	uint64_t granule = bench->granule ? bench->granule() : bench->unroll;

	return granule ? granule : 1;
}

uint64_t search_round(const struct bench *bench, double n)
{
	uint64_t granule = granule_of(bench), limit = bench->limit ? bench->limit() : 0;
	uint64_t granules = (uint64_t)(n / (double)granule);

	if (limit && granules > limit / granule)
		granules = limit / granule;
	return granules ? granules * granule : granule;
}

int search_time(const struct bench *bench, uint64_t n, struct call *c, struct error *e)
{
	uint64_t start = clock_nanoseconds();
	struct batch b;

	if (batch_run(bench, n, &b, e))
		return -1;
	*c = (struct call){ n, fmax(1, b.ticks), (double)(clock_nanoseconds() - start) * 1e-9 };
	return 0;
}

/* Lowers the times of c to what a second try takes: the first may have been interrupted. */
static int time_again(const struct bench *bench, struct call *c, struct error *e)
{
	struct call second;

	if (search_time(bench, c->n, &second, e))
		return -1;
	c->ticks = fmin(c->ticks, second.ticks);
	c->wall = fmin(c->wall, second.wall);
	return 0;
}

/*
 * Did c take longer than fewer operations do, by a quarter of what their numbers say?  A single
 * operation may take longer at first than two do later: a few tries must agree.  -1 and *e when a
 * try fails.
 */
static int grew(const struct bench *bench, const struct call *c, struct call *fewer,
		struct error *e)
{
	double growth = (double)c->n / (double)fewer->n, needed = fmin(1 + (growth - 1) / 4, 2);

	for (int i = 0; c->ticks < needed * fewer->ticks; i++) {
		if (i == TRIES)
			return 0;
		if (time_again(bench, fewer, e))
			return -1;
	}
	return 1;
}

/* c with n operations, in proportion. */
static struct call scale(const struct call *c, uint64_t n)
{
	double factor = (double)n / (double)c->n;

	return (struct call){ n, c->ticks * factor, c->wall * factor };
}

/* Times step i, and again when it took so much longer than the one before that a stall may have
 * passed for work; the first step, when it is not so long that this is unlikely. */
static int take_step(const struct bench *bench, struct call *calls, int i, uint64_t n,
		     const struct target *t, struct error *e)
{
	if (search_time(bench, n, &calls[i], e))
		return -1;
	if (calls[i].ticks < enough * goal(t, &calls[i]) ||
	    (i > 0 ? calls[i].ticks < 3 * calls[i - 1].ticks
		   : calls[i].ticks > 10 * t->seconds / t->tick))
		return 0;
	return time_again(bench, &calls[i], e);
}

/*
 * 1: step i is a batch, long enough and of work; 0: go on; -1 and *e: this is no work.  Where the
 * operations are few, one that cost more than usual hides the work of the rest: doubts are put off
 * to larger numbers.  The last step is judged however short it is: the limit ends the search there.
 */
static int judge_step(const struct bench *bench, struct call *calls, int i, bool last,
		      const struct target *t, int *doubts, struct error *e)
{
	bool long_enough = i > 0 && calls[i].ticks >= enough * goal(t, &calls[i]);
	struct call *fewer = calls;
	int grown;

	if (!long_enough)
		*doubts = 0;
	if (!long_enough && i < PATIENCE && !(last && i > 0))
		return 0;
	if (i > 1)
		fewer = long_enough || last ? &calls[i - 2] : &calls[i - 8];
	grown = grew(bench, &calls[i], fewer, e);
	if (grown)
		return grown < 0 ? -1 : long_enough;
	if (long_enough && (*doubts)++ < DOUBTS)
		return 0;
	return error_set(e, "no work detected: %" PRIu64 " operations take no longer than %" PRIu64,
			 calls[i].n, fewer->n);
}

int search_iterations(const struct bench *bench, double target, double tick, struct call *c,
		      struct error *e)
{
	const struct target t = { target, tick };
	uint64_t limit = bench->limit ? bench->limit() : 0, n = granule_of(bench);
	struct call calls[STEPS];
	int i, doubts = 0;

	for (i = 0; i < STEPS && !(i && limit && n > limit); i++, n *= 2) {
		int found;

		if (take_step(bench, calls, i, n, &t, e))
			return -1;
		found = judge_step(bench, calls, i, limit && 2 * n > limit, &t, &doubts, e);
		if (found < 0)
			return -1;
		if (found) {
			double factor = goal(&t, &calls[i]) / calls[i].ticks;

			*c = scale(&calls[i], search_round(bench, (double)n * factor));
			return 0;
		}
	}
	if (i == STEPS)
		return error_set(e, "no work detected: %" PRIu64 " operations take too little time",
				 n / 2);
	if (doubts)
		return error_set(e, "no work detected: up to %" PRIu64 " operations take the same",
				 calls[i - 1].n);
	*c = scale(&calls[i - 1], search_round(bench, (double)limit));
	return 0;
}
