/* SPDX-License-Identifier: MIT */
/* Tests of lib/model/demand: what is measured on the reference and changes a demand, by hand. */
#include "predicted.h"

#include <math.h>

#include "model/samples.h"

/* A machine with one CPU has entries with both parties on it instead. */
static void test_one_cpu(void)
{
	struct osvec *m = machine("m", COST("x@same", 2) "," COST("y", 1) "," COST(
					   "y@same", 5) "," POINT("c_1@same", "c_*@same", 1, 3));
	struct appvec *a =
	    one_run("", "\"items\": [" ITEM("x", 1, "kernel", 10) "," ITEM(
			    "y", 1, "kernel", 10) "," CURVE("c_*", 10, "[[1, 10]]") "]");
	struct prediction *p = predict(a, m, NULL, nobody);

	cmp_near(line(p, "x")->seconds, 20, 1e-12, "an entry with both parties on one CPU");
	cmp_near(line(p, "c_*")->seconds, 30, 1e-12, "so is a curve");
	cmp_near(line(p, "y")->seconds, 10, 1e-12, "unless there is the usual one");
	ok(!line(p, "x")->borrowed && p->coverage == 1, "all measured here");
}

/* A share of the calls that pass data is priced as on one CPU, where the reference knows that. */
static void test_one_cpu_share(void)
{
	const struct osvec *here = machine(
	    "here", COST("x", 4) "," COST("x@same", 1) "," COST("y", 3) "," POINT(
			"c_1", "c_*", 1,
			10) "," POINT("c_4", "c_*", 4,
				      20) "," POINT("c_1@same", "c_*@same", 1,
						    2) "," POINT("c_4@same", "c_*@same", 4, 3));
	const struct osvec *alone = machine("alone", COST("x@same", 5) "," COST("y", 3));
	const struct osvec *apart = machine("apart", COST("x", 8) "," COST("y", 6));
	const char *const runs[] = {
		"\"user\": 1, \"voluntary\": 2, \"items\": [" ITEM("x", 1, "kernel", 10) "," ITEM(
		    "y", 1, "kernel", 10) "," ITEM("x", 1, "wait",
						   10) "," CURVE("c_*", 10, "[[1, 6], [4, 4]]") "]",
		"\"user\": 1, \"voluntary\": 2, \"items\": [" ITEM("x", 1, "kernel", 30) "," ITEM(
		    "y", 1, "kernel", 10) "," ITEM("x", 1, "wait",
						   10) "," CURVE("c_*", 10, "[[1, 6], [4, 4]]") "]"
	};
	struct demand *d = keep(demand_new(application("\"switch_entry\": \"y\",", runs, 2)));
	const struct lenders lenders = { &here, 1 };
	struct error e;

	demand_price_on_one_cpu(d, here, 1);
	demand_price_on_one_cpu(d, here, 0.3);
	struct prediction *p = keep(prediction_new(d, here, here, 0, nobody, &e));
	cmp_near(line(p, "x")->seconds, 14 * 4, 1e-12, "the rest of the calls is on two CPUs");
	cmp_near(line(p, "x@same")->seconds, 6 * 1, 1e-12, "a share of them on one");
	cmp_near(line(p, "x@same")->calls, 6, 1e-12, "so many calls");
	cmp_near(line(p, "c_*")->seconds, 0.7 * (6 * 10 + 4 * 20), 1e-12, "so is a curve");
	cmp_near(line(p, "c_*@same")->seconds, 0.3 * (6 * 2 + 4 * 3), 1e-12, "and its share");
	cmp_near(p->kernel, 56 + 6 + 98 + 7.2 + 12 * 3, 1e-12, "other calls and switches stay");
	double first = 0;
	for (size_t i = 0; i < p->ncharges; i++)
		if (p->charges[i].line == (size_t)(line(p, "x@same") - p->lines))
			first += p->by_run[i * 2];
	cmp_near(first, 3, 1e-12, "in each run its own");
	cmp_near(p->wait, 40, 1e-12, "as do waits");
	p = keep(prediction_new(d, alone, here, 0, nobody, &e));
	cmp_near(line(p, "x")->seconds + line(p, "x@same")->seconds, 20 * 5, 1e-12,
		 "on one CPU it makes no difference");
	p = keep(prediction_new(d, apart, here, 0, lenders, &e));
	cmp_near(line(p, "x@same")->seconds, 6 * 2, 1e-12, "lent to a machine without it");
	ok(line(p, "x@same")->borrowed, "and said to be");
	demand_price_on_one_cpu(d, here, 0);
	p = keep(prediction_new(d, here, here, 0, nobody, &e));
	ok(line(p, "x")->seconds == 80 && line(p, "x@same")->seconds == 0, "and all of them back");
	d = keep(demand_new(d->application));
	const size_t n = d->items.n;
	demand_price_on_one_cpu(d, apart, 0.5);
	demand_price_on_one_cpu(d, alone, 0.5);
	demand_price_on_one_cpu(d, NULL, 0.5);
	ok(d->items.n == n, "not where the reference has one of both, or there is none");
}

/* A program that sleeps does so as long everywhere, at any level. */
static void test_asleep(void)
{
	const struct osvec *here = machine("here", COST("x", 4) "," COST("i", 1));
	const struct osvec *there = machine("there", COST("x", 8) "," COST("i", 3));
	struct appvec *a = one_run("\"user_entries\": [\"i\"],",
				   "\"user\": 2, \"system\": 40, \"asleep\": 5, \"items\": [" ITEM(
				       "x", 1, "kernel", 10) "]");
	struct prediction *p = predict(a, there, here, nobody);

	cmp_near(line(p, "asleep")->seconds, 5, 1e-12, "asleep");
	ok(isnan(line(p, "asleep")->calls) && !line(p, "asleep")->borrowed, "which is no call");
	cmp_near(p->wait, 5, 1e-12, "a wait");
	cmp_near(p->user, 6, 1e-12, "beside user time");
	cmp_near(p->total, 80 + 6 + 5, 1e-12, "and the rest");
	is_string(p->lines[p->nlines - 1].name, "user", "the last line is user time");
	prediction_scale(p, 2, 1, 1);
	cmp_near(p->total, 160 + 6 + 5, 1e-12, "no inflation makes it longer");
	struct model_case c = doubt_case(p);
	const size_t at = (size_t)(line(p, "asleep") - p->lines);
	ok(c.lines[at] == 0 && c.lines[0] != 0, "its length is not in doubt");
	free(c.lines);
	struct prediction_part *parts = xcalloc(p->nlines, sizeof(*parts));
	prediction_difference(p, predict(a, here, here, nobody), parts);
	for (size_t i = 0; i < p->nlines; i++)
		if (parts[i].a->kind == LINE_ASLEEP)
			ok(isnan(parts[i].flip_a) && isnan(parts[i].flip_b),
			   "nor another on another machine");
	free(parts);
	prediction_scale(p, 1, 1, 0);
	cmp_near(p->total, 160 + 6, 1e-12, "and is no CPU time");
	a->traces[0].asleep = 1000;
	p = predict(a, there, here, nobody); /* 86 s beside that */
	struct samples_settings set = { .n = 400,
					.seed = 1,
					.model = { .kinds = { [KIND_NATIVE] = { 0.2, 0 } },
						   .freedom = 9 } };
	struct samples x = samples_new(&p, 1, &set);
	double least = INFINITY, most = 0;
	for (size_t k = 0; k < set.n; k++) {
		least = fmin(least, x.full[k]);
		most = fmax(most, x.full[k]);
	}
	ok(least > 1020 && least < 1080 && most > 1095 && most < 1300,
	   "no sample sleeps for longer: %g to %g s", least, most);
	samples_free(&x);
	a->traces[0].asleep = NAN;
	p = predict(a, there, here, nobody);
	ok(!line(p, "asleep") && p->wait == 0, "unless none is known");
}

/* What four syncs in each of some traces that took so long, a JSON member, wait for on a slower
 * machine; if calibrated by one on which a sync takes 10 s, 2 of them on the CPU. */
static double waits(const char *time, size_t traces, bool calibrated)
{
	struct osvec *here = machine("here", COST("sync", 10) "," COST("sync-cpu", 2));
	struct osvec *there = machine("there", COST("sync", 30) "," COST("sync-cpu", 4));
	char *items =
	    xasprintf("\"items\": [{\"entry\": \"sync-cpu\", \"weight\": 1, \"part\": \"kernel\", "
		      "\"calls\": 4, \"bytes\": 0%s}, " ITEM("sync", 1, "wait", 4) "," ITEM(
			  "sync-cpu", -1, "wait", 4) "]",
		      time);
	struct demand *d =
	    keep(demand_new(application("", (const char *[]){ items, items }, traces)));
	struct error e;

	free(items);
	demand_scale_waits(d, here);
	if (!calibrated)
		demand_scale_waits(d, NULL);
	struct prediction *p = keep(prediction_new(d, there, here, 0, nobody, &e));
	cmp_near(p->kernel, 4 * 4, 1e-12, "CPU time as ever");
	return p->wait;
}

#define TAILED(name, seconds, mean) \
	"{\"entry\": \"" name "\", \"seconds\": " #seconds ", \"mean\": " #mean \
	", \"error\": 0.1, \"mean_error\": 0.3}"

/* What a device takes now and then adds up; what others take from a CPU says nothing of a call. */
static void test_tails(void)
{
	const struct osvec *here =
	    machine("here", TAILED("call_1", 1, 5) "," TAILED("sync_4k", 10,
							      20) "," TAILED("sync-cpu_4k", 2, 3));
	const struct osvec *there =
	    machine("there", TAILED("call_1", 2, 9) "," TAILED("sync_4k", 20,
							       50) "," TAILED("sync-cpu_4k", 4, 6));
	const struct osvec *poor = machine("poor", COST("call_1", 3));
	const struct lenders lenders = { &here, 1 };
	struct demand *d = keep(demand_new(one_run(
	    "", "\"items\": [" ITEM(
		    "call_1", 1, "kernel",
		    4) ", {\"entry\": \"sync-cpu_4k\", \"weight\": 1, "
		       "\"part\": \"kernel\", \"calls\": 4, \"bytes\": 0, \"time\": 44}, " ITEM(
			   "sync_4k", 1, "wait", 4) "," ITEM("sync-cpu_4k", -1, "wait", 4) "]")));
	struct error e;
	struct prediction *p = keep(prediction_new(d, here, here, 0, nobody, &e));

	cmp_near(p->kernel, 4 * 1 + 4 * 2, 1e-12, "CPU time is what most calls take");
	cmp_near(p->wait, 4 * (20 - 2), 1e-12, "a wait the mean");
	struct doubts doubts = { 0 };
	doubt_add(&doubts, p, 1);
	for (size_t i = 0; i < doubts.n; i++)
		if (!strcmp(doubts.v[i].entry->name, "sync_4k"))
			cmp_near(doubts.v[i].error, 0.3 * 80 / 84, 1e-6, "with its error");
	vec_free(&doubts);
	p = keep(prediction_new(d, poor, here, 0, lenders, &e));
	cmp_near(p->wait, 4 * (20 - 2) * 3, 1e-12, "also when it is lent");
	demand_scale_waits(d, here);
	p = keep(prediction_new(d, here, here, 0, nobody, &e));
	cmp_near(p->wait, 4 * (11 - 2), 1e-12, "the reference waits as long as it did");
	p = keep(prediction_new(d, there, here, 0, nobody, &e));
	cmp_near(p->wait, 4 * (50 - 4) * 9. / 18, 1e-12, "others in proportion to the mean");
	here->entries[2].mean_error = 0.51;
	is_string(here->entries[2].name, "sync_4k", "of which one wait was long");
	demand_scale_waits(d, NULL);
	p = keep(prediction_new(d, here, here, 0, nobody, &e));
	cmp_near(p->wait, 4 * (10 - 2), 1e-12, "not to one that nobody knows");
}

/* Two starts of programs take 3 s each on the machine that was recorded on, and other user code
 * there takes half as long as on another. */
static void test_user_entries(void)
{
	static const struct {
		double seconds; /* of user time, measured */
		bool known;	/* the machine that was recorded on */
		const char *there;
		double user, starts;
	} cases[] = {
		{ 20, true, "," COST("cpu_start", 30), 14 * 2 + 60, 60 },
		{ 20, false, "," COST("cpu_start", 30), 20 * 2, 0 },
		{ 20, true, "", 20 * 2, 12 },			/* lent, like other user code */
		{ 4, true, "," COST("cpu_start", 30), 40, 40 }, /* two thirds of what they cost */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct osvec *here = machine(
		    "here", COST("call", 1) "," COST("cpu_int", 1) "," COST("cpu_start", 3));
		char *entries =
		    xasprintf("%s%s", COST("call", 1) "," COST("cpu_int", 2), cases[i].there);
		struct osvec *there = machine("there", entries);
		const struct osvec *both[] = { here, there };
		const struct lenders lenders = { both, 2 };
		char *run =
		    xasprintf("\"user\": %g, \"items\": [%s]", cases[i].seconds,
			      ITEM("cpu_start", 1, "user", 2) "," ITEM("call", 1, "kernel", 0));
		struct demand *d =
		    keep(demand_new(one_run("\"user_entries\": [\"cpu_int\"],", run)));
		struct error e;

		free(entries);
		free(run);
		demand_split_user(d, here);
		demand_split_user(d, cases[i].known ? here : NULL);
		struct prediction *p = keep(prediction_new(d, there, here, 0, lenders, &e));
		cmp_near(p->user, cases[i].user, 1e-12, "%zu: user time", i);
		cmp_near(p->total, p->user, 1e-12, "%zu: and nothing else", i);
		cmp_near(line(p, "cpu_start")->seconds, cases[i].starts, 1e-12, "%zu: of starts",
			 i);
		p = keep(prediction_new(d, here, here, 0, lenders, &e));
		cmp_near(p->user, cases[i].seconds, 1e-12, "%zu: where recorded, as measured", i);
	}
}

/* What ran while code took 1.2 times as long, and calls 1.1 times, has used so much less in the
 * state of the vector. */
static void test_state(void)
{
	static const struct {
		double code, call, user, system;
	} cases[] = {
		{ 2.4, 3.3, 6 / 1.2, 8 / 1.1489125293 }, /* the root of 1.2 * 1.1 */
		{ 2, 3, 6, 8 },
		{ 1.1, 1.6, 6 / 0.55, 8 / 0.5416025603 },
		{ 4.1, 3, 6, 8 }, /* what no other user of the host explains */
		{ 2, 1.4, 6, 8 },
	};
	struct osvec *here = machine("here", COST("call", 1) "," COST("cpu_start", 1));

	osvec_set_canary(here, 0, &(struct osvec_canary){ 9, 1, 9, 2 });
	osvec_set_canary(here, 1, &(struct osvec_canary){ 9, 1, 9, 3 });
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *state = xasprintf("\"canaries\": {\"code\": %g, \"call\": %g},",
					cases[i].code, cases[i].call);
		struct demand *d =
		    keep(demand_new(one_run(state, "\"user\": 6, \"system\": 8, \"items\": [" ITEM(
						       "cpu_start", 1, "user", 2) "]")));

		free(state);
		for (int again = 0; again < 2; again++) {
			demand_set_state(d, here);
			demand_split_user(d, here);
			cmp_near(d->runs[0].user, cases[i].user - 2, 1e-9, "%zu: user time", i);
			cmp_near(d->runs[0].system, cases[i].system, 1e-9, "%zu: of a run", i);
			cmp_near(d->system, cases[i].system, 1e-9, "%zu: system time", i);
		}
		demand_set_state(d, NULL);
		demand_split_user(d, here);
		cmp_near(d->runs[0].user, 4, 1e-9, "%zu: without a reference, as measured", i);
		cmp_near(d->system, 8, 1e-9, "%zu: both", i);
	}
	struct demand *half = keep(
	    demand_new(one_run("\"canaries\": {\"code\": 2.4},", "\"user\": 6, \"items\": []")));
	demand_set_state(half, here);
	cmp_near(half->runs[0].user, 6, 0, "calls are not known, and so the state is not");
}

/* No run has less user time than is taken from it. */
static void test_user_of_runs(void)
{
	static const char *const runs[] = {
		"\"user\": 5, \"items\": [" ITEM("cpu_start", 1, "user", 10) "]",
		"\"user\": 5, \"items\": [" ITEM("cpu_start", 1, "user", 3) "]",
	};
	struct demand *d = keep(demand_new(application("", runs, 2)));

	demand_split_user(d, machine("here", COST("cpu_start", 1)));
	cmp_near(d->runs[0].user, 0, 1e-12, "all that the first run has");
	cmp_near(d->runs[1].user, 3.5, 1e-12, "and the same share of the second");
}

/* Ten calls of 0.2 s are half in user mode, and of the faults of 0.3 s, one of which is inside each
 * call, a third. */
static void test_user_mode(void)
{
	static const char *const runs[] = {
		"\"user\": 6, \"system\": 8, \"minor_faults\": 30, \"items\": [" ITEM(
		    "call", 1, "kernel", 10) "]",
		"\"user\": 6, \"system\": 8, \"minor_faults\": 90, \"items\": [" ITEM(
		    "call", 1, "kernel", 10) "," ITEM("call", 1, "wait", 10) "]",
	};
	const struct osvec
	    *plain = machine("plain", COST("call", 1)),
	    *here = machine("here",
			    "{\"entry\": \"call\", \"seconds\": 0.2, \"user\": 0.5, \"faults\": 1},"
			    "{\"entry\": \"fault\", \"seconds\": 0.3, \"user\": 0.333333333333}");
	struct demand *d = keep(demand_new(application("\"fault_entry\": \"fault\",", runs, 2)));
	struct error e;

	for (int again = 0; again < 2; again++) {
		demand_set_state(d, here);
		demand_split_user(d, here);
		double *seconds =
		    prediction_user_mode(keep(prediction_new(d, here, here, 0, nobody, &e)));
		cmp_near(seconds[0], 1 + 2, 1e-9, "10 calls and 20 more faults");
		cmp_near(seconds[1], 1 + 7, 1e-9, "waits are no calls");
		demand_move_user(d, seconds);
		free(seconds);
		cmp_near(d->runs[0].user, 6 - 3, 1e-9, "are no user time");
		cmp_near(d->runs[0].system, 8 + 3, 1e-9, "but system time");
		cmp_near(d->runs[1].user, 0, 1e-9, "70 faults are all that there is");
		cmp_near(d->runs[1].system, 8 + 6, 1e-9, "and not more");
		cmp_near(d->system, 12.5, 1e-9, "in the mean");
	}
	double *none = prediction_user_mode(keep(prediction_new(d, plain, plain, 0, nobody, &e)));
	demand_move_user(d, none);
	free(none);
	cmp_near(d->runs[1].user, 6, 1e-9, "a vector that does not know it moves nothing");
	cmp_near(d->system, 8, 1e-9, "and all is moved back");
	d = keep(demand_new(one_run("", "\"user\": 6, \"items\": []")));
	demand_move_user(d, &(double){ 1 });
	cmp_near(d->runs[0].user, 5, 1e-9, "user time counts once, too, where no system time");
	ok(d->runs[0].system == 0 && isnan(d->system), "is known");
}

/* Two rules subtract the same CPU time. */
static void test_shared_wait(void)
{
	struct osvec *m =
	    machine("m", COST("big", 20) "," COST("sync", 10) "," COST("sync-cpu", 2));
	struct demand *d = keep(demand_new(one_run(
	    "", "\"items\": [{\"entry\": \"sync-cpu\", \"weight\": 1, \"part\": \"kernel\", "
		"\"calls\": 7, \"bytes\": 0, \"time\": 140}, " ITEM("sync", 1, "wait", 4) "," ITEM(
		    "sync-cpu", -1, "wait", 7) "," ITEM("big", 1, "wait", 3) "]")));
	struct error e;

	demand_scale_waits(d, m);
	struct prediction *p = keep(prediction_new(d, m, m, 0, nobody, &e));
	cmp_near(p->wait, 4 * 10 + 3 * 20 - 7 * 2, 1e-12, "what rules share keeps its price");
}

static void test_waits(void)
{
	const double alike = 4 * 26;

	cmp_near(waits(", \"time\": 40", 1, true), alike, 1e-12, "syncs as long as those measured");
	cmp_near(waits(", \"time\": 64", 1, true), alike * 14 / 8, 1e-12, "longer ones");
	cmp_near(waits(", \"time\": 4", 1, true), 0, 0, "syncs that had nothing to do");
	cmp_near(waits(", \"time\": 64", 1, false), alike, 1e-12, "not at other levels");
	cmp_near(waits(", \"time\": 64", 2, true), alike * 14 / 8, 1e-12, "in each of two traces");
	cmp_near(waits("", 1, true), alike, 1e-12, "nor without times");
}

int main(void)
{
	test_one_cpu();
	test_one_cpu_share();
	test_asleep();
	test_tails();
	test_waits();
	test_shared_wait();
	test_user_entries();
	test_user_of_runs();
	test_user_mode();
	test_state();
	return done_testing();
}
