/* SPDX-License-Identifier: MIT */
/* Tests of lib/measure/quality: what is flagged, and, by simulations with a fixed seed, how often
 * by mistake. */
#include "measure/quality.h"

#include "stats/estimate.h"
#include "stats/random.h"
#include "../tap.h"

enum { REPETITIONS = 2000, BATCHES = 11, MOST = 25 };

/* n batches with noise; from half on so much slower. */
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
	ok(unsteady_share(&r, BATCHES, 0.02, 0.1) > 0.95,
	   "a step of 10 %% is seen in 2 %% of noise");
	ok(unsteady_share(&r, BATCHES, 0.01, -0.07) > 0.95, "one of 7 %% in 1 %%");
	ok(unsteady_share(&r, BATCHES, 0.001, 0.04) == 0, "one of 4 %% is none");
	ok(quality_is_steady(alike, 3) && quality_is_steady(alike, 4),
	   "what is all alike is steady");
	ok(!quality_is_steady(wrong, 4), "what has no sensible time is not");
}

static void test_interrupted(void)
{
	const double some[] = { 0, 0, 1, 0, 2, 0, 0 }, own[] = { 50, 52, 49, 51, 160, 50, 50 };

	cmp_int(quality_interrupted(some, 7, 1000), 2, "two batches were interrupted");
	cmp_int(quality_interrupted(own, 7, 100), 1,
		"switches that are part of the operation are not counted");
	ok(!quality_is_skewed(1.09, 1) && quality_is_skewed(1.11, 1) && quality_is_skewed(0.89, 1),
	   "mean and median a tenth apart are skewed");
}

/* The share of processes that seem disturbed when so many of their batches were interrupted, each of
 * which takes so much longer. */
static double disturbed_share(struct random *r, double spread, size_t interrupted, double longer)
{
	double x[BATCHES], switches[BATCHES];
	size_t disturbed = 0;

	for (int i = 0; i < REPETITIONS; i++) {
		fill(r, x, BATCHES, spread, 0);
		for (size_t k = 0; k < BATCHES; k++) {
			switches[k] = (i + 4 * k) % BATCHES < interrupted;
			x[k] *= 1 + longer * switches[k];
		}
		disturbed += quality_is_disturbed(x, switches, BATCHES, 1000);
	}
	return (double)disturbed / REPETITIONS;
}

static void test_disturbed(void)
{
	static const double spreads[] = { 0.005, 0.02, 0.05, 0.1 };
	struct random r;

	random_seed(&r, 2004);
	for (size_t i = 0; i < sizeof(spreads) / sizeof(*spreads); i++)
		for (size_t hit = 3; hit <= 9; hit += 3) {
			double share = disturbed_share(&r, spreads[i], hit, 0.004);

			ok(share <= 0.05,
			   "%zu of 11 batches interrupted for 0.4 %% in %g %% of "
			   "noise: %.1f %% seem disturbed",
			   hit, 100 * spreads[i], 100 * share);
		}
	ok(disturbed_share(&r, 0.02, 3, 1) > 0.99, "interruptions that double the time are seen");
	ok(disturbed_share(&r, 0.02, 11, 0) == 1, "without a quiet batch nobody knows");
	ok(disturbed_share(&r, 0.02, 2, 1) == 0, "two of 11 do not count");
}

/* The reason for the quarter: how far the median moves, in standard deviations of a batch. */
static void test_median_moves(void)
{
	struct random r;
	double sum = 0;

	random_seed(&r, 2002);
	for (int i = 0; i < REPETITIONS; i++) {
		double x[BATCHES];

		for (int k = 0; k < BATCHES; k++)
			x[k] = k < 2 ? 100 : random_normal(&r);
		sum += estimate_median(x, BATCHES, 0.95).centre;
	}
	ok(sum / REPETITIONS < 0.5, "two interrupted batches of 11 move the median by %.2f sd",
	   sum / REPETITIONS);
}

int main(void)
{
	test_steady();
	test_interrupted();
	test_disturbed();
	test_median_moves();
	return done_testing();
}
