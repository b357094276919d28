/* SPDX-License-Identifier: MIT */
/* Tests of lib/model/samples: intervals that cover, seeds that repeat. */
#include "model/samples.h"

#include "model/doubt.h"
#include "stats/estimate.h"
#include "stats/random.h"
#include "stats/sample.h"
#include "../tap.h"
#include "kept.h"
#include "util/xalloc.h"

enum { ENTRIES = 4, ROUNDS = 20 };

static const double calls[ENTRIES] = { 7, 1, 3, 2 };

/* An application that calls e0 ... e3 and has the user time. */
static struct appvec *application(double user, const double *factors, size_t nruns)
{
	struct appvec *a = keep(appvec_new("app"));

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

/* How the raw values of a synthetic machine vary. */
struct noise {
	double entry, round; /* log standard deviation, of each value and common to a round */
	bool bimodal;	     /* three in ten values are twice as large */
};

/* The centre of x and its error, as hbench derives them. */
static void reduce(struct osvec_entry *entry, const double *x, bool bimodal)
{
	double logs[ROUNDS];

	entry->n = ROUNDS;
	if (bimodal) {
		entry->seconds = sample_mean(x, ROUNDS);
		entry->error = sample_sd(x, ROUNDS) / entry->seconds / sqrt(ROUNDS);
		return;
	}
	for (int r = 0; r < ROUNDS; r++)
		logs[r] = log(x[r]);
	entry->seconds = exp(estimate_hodges_lehmann(logs, ROUNDS, 0.95).centre);
	entry->error = estimate_log_error(x, ROUNDS);
}

/* Entries that cost scale, 2 scale, ...; noise NULL: without error. */
static struct osvec *machine(double scale, const struct noise *noise, struct random *random)
{
	struct osvec *v = keep(osvec_new("m"));
	double round[ROUNDS], x[ROUNDS];

	for (int r = 0; noise && r < ROUNDS; r++)
		round[r] = noise->round * random_normal(random);
	if (noise)
		v->correlation = 1 / (1 + pow(noise->entry, 2) / pow(fmax(noise->round, 1e-9), 2));
	for (int i = 0; i < ENTRIES; i++) {
		struct osvec_entry entry = { .name = xasprintf("e%d", i),
					     .seconds = scale * (i + 1) };

		for (int r = 0; noise && r < ROUNDS; r++) {
			double slow = noise->bimodal && random_uniform(random) < 0.3 ? 2 : 1;

			x[r] = entry.seconds * slow *
			       exp(round[r] + noise->entry * random_normal(random));
		}
		if (noise)
			reduce(&entry, x, noise->bimodal);
		entry.low = entry.high = entry.seconds;
		osvec_add(v, entry);
	}
	osvec_finish(v, NULL);
	return v;
}

static struct samples_settings settings(size_t n, uint64_t seed, double spread, double bias)
{
	return (struct samples_settings){ n,
					  seed,
					  { .kinds[KIND_NATIVE] = { spread, 0 },
					    .bias = bias,
					    .siblings = INFINITY,
					    .freedom = 4 } };
}

/* On v of an application with that demand (NULL: without user time, one run). */
static struct prediction *predict(const struct demand *d, const struct osvec *v)
{
	static const struct lenders nobody;

	if (!d)
		d = keep(demand_new(application(0, NULL, 1)));
	return keep(prediction_new(d, v, NULL, 0, nobody, NULL));
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
static double log_sd(const struct samples *d, const double *v, size_t i)
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
	struct samples_settings s = settings(500, 7, 0.12, 0);
	struct random random;
	struct demand *d = keep(demand_new(application(1, NULL, 1)));

	random_seed(&random, 1);
	struct osvec *v = machine(1, &noise, &random);
	struct osvec *w = machine(1, &noise, &random);
	struct prediction *p[] = { predict(d, v), predict(d, w) };
	struct prediction *twice[] = { p[0], predict(d, v) };
	struct samples x = samples_new(p, 2, &s), y = samples_new(p, 2, &s),
		       one = samples_new(p, 1, &s);
	s.seed = 8;
	struct samples z = samples_new(p, 2, &s);

	ok(!memcmp(x.full, y.full, 1000 * sizeof(double)) &&
	       !memcmp(x.measured, y.measured, 1000 * sizeof(double)),
	   "the same seed, the same samples");
	ok(memcmp(x.full, z.full, 1000 * sizeof(double)), "another seed, other samples");
	ok(x.full[2 * 499] == one.full[499],
	   "a second machine does not change the samples of the first");
	ok(x.full[0] / p[0]->total != x.full[1] / p[1]->total, "each machine is sampled apart");
	s.seed = 7;
	struct samples same = samples_new(twice, 2, &s);
	ok(same.full[2 * 499] == same.full[2 * 499 + 1] && same.full[0] == x.full[0],
	   "but the same one given twice has the same errors");
	samples_free(&same);
	s = settings(500, 7, 0.12, 0.3);
	struct samples biased = samples_new(p, 2, &s);
	cmp_near(biased.full[0] / biased.full[1], x.full[0] / x.full[1], 1e-9,
		 "what an application has on all machines changes no ratio");
	ok(samples_interval(&biased, biased.full, 0, 0.9).high >
	       1.2 * samples_interval(&x, x.full, 0, 0.9).high,
	   "and widens the intervals");
	samples_free(&biased);
	samples_free(&x);
	samples_free(&y);
	samples_free(&z);
	samples_free(&one);
}

static void test_sources(void)
{
	struct samples_settings s = settings(4000, 1, 0, 0);
	struct osvec *v = machine(1, NULL, NULL);
	struct prediction *p = predict(NULL, v);
	struct samples x = samples_new(&p, 1, &s);
	struct samples_interval all = samples_interval(&x, x.full, 0, 1);

	ok(all.low == p->total && all.high == p->total, "without errors every sample is the total");
	samples_free(&x);

	s.model.kinds[KIND_NATIVE].own = 0.12;
	x = samples_new(&p, 1, &s);
	struct samples_interval wide = samples_interval(&x, x.full, 0, 0.9);
	/* The 95 % quantile of Student's t with 4 degrees of freedom is 2.132. */
	cmp_near(log(wide.high / wide.median), 0.12 * 2.132, 0.06, "the model error's quantile");
	ok(samples_measured_share(&x) == 0, "all of it model error");
	samples_free(&x);

	s.model.kinds[KIND_NATIVE].own = 0;
	p->coverage = 0.4;
	x = samples_new(&p, 1, &s);
	cmp_near(log_sd(&x, x.full, 0), 0.5 * 0.6, 0.05,
		 "what no entry covers is uncertain by half");
	ok(log_sd(&x, x.measured, 0) < 1e-12, "which is not measurement");
	samples_free(&x);

	/* No standard error but an interval of +-10 % at 95 %, on one entry of four. */
	p->coverage = 1;
	v->entries[0].error = NAN;
	v->entries[0].low = 0.9;
	v->entries[0].high = 1.1;
	x = samples_new(&p, 1, &s);
	cmp_near(log_sd(&x, x.measured, 0), 0.1 / 1.96 * calls[0] / p->total, 0.05,
		 "an interval without a standard error is a normal deviate");
	samples_free(&x);
}

/* Errors that are correlated add up; those that are not average out. */
static void test_correlation(void)
{
	const struct samples_settings s = settings(20000, 1, 0, 0);
	struct osvec *v = machine(1, NULL, NULL);
	struct prediction *p = predict(NULL, v);
	double squares = 0;

	for (int i = 0; i < ENTRIES; i++) {
		v->entries[i].error = 0.01;
		squares += pow(calls[i] * (i + 1) / p->total, 2);
	}
	static const double correlations[] = { 0, 0.5, 1 };
	for (size_t i = 0; i < 3; i++) {
		double rho = correlations[i];

		v->correlation = rho;
		struct samples x = samples_new(&p, 1, &s);
		cmp_near(log_sd(&x, x.measured, 0), 0.01 * sqrt(rho + (1 - rho) * squares), 0.03,
			 "correlation %.1f", rho);
		samples_free(&x);
	}
}

/* The fewer the processes, the wider: as Student's t with n - 1 degrees of freedom. */
static void test_processes(void)
{
	static const struct {
		size_t n;
		double quantile; /* 95 %, from tables */
	} cases[] = { { 0, 1.645 }, { 2, 2.920 }, { 3, 2.920 }, { 6, 2.015 }, { 21, 1.725 } };
	const struct samples_settings s = settings(40000, 1, 0, 0);
	struct osvec *v = machine(1, NULL, NULL);
	struct prediction *p = predict(NULL, v);

	v->correlation = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int k = 0; k < ENTRIES; k++) {
			v->entries[k].error = 0.01;
			v->entries[k].n = cases[i].n;
		}
		struct samples x = samples_new(&p, 1, &s);
		struct samples_interval in = samples_interval(&x, x.measured, 0, 0.9);
		cmp_near(log(in.high / in.low) / 2, 0.01 * cases[i].quantile, 0.02,
			 "the 90 %% interval from %zu processes", cases[i].n);
		samples_free(&x);
	}
}

/* One process shows no error, which is not none. */
static void test_one_process(void)
{
	const struct samples_settings s = settings(20000, 1, 0, 0);
	struct osvec *v = machine(1, NULL, NULL);
	struct prediction *p = predict(NULL, v);

	v->correlation = 1;
	for (int i = 0; i < ENTRIES; i++) {
		v->entries[i].n = 1;
		v->entries[i].error = NAN;
	}
	struct samples x = samples_new(&p, 1, &s);
	cmp_near(log_sd(&x, x.measured, 0), 0.1, 0.03, "one process: a tenth");
	samples_free(&x);
}

/* How often the interval of new machines holds the true value, in percent. */
static double coverage(const struct noise *noise, double model_error, unsigned seed)
{
	enum { REPETITIONS = 500 };
	const double true_value = true_total(1) * (noise->bimodal ? 1.3 : 1);
	struct samples_settings s = settings(300, seed, model_error, 0);
	struct demand *d = keep(demand_new(application(0, NULL, 1)));
	struct random random;
	int inside = 0;

	random_seed(&random, seed);
	for (int i = 0; i < REPETITIONS; i++, s.seed++) {
		struct osvec *v = machine(1, noise, &random);
		struct prediction *p = predict(d, v);
		struct samples x = samples_new(&p, 1, &s);
		struct samples_interval in =
		    samples_interval(&x, model_error ? x.full : x.measured, 0, 0.9);
		double measured = true_value * exp(model_error * random_student(&random, 4));

		inside += in.low <= measured && measured <= in.high;
		samples_free(&x);
	}
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

	/* 90 % of 500 has a standard deviation of 1.3 %. */
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double percent = coverage(&cases[i].noise, cases[i].model_error, (unsigned)i + 1);

		ok(percent >= 86 && percent <= 94,
		   "%s: %.1f %% of 90 %% intervals hold the true value", cases[i].what, percent);
	}
}

static void test_runs(void)
{
	static const double factors[] = { 0.9, 1, 1.1, 1.05, 0.95 };
	const struct samples_settings s = settings(4000, 1, 0, 0);
	struct demand *d = keep(demand_new(application(0, factors, 5)));
	struct osvec *v = machine(1, NULL, NULL), *w = machine(2, NULL, NULL);
	struct prediction *p[] = { predict(d, v), predict(d, w) };
	struct samples x = samples_new(p, 2, &s);
	bool same = true;

	cmp_near(log_sd(&x, x.measured, 0), sample_sd(factors, 5) / sqrt(5), 0.05,
		 "runs vary as their mean does");
	for (size_t k = 0; k < x.n; k++)
		same = same && fabs(x.measured[2 * k + 1] / x.measured[2 * k] - 2) < 1e-12;
	ok(same, "the same runs on all machines: they cancel in ratios");
	samples_free(&x);

	prediction_scale(p[0], 3, 3, 3);
	prediction_scale(p[1], 3, 3, 3);
	p[0]->known = true;
	x = samples_new(p, 2, &s);
	ok(log_sd(&x, x.full, 0) < 1e-12 && log_sd(&x, x.full, 1) < 1e-12,
	   "a machine whose time is known is certain, and others relative to it");
	samples_free(&x);

	/* The errors of both machines are in the ratio that is all that is predicted. */
	const struct samples_settings errs = settings(4000, 1, 0.12, 0);
	struct samples known = samples_new(p, 2, &errs);
	p[0]->known = false;
	struct samples unknown = samples_new(p, 2, &errs);
	same = true;
	for (size_t k = 0; k < known.n; k++) {
		double ratio = unknown.full[2 * k + 1] / unknown.full[2 * k];

		same = same && fabs(known.full[2 * k + 1] / p[0]->total / ratio - 1) < 1e-12 &&
		       known.full[2 * k] == p[0]->total;
		/* Runs are all that the errors of measurement are here, and are the same. */
		same =
		    same && fabs(known.measured[2 * k + 1] / known.measured[2 * k] / 2 - 1) < 1e-12;
	}
	ok(same, "the other machine's time is as uncertain as its ratio to the known one");
	ok(log_sd(&known, known.full, 1) > 1.2 * log_sd(&unknown, unknown.full, 1),
	   "more than one alone");
	samples_free(&known);
	samples_free(&unknown);
}

/* Runs of which one does hardly anything: weighted more than all, it leaves less than nothing. */
static void test_floor(void)
{
	static const double factors[] = { 0.01, 1 };
	const struct samples_settings s = settings(1000, 1, 0, 0);
	struct prediction *p =
	    predict(keep(demand_new(application(0, factors, 2))), machine(1, NULL, NULL));
	struct samples x = samples_new(&p, 1, &s);

	cmp_near(samples_interval(&x, x.measured, 0, 1).low, 1e-6 * p->total, 1e-9,
		 "no sample is less than a millionth of the time");
	samples_free(&x);
}

/* The log standard deviation of the ratio of both machines. */
static double ratio_sd(const struct samples *d)
{
	double *logs = xcalloc(d->n, sizeof(*logs));

	for (size_t k = 0; k < d->n; k++)
		logs[k] = log(d->full[2 * k] / d->full[2 * k + 1]);
	double sd = sample_sd(logs, d->n);
	free(logs);
	return sd;
}

/* What the machines of a kind share is in none of their ratios. */
static void test_kinds(void)
{
	const double deviation = sqrt(2); /* of Student's t with 4 degrees of freedom */
	struct samples_settings s = settings(40000, 1, 0.03, 0);
	struct osvec *v = machine(1, NULL, NULL), *w = machine(2, NULL, NULL);
	struct prediction *p[] = { predict(NULL, v), predict(NULL, w) };

	s.model.kinds[KIND_NATIVE].common = 0.2;
	s.model.kinds[KIND_HOSTED] = (struct model_spread){ 0.04, 0 };
	struct samples x = samples_new(p, 2, &s);
	cmp_near(ratio_sd(&x), deviation * 0.03 * sqrt(2), 0.05, "two machines of a kind");
	samples_free(&x);
	p[1]->kind = KIND_HOSTED;
	x = samples_new(p, 2, &s);
	cmp_near(ratio_sd(&x), deviation * sqrt(0.03 * 0.03 + 0.2 * 0.2 + 0.04 * 0.04), 0.05,
		 "two kinds");
	samples_free(&x);
}

/* The price of a line is wrong alike on all machines: what counts is where they spend their time.
 * The state of a host is each machine's own. */
static void test_lines_and_states(void)
{
	const double deviation = sqrt(2); /* of Student's t with 4 degrees of freedom */
	struct samples_settings s = settings(40000, 1, 0, 0);
	struct osvec *v = machine(1, NULL, NULL), *w = machine(3, NULL, NULL);
	struct prediction *p[] = { predict(NULL, v), predict(NULL, w) };
	struct model_case a, b;

	s.model.lines = 0.2;
	struct samples x = samples_new(p, 2, &s);
	ok(ratio_sd(&x) < 1e-9, "three times as slow in all, in the same lines");
	samples_free(&x);
	w->entries[0].seconds *= 20;
	p[1] = predict(NULL, w);
	x = samples_new(p, 2, &s);
	a = doubt_case(p[0]);
	b = doubt_case(p[1]);
	cmp_near(ratio_sd(&x), deviation * model_error_of_ratio(&s.model, &a, &b), 0.05,
		 "in one that is dearer there");
	ok(ratio_sd(&x) > 0.05, "which is not nothing");
	cmp_near(log_sd(&x, x.full, 0), deviation * model_error_of(&s.model, &a), 0.05,
		 "a time has all of them");
	samples_free(&x);
	free(a.lines);
	free(b.lines);
	s.model.lines = 0;
	json_object_set_new(v->meta, "canaries", json_pack("{s[fff]}", "call", 1.0, 0.8, 1.2));
	x = samples_new(p, 2, &s);
	cmp_near(ratio_sd(&x), osvec_host_spread(v), 0.05, "the host's state is in ratios");
	ok(log_sd(&x, x.measured, 0) < 1e-9, "which is not measurement");
	samples_free(&x);
}

/* Hosts move: after all vectors known of them, those of one host together. */
static void test_hosts(void)
{
	struct samples_settings s = settings(40000, 1, 0, 0);
	struct osvec *v = machine(1, NULL, NULL), *w = machine(3, NULL, NULL);
	struct prediction *p[] = { predict(NULL, v), predict(NULL, w) };

	s.model.host = 0.1;
	s.model.host_from = 0.04;
	p[1]->host.spread = 0.02;
	struct samples x = samples_new(p, 2, &s);
	cmp_near(ratio_sd(&x), 0.1 * sqrt(2 + 0.5), 0.03, "two hosts, of which one moves less");
	samples_free(&x);
	p[1]->host = p[0]->host;
	p[0]->host.vectors = p[1]->host.vectors = 4;
	x = samples_new(p, 2, &s);
	cmp_near(ratio_sd(&x), 0.1 * sqrt(2), 0.03, "one host with four vectors");
	struct samples_settings close = settings(40000, 1, 0.05, 0);
	close.model.siblings = 0.03;
	struct samples kin = samples_new(p, 2, &close);
	/* The deviation of Student's t with 4 degrees of freedom is sqrt(2). */
	cmp_near(ratio_sd(&kin), 2 * 0.03, 0.05, "siblings share the rest of their own error");
	cmp_near(log_sd(&kin, kin.full, 1), sqrt(2) * 0.05, 0.05, "which each time has");
	samples_free(&kin);
	cmp_near(log_sd(&x, x.full, 1), 0.1 * sqrt(1.25), 0.03, "which are in a time");
	samples_free(&x);
	p[0]->host.turns = p[1]->host.turns = v;
	x = samples_new(p, 2, &s);
	ok(ratio_sd(&x) < 1e-9, "in turns: one state for both");
	cmp_near(log_sd(&x, x.full, 1), 0.1 * sqrt(1.25), 0.03, "which is in a time as before");
	samples_free(&x);
	p[0]->host.turns = p[1]->host.turns = w;
	x = samples_new(p, 2, &s);
	ok(ratio_sd(&x) < 1e-9, "by whichever of them they are known");
	samples_free(&x);
	p[0]->host.turns = v;
	x = samples_new(p, 2, &s);
	cmp_near(ratio_sd(&x), 0.1 * sqrt(2), 0.03, "each in turns with a third: two later states");
	samples_free(&x);
	p[1]->host.turns = NULL;
	x = samples_new(p, 2, &s);
	cmp_near(ratio_sd(&x), 0.1 * sqrt(2), 0.03, "one of them: the same");
	samples_free(&x);
	p[0]->host.first = w;
	p[1]->host.first = w;
	x = samples_new(p, 2, &s);
	cmp_near(ratio_sd(&x), 0.1 * sqrt(2), 0.03, "of a host whose first vector comes later");
	samples_free(&x);
}

/*
 * In situ the kernel part of another machine is a ratio to the reference's, whose own is its
 * system time: the errors of the reference's entries are in the other machine's time, and the runs'
 * system time is in both.
 */
static void test_insitu(void)
{
	const struct samples_settings s = settings(20000, 1, 0, 0);
	struct appvec *a = application(0, NULL, 3);
	struct osvec *here = machine(1, NULL, NULL), *there = machine(2, NULL, NULL);
	static const double system[] = { 9, 10, 11 };
	static const struct lenders nobody;

	for (int r = 0; r < 3; r++)
		a->runs[r].system = system[r];
	for (int i = 0; i < ENTRIES; i++)
		here->entries[i].error = 0.01;
	here->correlation = 1;
	struct demand *d = keep(demand_new(a));
	struct prediction *p[] = { keep(prediction_new(d, here, here, 0, nobody, NULL)),
				   keep(prediction_new(d, there, here, 0, nobody, NULL)) };
	struct samples x = samples_new(p, 2, &s);
	cmp_near(ratio_sd(&x), 0.01, 0.03, "uncalibrated: the error of the reference's entries");
	cmp_near(log_sd(&x, x.full, 1), 0, 1e-9, "which is none of the other machine's time");
	samples_free(&x);
	p[0]->insitu = p[1]->insitu = p[0];
	x = samples_new(p, 2, &s);
	cmp_near(ratio_sd(&x), 0.01, 0.03, "in situ: the same in the ratio,");
	cmp_near(log_sd(&x, x.full, 0), 0.1 / sqrt(3), 0.05,
		 "the reference as uncertain as its system time,");
	cmp_near(log_sd(&x, x.full, 1), hypot(0.1 / sqrt(3), 0.01), 0.05, "the other by both");
	samples_free(&x);
}

/* Machines that are as fast as each other in a sample: each is the slower one in half of it. */
static void test_slower(void)
{
	double times[] = { 1, 1, 2, 1 };
	const struct samples d = { .n = 2, .m = 2, .full = times };

	cmp_near(samples_slower(&d, 0, 1), 0.75, 0, "one that is slower once and as fast once");
	cmp_near(samples_slower(&d, 1, 0), 0.25, 0, "and the other one");
}

int main(void)
{
	test_slower();
	test_kinds();
	test_lines_and_states();
	test_hosts();
	test_insitu();
	test_seed();
	test_sources();
	test_correlation();
	test_processes();
	test_one_process();
	test_runs();
	test_floor();
	test_coverage();
	return done_testing();
}
