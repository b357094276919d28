/* SPDX-License-Identifier: MIT */
/* Tests of lib/model/doubt: what a change of an entry does to a prediction, told in advance. */
#include "model/doubt.h"

#include <math.h>

#include "../tap.h"
#include "kept.h"
#include "model/samples.h"
#include "util/xalloc.h"

static const struct lenders nobody;
static const char *const names[] = { "cpu_a", "cpu_b", "cpu_start", "lat_x", "lat_y" };
enum { ENTRIES = 5 };

/* Costs in the order of the names, all with the standard error of a tenth. */
static struct osvec *machine(const char *name, const double *seconds)
{
	struct osvec *v = keep(osvec_new(name));

	for (int i = 0; i < ENTRIES; i++)
		osvec_add(v, (struct osvec_entry){ .name = xstrdup(names[i]),
						   .seconds = seconds[i],
						   .low = seconds[i],
						   .high = seconds[i],
						   .error = 0.1 });
	osvec_finish(v, NULL);
	return v;
}

/* 3 calls of x and 5 of y, user time, of which two calls are followed by a part; system is that of
 * two runs. */
static struct appvec *application(double user, double system, double more)
{
	char *text = xasprintf(
	    "{\"schema\": \"osvec-application/1\", \"name\": \"app\", \"units\": 1, \"unit\": "
	    "\"run\", "
	    "\"machine\": {}, \"user_entries\": [\"cpu_a\", \"cpu_b\"], "
	    "\"runs\": [{\"user\": %g, \"system\": %g}, {\"user\": %g, \"system\": %g}], "
	    "\"traces\": [{\"trace\": \"t\", \"processes\": 1, \"threads\": 1, \"calls\": 8, "
	    "\"mapped_calls\": 8, \"lost\": 0, \"unfinished\": 0, \"items\": ["
	    "{\"entry\": \"cpu_start\", \"weight\": 1, \"part\": \"user\", \"calls\": 2, "
	    "\"bytes\": 0, \"from\": \"z\"}, "
	    "{\"entry\": \"lat_x\", \"weight\": 1, \"part\": \"kernel\", \"calls\": 3, \"bytes\": "
	    "0, "
	    "\"from\": \"x\"}, {\"entry\": \"lat_y\", \"weight\": 1, \"part\": \"kernel\", "
	    "\"calls\": 5, \"bytes\": 0, \"from\": \"y\"}]}]}",
	    user, system, user, system * more);
	struct error e;
	struct appvec *a = keep(appvec_parse(text, strlen(text), "app.json", &e));

	free(text);
	if (!a)
		fprintf(stderr, "%s\n", e.text);
	return a;
}

/* On there of what was recorded on here; in situ: the kernel part times system / that on here. */
static struct prediction *predict(struct demand *d, const struct osvec *here,
				  const struct osvec *there, bool insitu)
{
	demand_split_user(d, here);
	struct prediction *p = keep(prediction_new(d, there, here, 0, nobody, NULL));
	struct prediction *r = keep(prediction_new(d, here, here, 0, nobody, NULL));

	if (insitu) {
		prediction_scale(p, prediction_inflation(r), 1, 1);
		p->insitu = r;
	}
	return p;
}

static double doubt_of(const struct doubts *d, const struct osvec_entry *x)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].entry == x)
			return d->v[i].error;
	return 0;
}

/* Each entry of both machines a hundred-thousandth dearer: the logarithm of the time moves as told.
 */
static void test_derivatives(bool insitu)
{
	const double small = 1e-5;
	struct osvec *here = machine("here", (double[]){ 1, 2, 6, 3, 4 });
	struct osvec *there = machine("there", (double[]){ 2, 7, 9, 5, 1 });
	struct demand *d = keep(demand_new(application(50, 40, 1)));
	struct prediction *p = predict(d, here, there, insitu);
	struct osvec *both[] = { here, there };
	struct doubts told = { 0 };

	doubt_add(&told, p, 1);
	for (int m = 0; m < 2; m++)
		for (int i = 0; i < ENTRIES; i++) {
			struct osvec_entry *x = &both[m]->entries[i];
			double before = x->seconds;

			x->seconds *= 1 + small;
			double moved =
			    log(predict(d, here, there, insitu)->total / p->total) / small;
			x->seconds = before;
			cmp_near(10 * doubt_of(&told, x), moved, 1e-4, "%s of %s%s", x->name,
				 both[m]->machine, insitu ? ", in situ" : "");
		}
	struct prediction *q = predict(d, here, here, insitu);
	doubt_add(&told, p, -1);
	for (size_t i = 0; i < told.n; i++)
		ok(fabs(told.v[i].error) < 1e-12, "a prediction less itself rests on nothing");
	told.n = 0;
	doubt_add(&told, q, 1);
	ok(!insitu || (fabs(doubt_variance(&told, here)) < 1e-12),
	   "in situ the reference's entries cancel on itself");
	vec_free(&told);
}

static void test_variance(void)
{
	struct osvec v = { .correlation = 0.25 }, other = { .correlation = 0 };
	struct doubt x[] = { { NULL, &v, 0.3 }, { NULL, &v, -0.1 }, { NULL, &other, 9 } };
	const struct doubts d = { x, 3, 3 };

	cmp_near(doubt_variance(&d, &v), 0.25 * 0.04 + 0.75 * 0.1, 1e-12,
		 "errors of one machine share its correlation");
}

/* In situ a run's system time moves the kernel part; its share differs between the machines. */
static void test_runs(void)
{
	struct osvec *here = machine("here", (double[]){ 1, 1, 0, 1, 1 });
	struct osvec *there = machine("there", (double[]){ 1, 1, 0, 10, 10 });
	struct demand *d = keep(demand_new(application(8, 8, 1.5)));
	struct prediction *a = predict(d, here, here, true), *b = predict(d, here, there, true);
	double share = b->kernel / b->total - a->kernel / a->total;

	cmp_near(a->kernel, 10, 1e-12, "the system time");
	/* Runs of 8 and 12 s: the standard error of the mean is a fifth of it. */
	cmp_near(sqrt(doubt_runs(a, b)), 0.2 * share, 1e-9, "the runs' part of a ratio");
	cmp_near(doubt_runs(a, a), 0, 1e-12, "none with itself");
	struct demand *same = keep(demand_new(application(8, 8, 1)));
	cmp_near(doubt_runs(predict(same, here, here, true), predict(same, here, there, true)), 0,
		 1e-12, "none of runs that are equal");
}

static void test_uncovered(void)
{
	struct osvec *here = machine("here", (double[]){ 1, 1, 0, 1, 1 });
	struct prediction *p = predict(keep(demand_new(application(8, 8, 1))), here, here, false);

	p->coverage = 0.6;
	cmp_near(doubt_uncovered(p), 0.5 * 0.4 * 0.5, 1e-12, "half of what no entry covers");
	struct prediction_line *user = &p->lines[p->nlines - 1];
	user->borrowed = true;
	cmp_near(doubt_uncovered(p), 0.5 * (0.4 * 0.5 + user->seconds / p->total), 1e-12,
		 "and of what is lent beside the kernel part");
	p->lines[0].borrowed = true;
	cmp_near(doubt_uncovered(p), 0.5 * (0.4 * 0.5 + user->seconds / p->total), 1e-12,
		 "of which the coverage knows");
	p->lines[0].kind = LINE_KERNEL;
	p->lines[0].waits = 0.1 * p->total;
	cmp_near(doubt_uncovered(p), 0.5 * (0.4 * 0.5 + user->seconds / p->total + 0.1), 1e-12,
		 "but for what is lent of waits in calls");
}

/* All that was measured: its parts by themselves. */
static void test_ratio(bool insitu)
{
	struct osvec *here = machine("here", (double[]){ 1, 1, 0, 1, 1 });
	struct osvec *there = machine("there", (double[]){ 1, 1, 0, 10, 10 });
	struct demand *d = keep(demand_new(application(8, 8, 1.5)));
	struct prediction *a = predict(d, here, here, insitu), *b = predict(d, here, there, insitu);
	struct doubts both = { 0 };

	doubt_add(&both, b, 1);
	doubt_add(&both, a, -1);
	a->coverage = 0.9;
	cmp_near(doubt_ratio(a, b),
		 doubt_variance(&both, here) + doubt_variance(&both, there) + doubt_runs(a, b) +
		     pow(doubt_uncovered(a), 2),
		 1e-12, "each machine once, the runs, and what is not covered");
	a->coverage = 1;
	cmp_near(doubt_ratio(a, a), 0, 1e-12, "none with itself");
	vec_free(&both);
}

/* A line of the same call dearer by a hundred-thousandth on both machines: the time moves as told.
 */
static void test_lines(bool insitu)
{
	const double small = 1e-5;
	struct osvec *here = machine("here", (double[]){ 1, 2, 6, 3, 4 });
	struct osvec *there = machine("there", (double[]){ 2, 7, 9, 5, 1 });
	struct demand *d = keep(demand_new(application(50, 40, 1)));
	struct prediction *p = predict(d, here, there, insitu), *q = predict(d, here, here, insitu);
	struct model_case told = doubt_case(p), itself = doubt_case(q);
	double user = p->lines[p->nlines - 1].seconds / p->total, sum = 0;

	cmp_int(told.kind, KIND_NATIVE, "its kind");
	for (int i = 2; i < ENTRIES; i++) {
		here->entries[i].seconds *= 1 + small;
		there->entries[i].seconds *= 1 + small;
		cmp_near(i == 2 ? told.user[0] : told.lines[i - 2],
			 log(predict(d, here, there, insitu)->total / p->total) / small, 1e-4,
			 "%s%s", names[i], insitu ? ", in situ" : "");
		here->entries[i].seconds /= 1 + small;
		there->entries[i].seconds /= 1 + small;
	}
	cmp_near(told.most, (50 - 12) / 12.0, 1e-9, "the rest of the user time over what is taken");
	/* Ratios of 2 and 3.5: not half of the user time each, but 2 / 5.5 and 3.5 / 5.5 of it. */
	cmp_near(told.lines[told.nlines - 2], user * (2 / 5.5 - 0.5), 1e-12, "cpu_a");
	cmp_near(told.lines[told.nlines - 1], user * (3.5 / 5.5 - 0.5), 1e-12, "cpu_b");
	for (size_t i = 0; i < itself.nlines; i++)
		sum += fabs(itself.lines[i]) + fabs(itself.user[i]);
	ok(insitu ? sum < 1e-12 : sum > 0.1, "in situ the reference's time is known");
	free(told.lines);
	free(itself.lines);
}

/* The median of user entries: each counts alike, and the shares of the user time do not matter. */
static void test_median(void)
{
	struct osvec *here = machine("here", (double[]){ 1, 2, 6, 3, 4 });
	struct osvec *there = machine("there", (double[]){ 2, 7, 9, 5, 1 });
	struct prediction *p =
	    predict(keep(demand_new(application(50, 40, 1))), here, there, false);
	double user = p->lines[p->nlines - 1].seconds / p->total;
	struct doubts told = { 0 };

	p->user_median = true;
	doubt_add(&told, p, 1);
	for (int i = 0; i < 2; i++) {
		double error = 0.1 * user * sqrt(M_PI / 2) / 2;

		cmp_near(doubt_of(&told, &there->entries[i]), error, 1e-4, "of the median");
		cmp_near(doubt_of(&told, &here->entries[i]), -error, 1e-4, "and back");
	}
	struct model_case c = doubt_case(p);
	ok(c.lines[c.nlines - 1] == 0 && c.lines[c.nlines - 2] == 0, "whatever their shares");
	free(c.lines);
	vec_free(&told);
}

/*
 * Where programs start: 24 of 40 s of user time on one machine, for which the other takes nearly
 * none, and computes five times as slowly.  Whatever the price, the rest is between 0 and 40 s: the
 * other takes 0 to 200 s for it and 23 for its calls.
 */
static void test_start(void)
{
	struct osvec *here = machine("here", (double[]){ 1, 1, 12, 1, 4 });
	struct osvec *there = machine("there", (double[]){ 5, 5, 1e-3, 1, 4 });
	struct demand *d = keep(demand_new(application(40, 23, 1)));
	struct prediction *p[] = { predict(d, here, here, true), predict(d, here, there, true) };
	struct samples_settings s = { 4000, 1, { .lines = 0.5, .freedom = 9 } };
	double low = INFINITY, high = 0, itself = 0;

	for (int i = 0; i < ENTRIES; i++)
		here->entries[i].error = there->entries[i].error = 0;
	struct samples x = samples_new(p, 2, &s);
	for (size_t k = 0; k < s.n; k++) {
		itself = fmax(itself, fabs(log(x.full[2 * k] / 63)));
		low = fmin(low, x.full[2 * k + 1]);
		high = fmax(high, x.full[2 * k + 1]);
	}
	ok(itself < 1e-9, "the reference is known: %g", itself);
	ok(low > 22.9 && low < 23.5, "the rest of the user time ends at 0: %g s", low);
	ok(high > 180 && high < 223.1, "and at all of it: %g s", high);
	samples_free(&x);
}

int main(void)
{
	test_lines(false);
	test_lines(true);
	test_median();
	test_start();
	test_derivatives(false);
	test_derivatives(true);
	test_variance();
	test_runs();
	test_ratio(false);
	test_ratio(true);
	test_uncovered();
	return done_testing();
}
