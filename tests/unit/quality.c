/* SPDX-License-Identifier: MIT */
/* Tests of lib/measure/quality and of the drift of driver/reduction: what is flagged, and, by
 * simulations with a fixed seed, how often by mistake. */
#include "../../driver/reduction.h"

#include "measure/quality.h"

#include "stats/estimate.h"
#include "stats/random.h"
#include "../tap.h"

enum { REPETITIONS = 1000, BATCHES = 5, MOST = 60 };

/* Fills x with noisy times; the second half is slower by the share step. */
static void fill(struct random *r, double *x, size_t n, double spread, double step)
{
	for (size_t i = 0; i < n; i++)
		x[i] = 1e-6 * (1 + (i < n / 2 ? 0 : step)) * exp(spread * random_normal(r));
}

static double unsteady_share(struct random *r, size_t n, double spread, double step)
{
	double x[MOST];
	size_t unsteady = 0;

	for (int i = 0; i < REPETITIONS; i++) {
		fill(r, x, n, spread, step);
		unsteady += !quality_is_steady(x, n);
	}
	return (double)unsteady / REPETITIONS;
}

static void test_steady(void)
{
	static const double spreads[] = { 0.005, 0.02, 0.05, 0.1, 0.2 };
	static const size_t sizes[] = { BATCHES, 25 };
	const double alike[4] = { 1, 1, 1, 1 }, wrong[4] = { 1, 1, -1, -1 };
	struct random r;

	random_seed(&r, 2001);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		for (size_t i = 0; i < sizeof(spreads) / sizeof(*spreads); i++) {
			double share = unsteady_share(&r, sizes[k], spreads[i], 0);

			/* Two passes must fail: at most one process in 80 is flagged. */
			ok(share <= 0.11, "%zu batches with %g %% of noise: %.1f %% seem unsteady",
			   sizes[k], 100 * spreads[i], 100 * share);
		}
	ok(unsteady_share(&r, BATCHES, 0.01, 0.1) > 0.95,
	   "a step of 10 %% is seen in 1 %% of noise");
	ok(unsteady_share(&r, 25, 0.01, -0.07) > 0.95, "one of 7 %% in 25 batches");
	ok(unsteady_share(&r, BATCHES, 0.001, 0.04) == 0, "a step of 4 %% is too small to count");
	ok(quality_is_steady(alike, 3) && quality_is_steady(alike, 4), "equal times are steady");
	ok(!quality_is_steady(wrong, 4), "negative times are not");
}

static void test_skewed(void)
{
	ok(!quality_is_skewed(1.09, 1) && quality_is_skewed(1.11, 1) && quality_is_skewed(0.89, 1),
	   "mean and median a tenth apart are skewed");
}

/* The mean share of n rounds in which a canary entry is said to have drifted; *half: the share of
 * repetitions in which it drifted in more than half of the rounds. */
static double moved_share(struct random *r, size_t n, double spread, double step, double *half)
{
	double x[MOST];
	bool moved[MOST];
	size_t all = 0, many = 0;

	for (int i = 0; i < REPETITIONS; i++) {
		size_t count = 0;

		fill(r, x, n, spread, step);
		reduction_find_drift(x, n, estimate_hodges_lehmann(x, n, 0.95).centre, moved);
		for (size_t k = 0; k < n; k++)
			count += moved[k];
		all += count;
		many += count > n / 2;
	}
	*half = (double)many / REPETITIONS;
	return (double)all / (double)n / REPETITIONS;
}

static void test_canary(void)
{
	static const double spreads[] = { 0.01, 0.03, 0.06, 0.1 };
	static const size_t rounds[] = { 15, 30, 60 };
	struct random r;
	double half;

	random_seed(&r, 2003);
	for (size_t k = 0; k < sizeof(rounds) / sizeof(*rounds); k++)
		for (size_t i = 0; i < sizeof(spreads) / sizeof(*spreads); i++) {
			double share = moved_share(&r, rounds[k], spreads[i], 0, &half);

			ok(share <= 0.025 && half <= 0.01,
			   "a canary with %g %% of noise seems to "
			   "move in %.1f %% of %zu rounds",
			   100 * spreads[i], 100 * share, rounds[k]);
		}
	moved_share(&r, 20, 0.01, 0.1, &half);
	ok(half > 0.99, "a machine that gets 10 %% slower half-way is seen");
	moved_share(&r, 60, 0.02, -0.1, &half);
	ok(half > 0.99, "so is one that gets faster");

	const double one[] = { 1 };
	bool moved[1] = { true };
	reduction_find_drift(one, 1, 1, moved);
	ok(!moved[0], "one round is at its centre");
}

int main(void)
{
	test_steady();
	test_skewed();
	test_canary();
	return done_testing();
}
