/* SPDX-License-Identifier: MIT */
/* Tests of the canaries of driver/reduce, by simulations with a fixed seed. */
#include "../../driver/reduce.h"

#include "stats/estimate.h"
#include "stats/random.h"
#include "../tap.h"

enum { REPETITIONS = 1000, MOST = 60 };

/* n values with noise; from half on so much slower. */
static void fill(struct random *r, double *x, size_t n, double spread, double step)
{
	for (size_t i = 0; i < n; i++)
		x[i] = 1e-6 * (1 + (i < n / 2 ? 0 : step)) * exp(spread * random_normal(r));
}

/* The share of n rounds in which a canary with so much noise seems to move, by repetition; *half:
 * the share of repetitions in which it does in more than half of them. */
static double moved_share(struct random *r, size_t n, double spread, double step, double *half)
{
	double x[MOST];
	bool moved[MOST];
	size_t all = 0, many = 0;

	for (int i = 0; i < REPETITIONS; i++) {
		size_t count = 0;

		fill(r, x, n, spread, step);
		reduce_watch_canary(x, n, estimate_hodges_lehmann(x, n, 0.95).centre, moved);
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
	reduce_watch_canary(one, 1, 1, moved);
	ok(!moved[0], "one round is at its centre");
}

int main(void)
{
	test_canary();
	return done_testing();
}
