/* SPDX-License-Identifier: MIT */
/*
 * Simulations with a fixed seed: do the intervals and rank sets of lib/stats contain the true
 * value as often as they promise?
 */
#include "stats/estimate.h"
#include "stats/random.h"
#include "stats/ranking.h"
#include "stats/sample.h"
#include "util/xalloc.h"

#include <stdbool.h>

#include "../tap.h"

enum {
	REPETITIONS = 4000,
	POPULATION = 200000,
	EXPERIMENTS = 500,
	DRAWS = 1000,
	PROCESSES = 20,
	MACHINES_MAX = 5,
};

static double normal(struct random *r)
{
	return 1 + 0.02 * random_normal(r);
}

static double skewed(struct random *r)
{
	return 1 + 0.02 * exp(random_normal(r));
}

/* One value in ten is late by half the centre on average. */
static double outliers(struct random *r)
{
	double late = random_below(r, 10) ? 0 : -0.5 * log(1 - random_uniform(r));

	return normal(r) + late;
}

static const struct {
	const char *name;
	double (*draw)(struct random *r);
} laws[] = {
	{ "normal", normal },
	{ "skewed", skewed },
	{ "outliers", outliers },
};

/* The share of 95 % intervals from n values that contain the estimate of the population. */
static double coverage(struct random *r, enum estimator e, double (*draw)(struct random *),
		       size_t n, const double *population)
{
	double true_value = estimate(e, population, POPULATION, 0.95).centre, x[64];
	size_t held = 0;

	for (int i = 0; i < REPETITIONS; i++) {
		for (size_t k = 0; k < n; k++)
			x[k] = draw(r);
		struct estimate got = estimate(e, x, n, 0.95);

		held += got.low <= true_value && true_value <= got.high;
	}
	return (double)held / REPETITIONS;
}

static void test_intervals(void)
{
	static const size_t sizes[] = { 15, 20, 30 };
	static const enum estimator estimators[] = { ESTIMATE_HODGES_LEHMANN, ESTIMATE_TRIMMED,
						     ESTIMATE_MEDIAN };
	double *population = xcalloc(POPULATION, sizeof(*population));
	struct random r;

	random_seed(&r, 1997);
	for (size_t l = 0; l < sizeof(laws) / sizeof(*laws); l++) {
		for (size_t i = 0; i < POPULATION; i++)
			population[i] = laws[l].draw(&r);
		for (size_t e = 0; e < sizeof(estimators) / sizeof(*estimators); e++)
			for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
				double share =
				    coverage(&r, estimators[e], laws[l].draw, sizes[s], population);

				/* The median's interval reaches 96.5 % with 15 values. */
				ok(share >= 0.92 && share <= 0.975,
				   "%s of %zu %s values: %.1f %% of 95 %% intervals contain it",
				   estimator_name(estimators[e]), sizes[s], laws[l].name,
				   100 * share);
			}
	}
	free(population);
}

/*
 * One experiment as osvec-predict makes it: machines of the given true costs, PROCESSES values
 * each, a Hodges-Lehmann centre and draws from its pseudo-values, ranked at 90 %.
 */
static void experiment(struct random *r, const double *true_value, size_t m, double *draws,
		       struct rank *out)
{
	double centre[MACHINES_MAX], z[MACHINES_MAX][PROCESSES];

	for (size_t i = 0; i < m; i++) {
		double x[PROCESSES];

		for (size_t p = 0; p < PROCESSES; p++)
			x[p] = true_value[i] * skewed(r);
		centre[i] = estimate_hodges_lehmann(x, PROCESSES, 0.95).centre;
		estimate_pseudo_values(x, PROCESSES, z[i]);
	}
	for (size_t d = 0; d < DRAWS; d++)
		for (size_t i = 0; i < m; i++) {
			double sum = 0;

			for (size_t p = 0; p < PROCESSES; p++)
				sum += z[i][random_below(r, PROCESSES)];
			draws[d * m + i] = exp(sum / PROCESSES);
		}
	ranking(centre, draws, DRAWS, m, 0.9, 1.03, out);
}

struct errors {
	size_t orders;	 /* experiments with a rank set that misses the true rank */
	size_t splits;	 /* experiments in which equal machines have other rank sets */
	size_t resolved; /* rank sets of a single rank */
};

/* The true rank of i is any from 1 + those below to m - those above. */
static struct errors simulate(struct random *r, const double *true_value, size_t m)
{
	double *draws = xcalloc(DRAWS * m, sizeof(*draws));
	struct errors e = { 0 };

	for (int x = 0; x < EXPERIMENTS; x++) {
		struct rank out[MACHINES_MAX];
		bool missed = false, split = false;

		experiment(r, true_value, m, draws, out);
		for (size_t i = 0; i < m; i++) {
			size_t low = 1, high = m;

			for (size_t j = 0; j < m; j++) {
				low += true_value[j] < true_value[i];
				high -= true_value[j] > true_value[i];
				split |= true_value[j] == true_value[i] &&
					 (out[j].low != out[i].low || out[j].high != out[i].high);
			}
			missed |= low < out[i].low || high > out[i].high;
			e.resolved += out[i].low == out[i].high;
		}
		e.orders += missed;
		e.splits += split;
	}
	free(draws);
	return e;
}

static void test_ranking(void)
{
	static const double same[] = { 1, 1, 1, 1, 1 }, apart[] = { 1, 1.1, 1.1, 1.2, 1.4 };
	struct random r;
	/* 10 % of all experiments may err: 50, and 3 sd of that number more by chance. */
	const double limit = 0.1 * EXPERIMENTS + 3 * sqrt(0.09 * EXPERIMENTS);

	random_seed(&r, 1998);
	for (size_t m = 2; m <= MACHINES_MAX; m += 3) {
		struct errors e = simulate(&r, same, m);

		ok((double)e.orders <= limit, "A/A: %zu equal machines get an order in %zu of %d",
		   m, e.orders, EXPERIMENTS);
		cmp_int(e.splits, 0, "A/A: %zu equal machines always share all ranks", m);
	}
	struct errors e = simulate(&r, apart, 5);
	ok((double)e.orders <= limit, "rank sets of 5 machines miss a true rank in %zu of %d",
	   e.orders, EXPERIMENTS);
	ok(e.resolved > 2 * EXPERIMENTS,
	   "machines 10 %% apart are distinguished: %zu single ranks of %d", e.resolved,
	   5 * EXPERIMENTS);
}

/* Three values in ten have a tail of their own. */
static double tailed(struct random *r)
{
	return 1 + 0.02 * random_normal(r) +
	       (random_below(r, 10) < 3 ? -0.1 * log(1 - random_uniform(r)) : 0);
}

static double even(struct random *r)
{
	return 1 + 0.1 * random_uniform(r);
}

/* Two modes, a fifth in the upper one, six or ten standard deviations apart. */
static double near(struct random *r)
{
	return normal(r) + (random_below(r, 5) ? 0 : 0.12);
}

static double far(struct random *r)
{
	return normal(r) + (random_below(r, 5) ? 0 : 0.2);
}

/* In how many of the samples two modes are seen, by chance where there is one, and where there are
 * two; as many values in the upper mode as make one, 3 or a tenth, have 68 % of the samples of 15
 * and 99 % of those of 30. */
static void test_modes(void)
{
	static const size_t sizes[] = { 10, 15, 20, 30, 40, 60 };
	static const struct {
		const char *name;
		double (*draw)(struct random *r);
		double least[6], most; /* percent, by size */
	} shapes[] = {
		{ "normal", normal, { 0 }, 2 },
		{ "skewed", skewed, { 0 }, 2 },
		{ "outliers", outliers, { 0 }, 2 },
		{ "tailed", tailed, { 0 }, 2 },
		{ "even", even, { 0 }, 5 },
		{ "80/20 at 6 sd", near, { 10, 22, 33, 55, 70, 83 }, 100 },
		{ "80/20 at 10 sd", far, { 27, 53, 73, 91, 93, 95 }, 100 },
	};
	struct random r;

	random_seed(&r, 1999);
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			size_t seen = 0;
			double x[60];

			for (size_t j = 0; j < REPETITIONS; j++) {
				for (size_t k = 0; k < sizes[i]; k++)
					x[k] = shapes[s].draw(&r);
				seen += sample_modes(x, sizes[i]).bimodal;
			}
			double share = 100 * (double)seen / REPETITIONS;
			ok(share >= shapes[s].least[i] && share <= shapes[s].most,
			   "%s, %zu values: two modes in %.1f %% of the samples", shapes[s].name,
			   sizes[i], share);
		}
}

int main(void)
{
	test_intervals();
	test_modes();
	test_ranking();
	return done_testing();
}
