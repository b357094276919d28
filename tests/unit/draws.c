/* SPDX-License-Identifier: MIT */
/* Tests of lib/vector/draws: intervals that cover, ties that tie, seeds that repeat. */
#include "model/draws.h"

#include "stats/estimate.h"
#include "stats/random.h"
#include "stats/ranking.h"
#include "stats/sample.h"
#include "../tap.h"
#include "util/xalloc.h"

enum { ENTRIES = 4, ROUNDS = 20 };

static const double calls[ENTRIES] = { 7, 1, 3, 2 };

/* An application that calls e0 ... e3 and has the user time. */
static struct appvec *application(double user, const double *factors, size_t nruns)
{
	struct appvec *a = appvec_new("app");

	a->nruns = a->ntraces = nruns;
	a->runs = xcalloc(nruns, sizeof(*a->runs));
	a->traces = xcalloc(nruns, sizeof(*a->traces));
	for (size_t r = 0; r < nruns; r++) {
		struct appvec_trace *trace = &a->traces[r];

		a->runs[r] = (struct appvec_run){
			.user = user,
			.system = NAN,
			.voluntary = NAN,
			.minor_faults = NAN,
		};
		*trace = (struct appvec_trace){
			.trace = xstrdup(""),
			.nitems = ENTRIES,
			.items = xcalloc(ENTRIES, sizeof(*trace->items)),
		};
		for (int i = 0; i < ENTRIES; i++)
			trace->items[i] = (struct appvec_item){
				.entry = xasprintf("e%d", i),
				.weight = 1,
				.part = PART_KERNEL,
				.calls = calls[i] * (factors ? factors[r] : 1),
				.from = xstrdup(""),
			};
	}
	return a;
}

/* What the rounds of a synthetic machine look like. */
struct noise {
	double entry, round; /* log standard deviation, of each value and common to a round */
	bool bimodal;	     /* three in ten values are twice as large */
};

static double centre(const double *x, bool bimodal)
{
	double logs[ROUNDS];

	for (int r = 0; r < ROUNDS; r++)
		logs[r] = log(x[r]);
	return bimodal ? sample_mean(x, ROUNDS)
		       : exp(estimate_hodges_lehmann(logs, ROUNDS, 0.95).centre);
}

static struct osvec *machine(double scale, const struct noise *noise, struct random *random)
{
	struct osvec *v = osvec_new("m");
	double round[ROUNDS];

	for (int r = 0; r < ROUNDS; r++)
		round[r] = noise ? noise->round * random_normal(random) : 0;
	for (int i = 0; i < ENTRIES; i++) {
		struct osvec_entry x = { .name = xasprintf("e%d", i), .seconds = scale * (i + 1) };

		if (noise) {
			x.n = ROUNDS;
			x.bimodal = noise->bimodal;
			x.values = xcalloc(ROUNDS, sizeof(*x.values));
			x.rounds = xcalloc(ROUNDS, sizeof(*x.rounds));
			for (unsigned r = 0; r < ROUNDS; r++) {
				double slow =
				    noise->bimodal && random_uniform(random) < 0.3 ? 2 : 1;

				x.rounds[r] = r;
				x.values[r] = x.seconds * slow *
					      exp(round[r] + noise->entry * random_normal(random));
			}
			x.seconds = centre(x.values, noise->bimodal);
		}
		x.low = x.high = x.seconds;
		osvec_add(v, x);
	}
	osvec_finish(v, NULL);
	return v;
}

static struct prediction *predict(const struct demand *d, const struct osvec *v)
{
	static const struct lenders nobody;

	return prediction_new(d, v, NULL, nobody, NULL);
}

/* What the calls take on a machine whose entries cost scale, 2 scale, ... */
static double true_total(double scale)
{
	double sum = 0;

	for (int i = 0; i < ENTRIES; i++)
		sum += calls[i] * scale * (i + 1);
	return sum;
}

/* The log standard deviation of machine i. */
static double log_sd(const struct draws *d, const double *v, size_t i)
{
	double *logs = xcalloc(d->n, sizeof(*logs));

	for (size_t k = 0; k < d->n; k++)
		logs[k] = log(v[k * d->m + i]);
	double sd = sample_sd(logs, d->n);
	free(logs);
	return sd;
}

static void test_seed(void)
{
	const struct noise noise = { 0.02, 0.01, false };
	struct draws_settings s = { 500, 7, 0.12, 4, 0, 0 };
	struct random random;
	struct appvec *a = application(1, NULL, 1);
	struct demand *d = demand_new(a);

	random_seed(&random, 1);
	struct osvec *v = machine(1, &noise, &random);
	struct prediction *p[] = { predict(d, v), predict(d, v) };
	struct draws x = draws_new(p, 2, &s), y = draws_new(p, 2, &s), one = draws_new(p, 1, &s);
	s.seed = 8;
	struct draws z = draws_new(p, 2, &s);

	ok(!memcmp(x.full, y.full, 1000 * sizeof(double)) &&
	       !memcmp(x.measured, y.measured, 1000 * sizeof(double)),
	   "the same seed, the same draws");
	ok(memcmp(x.full, z.full, 1000 * sizeof(double)), "another seed, other draws");
	ok(x.full[2 * 499] == one.full[499],
	   "a second machine does not change the first one's draws");
	ok(x.full[0] != x.full[1], "two machines are drawn apart");
	s = (struct draws_settings){ 500, 7, 0.12, 4, 0.3, 0 };
	struct draws biased = draws_new(p, 2, &s);
	cmp_near(biased.full[0] / biased.full[1], x.full[0] / x.full[1], 1e-9,
		 "what an application has on all machines changes no ratio");
	ok(draws_interval(&biased, biased.full, 0, 0.9).high >
	       1.2 * draws_interval(&x, x.full, 0, 0.9).high,
	   "and widens the intervals");
	draws_free(&biased);
	draws_free(&x);
	draws_free(&y);
	draws_free(&z);
	draws_free(&one);
	prediction_free(p[0]);
	prediction_free(p[1]);
	demand_free(d);
	appvec_free(a);
	osvec_free(v);
}

static void test_sources(void)
{
	struct draws_settings s = { 4000, 1, 0, 4, 0, 0 };
	struct appvec *a = application(0, NULL, 1);
	struct demand *d = demand_new(a);
	struct osvec *v = machine(1, NULL, NULL);
	struct prediction *p = predict(d, v);
	struct draws x = draws_new(&p, 1, &s);
	struct draws_interval all = draws_interval(&x, x.full, 0, 1);

	ok(all.low == p->total && all.high == p->total,
	   "nothing varies: nothing drawn but the total");
	draws_free(&x);

	s.model_error = 0.12;
	x = draws_new(&p, 1, &s);
	struct draws_interval wide = draws_interval(&x, x.full, 0, 0.9);
	/* The 95 % quantile of Student's t with 4 degrees of freedom is 2.132. */
	cmp_near(log(wide.high / wide.median), 0.12 * 2.132, 0.06, "the model error's quantile");
	ok(draws_measured_share(&x) == 0, "all of it model error");
	draws_free(&x);

	s.model_error = 0;
	p->coverage = 0.4;
	x = draws_new(&p, 1, &s);
	cmp_near(log_sd(&x, x.full, 0), 0.5 * 0.6, 0.05,
		 "what no entry covers is uncertain by half");
	ok(log_sd(&x, x.measured, 0) < 1e-12, "which is not measurement");
	draws_free(&x);

	/* Without raw values an interval of +-10 % at 95 % on one entry of four. */
	p->coverage = 1;
	v->entries[0].low = 0.9;
	v->entries[0].high = 1.1;
	x = draws_new(&p, 1, &s);
	cmp_near(log_sd(&x, x.measured, 0), 0.1 / 1.96 * calls[0] / p->total, 0.05,
		 "an interval without values is a normal deviate");
	draws_free(&x);
	prediction_free(p);
	demand_free(d);
	appvec_free(a);
	osvec_free(v);
}

/* Two entries that answer each other round by round: their sum hardly varies. */
static void test_rounds(void)
{
	const struct noise noise = { 0.05, 0, false };
	const struct draws_settings s = { 2000, 1, 0, 4, 0, 0 };
	struct random random;
	struct appvec *a = application(0, NULL, 1);
	struct demand *d = demand_new(a);

	random_seed(&random, 3);
	struct osvec *v = machine(1, &noise, &random);
	/* Time on e0 is 7, on e1 to e3 2, 9 and 8 seconds. */
	for (unsigned r = 0; r < ROUNDS; r++) {
		v->entries[2].values[r] = 1 / v->entries[0].values[r];
		v->entries[1].values[r] = v->entries[3].values[r] = 1;
	}
	for (int i = 0; i < ENTRIES; i++)
		v->entries[i].seconds = centre(v->entries[i].values, false);
	a->traces[0].items[2].calls = 7;
	demand_free(d);
	d = demand_new(a);
	struct prediction *p = predict(d, v);
	struct draws x = draws_new(&p, 1, &s);
	double together = log_sd(&x, x.measured, 0);
	draws_free(&x);
	for (int i = 0; i < ENTRIES; i++) {
		free(v->entries[i].rounds);
		v->entries[i].rounds = NULL;
	}
	x = draws_new(&p, 1, &s);
	double apart = log_sd(&x, x.measured, 0);
	ok(together < 0.05 * apart, "rounds are drawn together: %.2g against %.2g drawn apart",
	   together, apart);
	draws_free(&x);
	prediction_free(p);
	demand_free(d);
	appvec_free(a);
	osvec_free(v);
}

/* How often the interval of new machines holds the truth, in percent. */
static double coverage(const struct noise *noise, double model_error, unsigned seed)
{
	enum { REPETITIONS = 500 };
	const double truth = true_total(1) * (noise->bimodal ? 1.3 : 1);
	struct draws_settings s = { 300, seed, model_error, 4, 0, 0 };
	struct appvec *a = application(0, NULL, 1);
	struct demand *d = demand_new(a);
	struct random random;
	int inside = 0;

	random_seed(&random, seed);
	for (int i = 0; i < REPETITIONS; i++, s.seed++) {
		struct osvec *v = machine(1, noise, &random);
		struct prediction *p = predict(d, v);
		struct draws x = draws_new(&p, 1, &s);
		struct draws_interval in =
		    draws_interval(&x, model_error ? x.full : x.measured, 0, 0.9);
		double measured = truth * exp(model_error * random_student(&random, 4));

		inside += in.low <= measured && measured <= in.high;
		draws_free(&x);
		prediction_free(p);
		osvec_free(v);
	}
	demand_free(d);
	appvec_free(a);
	return 100.0 * inside / REPETITIONS;
}

static void test_coverage(void)
{
	static const struct {
		const char *what;
		struct noise noise;
		double model_error;
	} cases[] = {
		{ "independent noise", { 0.05, 0, false }, 0 },
		{ "noise common to a round", { 0.01, 0.05, false }, 0 },
		{ "two modes", { 0.02, 0, true }, 0 },
		{ "noise and model error", { 0.05, 0.02, false }, 0.12 },
	};

	/* 90 % of 500 has a standard deviation of 1.3 %; a bootstrap of 20 rounds is a little short. */
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double percent = coverage(&cases[i].noise, cases[i].model_error, (unsigned)i + 1);

		ok(percent >= 86 && percent <= 94, "%s: %.1f %% of 90 %% intervals hold the truth",
		   cases[i].what, percent);
	}
}

static void test_runs(void)
{
	static const double factors[] = { 0.9, 1, 1.1, 1.05, 0.95 };
	const struct draws_settings s = { 4000, 1, 0, 4, 0, 0 };
	struct appvec *a = application(0, factors, 5);
	struct demand *d = demand_new(a);
	struct osvec *v = machine(1, NULL, NULL), *w = machine(2, NULL, NULL);
	struct prediction *p[] = { predict(d, v), predict(d, w) };
	struct draws x = draws_new(p, 2, &s);
	bool same = true;

	cmp_near(log_sd(&x, x.measured, 0), sample_sd(factors, 5) / sqrt(5), 0.05,
		 "runs vary as their mean does");
	for (size_t k = 0; k < x.n; k++)
		same = same && fabs(x.measured[2 * k + 1] / x.measured[2 * k] - 2) < 1e-12;
	ok(same, "the same runs on all machines: they cancel in ratios");
	draws_free(&x);

	prediction_scale(p[0], 3, 3, 3);
	prediction_scale(p[1], 3, 3, 3);
	p[0]->known = true;
	x = draws_new(p, 2, &s);
	ok(log_sd(&x, x.full, 0) < 1e-12 && log_sd(&x, x.full, 1) < 1e-12,
	   "a machine whose time is known is certain, and others relative to it");
	draws_free(&x);

	/* The errors of both machines are in the ratio that is all that is predicted. */
	const struct draws_settings errs = { 4000, 1, 0.12, 4, 0, 0 };
	struct draws known = draws_new(p, 2, &errs);
	p[0]->known = false;
	struct draws unknown = draws_new(p, 2, &errs);
	same = true;
	for (size_t k = 0; k < known.n; k++) {
		double ratio = unknown.full[2 * k + 1] / unknown.full[2 * k];

		same = same && fabs(known.full[2 * k + 1] / p[0]->total / ratio - 1) < 1e-12 &&
		       known.full[2 * k] == p[0]->total;
	}
	ok(same, "the other machine's time is as uncertain as its ratio to the known one");
	ok(log_sd(&known, known.full, 1) > 1.2 * log_sd(&unknown, unknown.full, 1),
	   "more than one alone");
	draws_free(&known);
	draws_free(&unknown);
	prediction_free(p[0]);
	prediction_free(p[1]);
	demand_free(d);
	appvec_free(a);
	osvec_free(v);
	osvec_free(w);
}

/* Ranks n predictions. */
static void rank(struct prediction *const *p, size_t n, struct rank *out)
{
	const struct draws_settings s = { 4000, 1, 0.12, 4, 0, 0 };
	struct draws x = draws_new(p, n, &s);
	double centres[4];

	for (size_t i = 0; i < n; i++)
		centres[i] = p[i]->total;
	ranking(centres, x.full, x.n, n, 0.9, 1.03, out);
	draws_free(&x);
}

static void test_ranks(void)
{
	const struct noise noise = { 0.02, 0.01, false };
	struct random random;
	struct appvec *a = application(1, NULL, 1);
	struct demand *d = demand_new(a);
	struct rank r[3];

	random_seed(&random, 5);
	struct osvec *v = machine(1, &noise, &random), *slow = machine(4, &noise, &random);
	struct prediction *p[] = { predict(d, v), predict(d, v), predict(d, slow) };
	rank(p, 3, r);
	ok(r[0].tie_group == r[1].tie_group && r[0].low == 1 && r[0].high == 2 && r[1].low == 1 &&
	       r[1].high == 2,
	   "the same machine twice ties");
	ok(fabs(r[0].best - 0.5) < 0.05 && fabs(r[1].best - 0.5) < 0.05, "with even chances");
	ok(r[2].low == 3 && r[2].high == 3 && r[2].best < 0.01 && r[2].regret > 2,
	   "one four times as slow is the last");

	/* A delay injected into one entry, on one of them. */
	struct osvec *hit = machine(1, &noise, &random);
	hit->entries[3].seconds *= 20;
	struct prediction *q[] = { p[0], predict(d, hit) };
	rank(q, 2, r);
	double share = q[1]->lines[3].seconds / q[1]->total, before = p[0]->lines[3].seconds;
	cmp_near(q[1]->lines[3].seconds, 20 * before, 0.1, "the delay is in its line");
	ok(share > 0.7 && p[0]->lines[3].seconds / p[0]->total < 0.35, "which now makes up %.0f %%",
	   100 * share);
	ok(r[0].low == 1 && r[0].high == 1 && r[1].low == 2 && r[0].best > 0.99,
	   "and decides the order");
	for (int i = 0; i < 3; i++)
		prediction_free(p[i]);
	prediction_free(q[1]);
	demand_free(d);
	appvec_free(a);
	osvec_free(v);
	osvec_free(slow);
	osvec_free(hit);
}

int main(void)
{
	test_seed();
	test_sources();
	test_rounds();
	test_runs();
	test_ranks();
	test_coverage();
	return done_testing();
}
