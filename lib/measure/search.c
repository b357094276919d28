/* SPDX-License-Identifier: MIT */
#include "measure/search.h"

#include <inttypes.h>

#include "measure/batch.h"

enum {
	STEPS = 48,	/* doublings; 2^48 operations end every wait */
	PATIENCE = 24,	/* doublings before operations too cheap to see become suspicious */
};

static int time_once(const struct bench *bench, uint64_t n, double *ticks, struct error *e)
{
	struct batch b;

	if (batch_run(bench, n, &b, e))
		return -1;
	*ticks = b.ticks;
	return 0;
}

/* Lowers *ticks to what a second try takes: the first may have been interrupted. */
static int time_again(const struct bench *bench, uint64_t n, double *ticks, struct error *e)
{
	double second;

	if (time_once(bench, n, &second, e))
		return -1;
	if (second < *ticks)
		*ticks = second;
	return 0;
}

/* 0 when n operations took clearly longer than `fewer` operations; else -1 and *e. */
static int must_grow(const struct bench *bench, uint64_t n, double ticks, uint64_t fewer,
		     double fewer_ticks, struct error *e)
{
	if (ticks >= 1.2 * fewer_ticks)
		return 0;
	if (time_again(bench, fewer, &fewer_ticks, e))
		return -1;
	if (ticks >= 1.2 * fewer_ticks)
		return 0;
	return error_set(e, "no work detected: %" PRIu64 " operations take no longer than %" PRIu64,
			 n, fewer);
}

uint64_t search_granule(const struct bench *bench)
{
	uint64_t granule = bench->granule ? bench->granule() : bench->unroll;

	return granule ? granule : 1;
}

uint64_t search_round(const struct bench *bench, double n)
{
	uint64_t granule = search_granule(bench), limit = bench->limit ? bench->limit() : 0;
	uint64_t granules = (uint64_t)(n / (double)granule);

	if (limit && granules > limit / granule)
		granules = limit / granule;
	return granules ? granules * granule : granule;
}

int search_iterations(const struct bench *bench, double target, uint64_t *n, struct error *e)
{
	uint64_t limit = bench->limit ? bench->limit() : 0, turns = search_granule(bench);
	double ticks[STEPS];

	for (int i = 0; i < STEPS && !(limit && turns > limit); i++, turns *= 2) {
		if (time_once(bench, turns, &ticks[i], e))
			return -1;
		/* A stall of a few milliseconds must not pass for work. */
		if (ticks[i] >= 0.75 * target && ticks[i] < 10 * target &&
		    time_again(bench, turns, &ticks[i], e))
			return -1;
		if (i >= PATIENCE &&
		    must_grow(bench, turns, ticks[i], turns >> 8, ticks[i - 8], e))
			return -1;
		if (i == 0 || ticks[i] < 0.75 * target)
			continue;
		int back = i > 1 ? 2 : 1;
		if (must_grow(bench, turns, ticks[i], turns >> back, ticks[i - back], e))
			return -1;
		*n = search_round(bench, (double)turns * target / ticks[i]);
		return 0;
	}
	if (!limit)
		return error_set(e, "no work detected: %" PRIu64 " operations take too little time",
				 turns / 2);
	*n = search_round(bench, (double)limit);
	return 0;
}
