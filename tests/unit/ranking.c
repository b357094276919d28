/* SPDX-License-Identifier: MIT */
/* Tests of lib/stats/ranking. */
#include "stats/ranking.h"

#include "stats/random.h"
#include "util/xalloc.h"

#include "../tap.h"

enum { DRAWS = 4000 };

/* Draws of m things, each its centre times its own log-normal noise of spread sd, and all times
 * one noise they share. */
static double *noisy_draws(struct random *r, const double *centre, size_t m, double sd,
			   double shared)
{
	double *draws = xcalloc(DRAWS * m, sizeof(*draws));

	for (size_t d = 0; d < DRAWS; d++) {
		double common = shared * random_normal(r);

		for (size_t i = 0; i < m; i++)
			draws[d * m + i] = centre[i] * exp(common + sd * random_normal(r));
	}
	return draws;
}

static void test_order(void)
{
	double centre[] = { 3, 1, 2, 5, 4 };
	struct rank out[5];
	size_t wrong = 0;

	ranking(centre, NULL, 0, 5, 0.9, 1.03, out);
	for (size_t i = 0; i < 5; i++)
		wrong += out[i].low != (size_t)centre[i] || out[i].high != out[i].low ||
			 !isnan(out[i].best) || !isnan(out[i].loss);
	cmp_int(wrong, 0, "no draws: position is rank, shares and losses unknown");
	double close[] = { 1.05, 1, 1.02, 1.02 };
	ranking(close, NULL, 0, 4, 0.9, 1.03, out);
	ok(out[1].low == 1 && out[1].high == 3 && out[2].low == 1 && out[2].high == 4 &&
	       out[3].low == 1 && out[3].high == 4 && out[0].low == 2 && out[0].high == 4,
	   "centres 2 or 3 %% apart share ranks, 5 %% are not");
	double chain[] = { 1, 1.02, 1.04, 1.06, 1.08 };
	ranking(chain, NULL, 0, 5, 0.9, 1.03, out);
	ok(out[0].low == 1 && out[0].high == 2 && out[2].low == 2 && out[2].high == 4 &&
	       out[4].low == 4 && out[4].high == 5,
	   "in a chain of small steps each shares ranks with its neighbours");
	ranking(centre, NULL, 0, 0, 0.9, 1.03, out);
	ranking(centre, NULL, 0, 1, 0.9, 1.03, out);
	ok(out[0].low == 1 && out[0].high == 1, "one thing is first");
}

static void test_draws(void)
{
	double centre[] = { 1.4, 1, 1.005, 2 };
	struct rank out[4];
	struct random r;

	random_seed(&r, 5);
	double *draws = noisy_draws(&r, centre, 4, 0.02, 0);
	ranking(centre, draws, DRAWS, 4, 0.9, 1.03, out);
	ok(out[1].low == 1 && out[1].high == 2 && out[2].low == 1 && out[2].high == 2,
	   "two near ties share ranks 1 and 2");
	ok(out[0].low == 3 && out[0].high == 3 && out[3].low == 4 && out[3].high == 4,
	   "things far apart have one rank");
	cmp_near(out[0].best + out[1].best + out[2].best + out[3].best, 1, 1e-12,
		 "the shares of first places add to 1");
	/* P(N(0.005, 0.02 sqrt 2) > 0) = 0.570. */
	ok(out[1].best > 0.54 && out[1].best < 0.60 && out[3].best == 0, "P(best) of a near tie");
	/* The 90th percentile of 2 / 1 exp(N(0, 0.02 sqrt 2)) - 1 is 1.07; the best is nearly that
	 * of the two. */
	ok(out[3].loss > 1.04 && out[3].loss < 1.12, "loss of twice the best: %g", out[3].loss);
	ok(out[1].loss > 0.015 && out[1].loss < 0.05, "loss of a near tie: %g", out[1].loss);
	free(draws);
}

/* Noise that all share cancels in ratios: it blurs each value but not the order of pairs. */
static void test_shared_noise(void)
{
	double centre[] = { 1, 1.1, 1.21 };
	struct rank out[3];
	struct random r;

	random_seed(&r, 6);
	double *draws = noisy_draws(&r, centre, 3, 0.005, 0.5);
	ranking(centre, draws, DRAWS, 3, 0.9, 1.03, out);
	ok(out[0].high == 1 && out[1].low == 2 && out[1].high == 2 && out[2].low == 3,
	   "shared noise of 50 %% does not blur an order 10 %% apart");
	free(draws);
	draws = noisy_draws(&r, centre, 3, 0, 0.5);
	ranking(centre, draws, DRAWS, 3, 0.9, 1.03, out);
	ok(out[0].high == 1 && out[1].low == 2 && out[2].low == 3 && out[0].best == 1,
	   "things without noise of their own are ordered by their centres");
	for (size_t d = 0; d < DRAWS; d++)
		draws[d * 3 + 1] = draws[d * 3];
	centre[1] = 1;
	ranking(centre, draws, DRAWS, 3, 0.9, 1.03, out);
	ok(out[0].low == 1 && out[0].high == 2 && out[1].low == 1 && out[1].high == 2 &&
	       out[0].best == 0.5 && out[1].best == 0.5 && out[1].loss == 0,
	   "the same thing twice is a tie, each first in half of the draws");
	free(draws);
}

/* 12 things: the critical value of the largest of 66 |t| lies well above that of one, below that of
 * 66 independent ones, so a gap in between separates only when tested alone. */
static void test_simultaneous(void)
{
	double centre[12], gap = 2.2 * 0.02 * M_SQRT2;
	struct rank out[12];
	struct random r;
	size_t ordered = 0;

	random_seed(&r, 7);
	for (size_t i = 0; i < 12; i++)
		centre[i] = i ? exp(gap) : 1;
	double *draws = noisy_draws(&r, centre, 12, 0.02, 0);
	ranking(centre, draws, DRAWS, 12, 0.95, 1, out);
	for (size_t i = 0; i < 12; i++)
		ordered += out[i].low != 1 || out[i].high != 12;
	cmp_int(ordered, 0, "2.2 standard errors among 12 things are no order");
	double two[] = { 1, exp(gap) };
	free(draws);
	draws = noisy_draws(&r, two, 2, 0.02, 0);
	ranking(two, draws, DRAWS, 2, 0.95, 1, out);
	ok(out[0].high == 1 && out[1].low == 2, "between two things alone they are");
	ranking(two, draws, DRAWS, 2, 0.95, 1.03, out);
	ok(out[0].high == 2 && out[1].low == 1, "unless the difference may be below 3 %%");
	free(draws);
}

static void test_hostile(void)
{
	double centre[] = { 1, NAN, -2, INFINITY, 0 }, draws[3 * 5] = { NAN, 1, -1, INFINITY };
	struct rank out[5];
	size_t wrong = 0;

	for (size_t ndraws = 0; ndraws <= 3; ndraws++) {
		ranking(centre, draws, ndraws, 5, NAN, NAN, out);
		ranking(centre, draws, ndraws, 5, 0.9, 1.03, out);
		for (size_t i = 0; i < 5; i++)
			wrong += out[i].low < 1 || out[i].low > out[i].high || out[i].high > 5;
	}
	cmp_int(wrong, 0, "values that are no numbers leave ranks within 1 and m");
	double *many = xcalloc(1000, sizeof(*many));
	struct rank *ranks = xcalloc(1000, sizeof(*ranks));
	for (size_t i = 0; i < 1000; i++)
		many[i] = 1 + (double)((i * 7919) % 1000);
	ranking(many, NULL, 0, 1000, 0.9, 1, ranks);
	for (size_t i = 0; i < 1000; i++)
		wrong += ranks[i].low != (size_t)many[i] || ranks[i].high != ranks[i].low;
	cmp_int(wrong, 0, "a thousand things are in order");
	free(many);
	free(ranks);
}

int main(void)
{
	test_order();
	test_draws();
	test_shared_noise();
	test_simultaneous();
	test_hostile();
	return done_testing();
}
