/* SPDX-License-Identifier: MIT */
/*
 * Simulated runs, with the schedule and the reduction of hbench itself: do the published intervals
 * contain the true value in 95 % of the cases, those of entries that ended early as well?
 *
 * The table in docs/results.5 is what "build/tests/unit/stopping 2500" prints (2 minutes); without
 * an argument there are fewer runs.  The seed is fixed.
 */
#include "../../driver/cost.h"

#include "stats/random.h"
#include "util/xalloc.h"

#include "../tap.h"

enum { POPULATION = 30000 };

static const struct schedule_rule rule = { 30, 120, 0.01 };

/* Values of a process; spread is relative. */
static double normal(struct random *r, double spread)
{
	return 1 + spread * random_normal(r);
}

static double lognormal(struct random *r, double spread)
{
	return 1 + spread * exp(random_normal(r));
}

/* 80 % and 20 %, six standard deviations apart. */
static double modes(struct random *r, double spread)
{
	return 1 + spread / 2.5 * (random_normal(r) + (random_below(r, 5) ? 0 : 6));
}

/* One value in ten is late, by a tenth on average. */
static double outliers(struct random *r, double spread)
{
	double late = random_below(r, 10) ? 0 : -0.1 * log(1 - random_uniform(r));

	return normal(r, spread) + late;
}

static const struct law {
	const char *name;
	double (*draw)(struct random *r, double spread);
	double mean_least; /* of the intervals of the mean that contain it */
} laws[] = {
	{ "normal", normal, 0.94 },
	{ "lognormal", lognormal, 0.92 },
	{ "modes", modes, 0.92 },
	{ "outliers", outliers, 0.89 },
};

/* From "nearly all end first" to "nearly none does". */
static const double spreads[] = { 0.015, 0.02, 0.03, 0.06 };

struct truth {
	double hl, mean;
};

static struct truth find_truth(struct random *r, const struct law *law, double spread)
{
	double *x = xcalloc(POPULATION, sizeof(*x));

	for (size_t i = 0; i < POPULATION; i++)
		x[i] = law->draw(r, spread);
	struct truth t = { estimate_hodges_lehmann(x, POPULATION, 0.95).centre,
			   sample_mean(x, POPULATION) };
	free(x);
	return t;
}

/* Runs of hbench with one entry each, counted. */
struct tally {
	size_t runs, held, mean_held, first, first_held;
	double processes, width;
};

static bool holds(const struct estimate *e, double value)
{
	return e->low <= value && value <= e->high;
}

static void run_once(struct random *r, const struct law *law, double spread, const struct truth *t,
		     struct tally *sum)
{
	struct schedule *s = schedule_new(1, 1, rule.min, rule.max, rule.precision);
	struct schedule_entry *e = s->entries;

	while (!e->finished) {
		schedule_add(s, 0, law->draw(r, spread), 0.1);
		schedule_check(s, 0);
	}
	struct cost x = { .all = e->values, .processes = e->n };
	cost_describe(&x, &rule, ESTIMATE_HODGES_LEHMANN);
	bool held = holds(&x.centre, t->hl), first = e->n == rule.min;
	sum->runs++;
	sum->held += held;
	sum->mean_held += holds(&x.mean, t->mean);
	sum->first += first;
	sum->first_held += first && held;
	sum->processes += (double)e->n;
	sum->width += x.precision;
	e->values = NULL;
	cost_done(&x);
	schedule_free(s);
}

static double percent(size_t part, size_t whole)
{
	return whole ? 100 * (double)part / (double)whole : NAN;
}

static void print_tally(const struct law *law, double spread, const struct tally *t)
{
	printf("# %-9s %4.1f %% %9.1f %7.2f %% %7.1f %9.1f %7.1f %7.1f\n", law->name, 100 * spread,
	       t->processes / (double)t->runs, 100 * t->width / (double)t->runs,
	       percent(t->held, t->runs), percent(t->first, t->runs),
	       percent(t->first_held, t->first), percent(t->mean_held, t->runs));
}

/* part of whole is 93 to 97 %, or is so but for three standard errors. */
static void within(size_t part, size_t whole, const char *law, const char *what)
{
	double share = percent(part, whole), error = 100 * sqrt(0.05 * 0.95 / (double)whole);

	ok(share >= 95 - fmax(2, 3 * error) && share <= 95 + fmax(2, 3 * error),
	   "%s: %.1f %% of the intervals of %zu %s contain the true value", law, share, whole,
	   what);
}

static void test_law(struct random *r, const struct law *law, size_t runs)
{
	struct tally all = { 0 };
	size_t lucky = 0, lucky_held = 0;

	for (size_t i = 0; i < sizeof(spreads) / sizeof(*spreads); i++) {
		struct truth truth = find_truth(r, law, spreads[i]);
		struct tally t = { 0 };

		for (size_t j = 0; j < runs; j++)
			run_once(r, law, spreads[i], &truth, &t);
		print_tally(law, spreads[i], &t);
		all.runs += t.runs;
		all.held += t.held;
		all.mean_held += t.mean_held;
		if (2 * t.first < t.runs) {
			lucky += t.first;
			lucky_held += t.first_held;
		}
	}
	within(all.held, all.runs, law->name, "entries");
	within(lucky_held, lucky, law->name, "that ended first where most go on");
	ok((double)all.mean_held >= law->mean_least * (double)all.runs,
	   "%s: the interval of the mean contains it in %.1f %%", law->name,
	   percent(all.mean_held, all.runs));
}

int main(int argc, char **argv)
{
	size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 150;
	struct random r;

	random_seed(&r, 2026);
	printf("# law      spread processes     width coverage end first of these of mean\n");
	for (size_t i = 0; i < sizeof(laws) / sizeof(*laws); i++)
		test_law(&r, &laws[i], runs);
	return done_testing();
}
