/* SPDX-License-Identifier: MIT */
/* Tests of lib/model/prediction and what it is made of, against sums done by hand. */
#include "predicted.h"

static void test_items(void)
{
	struct osvec *m = machine("m", COST("a", 0.5) "," COST("b", 2) "," COST("disk", 10));
	struct appvec *a = one_run(
	    "", "\"items\": [" ITEM("a", 1, "kernel", 6) "," ITEM("b", 0.5, "kernel", 4) "," ITEM(
		    "a", -1, "kernel", 1) "," ITEM("disk", 1, "wait", 3) "," ITEM("b", 1, "counted",
										  1000) "]");
	struct prediction *p = predict(a, m, NULL, nobody);

	cmp_near(p->kernel, 6 * 0.5 + 4 * 0.5 * 2 - 0.5, 1e-12, "calls times weight times cost");
	cmp_near(p->wait, 30, 1e-12, "waiting apart");
	cmp_near(p->user, 0, 0, "no user time");
	cmp_near(p->total, 36.5, 1e-12, "all");
	cmp_near(line(p, "a")->seconds, 2.5, 1e-12, "items of one entry are one line");
	cmp_near(line(p, "b")->calls, 2, 1e-12, "weighted calls");
	cmp_near(p->coverage, 1, 0, "all covered");
}

static void test_curve(void)
{
	struct osvec *m =
	    machine("m", POINT("c_1", "c_*", 1, 1) "," POINT("c_100", "c_*", 100, 10) "," POINT(
			     "c_10000", "c_*", 10000, 1000));
	struct appvec *a = one_run("", "\"items\": [" CURVE("c_*", 7,
							    "[[1, 1], [10, 2], [1000, 3], "
							    "[20000, 1]]") "]");
	struct prediction *p = predict(a, m, NULL, nobody);
	/* Log-log: 10^0.5 at 10, 100 at 1000; beyond the grid bytes scale. */
	double at_10 = 2 * sqrt(10), at_1000 = 300, beyond = 2000;

	cmp_near(p->kernel, 1 + at_10 + at_1000 + beyond, 1e-12, "a curve at its sizes");
	cmp_near(p->extrapolated, beyond / p->kernel, 1e-12, "what lies beyond the grid");
	double sum = 0, middle = 0;
	for (size_t i = 0; i < p->ncharges; i++) {
		sum += p->by_run[i];
		if (p->charges[i].entry && p->charges[i].entry->size == 100)
			middle = p->by_run[i];
	}
	cmp_near(sum, p->total, 1e-12, "charges add up");
	cmp_near(middle, at_10 / 2 + at_1000 / 2, 1e-12,
		 "a point is charged by its weight in the mix");
	a = one_run("", "\"items\": [" CURVE(
			    "c_*", 4000, "[[1, 4000]]") ","
							"{\"entry\": \"c_*\", \"weight\": -1, "
							"\"part\": \"kernel\", \"calls\": 1, "
							"\"bytes\": 0, \"sizes\": [[20000, 1]]}]");
	p = predict(a, m, NULL, nobody);
	cmp_near(p->kernel, 4000 - beyond, 1e-12, "what is subtracted has a size, too");
	cmp_near(p->extrapolated, beyond / (4000 + beyond), 1e-12, "its share has no sign");
}

/* Three runs and two traces, so that the third makes the calls of the first. */
static void test_sizes_of_runs(void)
{
	static const char *const runs[] = {
		"\"items\": [" CURVE("c_*", 1, "[[1, 1]]") "]",
		"\"items\": [" CURVE("c_*", 2, "[[100, 1], [10000, 1]]") "]",
		"\"items\": []",
	};
	struct osvec *m =
	    machine("m", POINT("c_1", "c_*", 1, 1) "," POINT("c_100", "c_*", 100, 10) "," POINT(
			     "c_10000", "c_*", 10000, 1000));
	struct appvec *a = application("", runs, 3);

	a->ntraces = 2;
	struct prediction *p = predict(a, m, NULL, nobody);
	cmp_near(p->kernel, (1 + 1010 + 1) / 3.0, 1e-12, "each run has the sizes of its trace");
	a->ntraces = 3;
}

/* Switches and faults that entries contain are not paid twice. */
static void test_rest(void)
{
	struct osvec *m = machine(
	    "m", "{\"entry\": \"rtt\", \"seconds\": 1, \"switches\": 2, \"faults\": 0.5}," COST(
		     "ctx", 0.25) "," COST("fault", 0.125));
	struct appvec *a = one_run(
	    "\"switch_entry\": \"ctx\", \"fault_entry\": \"fault\",",
	    "\"voluntary\": 13, \"involuntary\": 12, \"minor_faults\": 3, \"items\": [" ITEM(
		"rtt", 1, "kernel", 10) "]");
	struct prediction *p = predict(a, m, NULL, nobody);

	cmp_near(line(p, "ctx")->calls, 5, 1e-12, "20 of 25 switches are inside");
	cmp_near(line(p, "ctx")->seconds, 1.25, 1e-12, "the other five are paid");
	cmp_near(line(p, "fault")->seconds, 0, 0,
		 "five faults inside of three: none left, none owed");
	cmp_near(line(p, "fault")->calls, 0, 0, "nor counted");
	cmp_near(p->kernel, 11.25, 1e-12, "both belong to the kernel");
	struct osvec *none =
	    machine("none", COST("rtt", 1) "," COST("ctx", 0.25) "," COST("fault", 0.125));
	p = predict(a, none, m, nobody);
	cmp_near(line(p, "ctx")->calls, 5, 1e-12, "inside of those of the reference, wherever");
	p = predict(a, m, none, nobody);
	cmp_near(line(p, "ctx")->calls, 25, 1e-12, "none is inside there");
}

#define WORK(name, seconds, cpu) \
	"{\"entry\": \"" name "\", \"seconds\": " #seconds ", \"cpu\": " #cpu "}"

static void test_user(void)
{
	static const char costs[] =
	    COST("x", 1) "," COST("i", 2) "," COST("j", 32) "," COST("k", 6);
	struct osvec *ref =
	    machine("ref", COST("x", 1) "," COST("i", 1) "," COST("j", 4) "," COST("k", 3));
	struct osvec *twin = machine("twin", costs), *poor = machine("poor", COST("x", 1));
	processor = "6502";
	struct osvec *m = machine("m", costs);
	processor = "Z80";
	struct appvec *a = one_run("\"user_entries\": [\"i\", \"j\", \"k\"],",
				   "\"user\": 3, \"items\": [" ITEM("x", 1, "kernel", 1) "]");
	struct prediction *p = predict(a, m, ref, nobody);

	cmp_near(p->user_ratio, 4, 1e-12, "the mean of 2, 8 and 2");
	cmp_near(p->user, 12, 1e-12, "user seconds times the ratio");
	p = predict(a, twin, ref, nobody);
	cmp_near(p->user_ratio, 2, 1e-12, "the median on the same processor");
	processor = "";
	p = predict(a, machine("unknown", costs), ref, nobody);
	cmp_near(p->user_ratio, 4, 1e-12, "which both must name");
	processor = "Z80";
	static const char emulated[] = "," COST("cpu_int", 1) "," COST("cpu_code", 11);
	char *more = xasprintf("%s%s", costs, emulated);
	p = predict(a, machine("emulated", more), ref, nobody);
	free(more);
	cmp_near(p->user_ratio, 4, 1e-12, "and nothing translates");
	static const char process[] =
	    "," COST("cpu_int", 1) "," COST("lat_proc_null_static", 12000);
	more = xasprintf("%s%s", costs, process);
	p = predict(a, machine("process", more), ref, nobody);
	free(more);
	cmp_near(p->user_ratio, 2, 1e-12, "a kernel in a process does not");
	static const char hosted[] = COST("x", 1) "," COST("i", 1) "," COST("j", 4) "," COST(
	    "k", 3) "," COST("cpu_int", 1) "," COST("lat_proc_null_static", 12000);
	p = predict(a, machine("other", hosted), machine("hosted", hosted), nobody);
	cmp_int(p->kind, KIND_NATIVE, "like a reference whose kernel is a process");
	p = predict(a, ref, ref, nobody);
	cmp_near(p->user, 3, 0, "the reference has its own user time");
	p = predict(a, m, NULL, nobody);
	ok(isnan(p->user_ratio) && p->user == 3, "without a reference it is not scaled");
	p = predict(a, poor, ref, nobody);
	ok(isnan(p->user_ratio) && p->user == 3, "nor without a user entry on both");
	struct osvec *stopped = machine("stopped", COST("x", 1) "," WORK("cpu_i", 8, 3));
	a = one_run("\"user_entries\": [\"cpu_i\"],",
		    "\"user\": 5, \"items\": [" ITEM("x", 1, "kernel", 1) "]");
	p = predict(a, stopped, machine("ref", COST("x", 1) "," WORK("cpu_i", 1, 1)), nobody);
	cmp_near(p->user, 15, 1e-12, "of user code that a quota stops the CPU time counts");
	a = one_run("\"user_entries\": [\"j\"],",
		    "\"user\": 9, \"items\": [" ITEM("cpu_i", 1, "user", 2) "]");
	struct demand *d = keep(demand_new(a));
	demand_split_user(d, stopped);
	struct error e;
	p = keep(prediction_new(d, stopped, stopped, 0, nobody, &e));
	cmp_near(line(p, "cpu_i")->seconds, 6, 1e-12, "also of what follows calls");
	cmp_near(p->user, 9, 1e-12, "which is no more than what was recorded");
}

static void test_runs(void)
{
	static const char *const runs[] = {
		"\"user\": 1, \"voluntary\": 1, \"items\": [" ITEM("x", 1, "kernel", 10) "]",
		"\"user\": null, \"items\": [" ITEM("x", 1, "kernel", 20) "," ITEM("y", 1, "kernel",
										   2) "]",
		"\"user\": 4, \"voluntary\": 3, \"items\": [" ITEM("x", 1, "kernel", 30) "]",
	};
	struct osvec *m = machine("m", COST("x", 1) "," COST("y", 3));
	struct appvec *a = application("\"switch_entry\": \"x\",", runs, 3);
	struct prediction *p = predict(a, m, NULL, nobody);

	cmp_near(p->user, 2.5, 1e-12,
		 "a run that does not know its user time counts as their mean");
	cmp_near(p->kernel, 20 + 2 + 2, 1e-12, "the mean of the runs");
	double third = 0;
	for (size_t i = 0; i < p->ncharges; i++)
		third += p->by_run[3 * i + 2];
	cmp_near(third, 30 + 3 + 4, 1e-12, "each run keeps its own sum");
}

static void test_borrowed(void)
{
	struct osvec *m = machine("m", COST("x", 4) "," COST("lat_syscall_getppid", 1));
	struct osvec *lender = machine("lender", COST("x", 2) "," COST("y", 5));
	const struct osvec *v[] = { m, lender };
	struct appvec *a = one_run("", "\"items\": [" ITEM("x", 1, "kernel", 5) "," ITEM(
					   "y", 1, "kernel", 2) "," ITEM("z", 1, "kernel", 3) "]");
	struct prediction *p = predict(a, m, NULL, (struct lenders){ v, 2 });

	cmp_near(line(p, "y")->seconds, 20, 1e-12, "borrowed, twice as expensive as x is");
	ok(line(p, "y")->borrowed && !line(p, "x")->borrowed, "marked as borrowed");
	cmp_near(line(p, "z")->seconds, 3, 1e-12, "measured nowhere: a null call");
	ok(line(p, "z")->lower_bound, "marked as a lower bound");
	cmp_near(p->coverage, 20 / 43.0, 1e-12, "the share that was measured here");
	struct osvec *changed = machine("m", COST("x", 1) "," COST("lat_syscall_getppid", 1));
	changed->original = m;
	p = predict(a, changed, NULL, (struct lenders){ v, 2 });
	cmp_near(line(p, "x")->seconds, 5, 1e-12, "a cost that is changed is paid as it is");
	cmp_near(line(p, "y")->seconds, 20, 1e-12, "and makes no borrowed cost lower");
	struct osvec *second = machine("second", COST("x", 1) "," COST("z", 7));
	p = predict(a, m, NULL, (struct lenders){ (const struct osvec *[]){ lender, second }, 2 });
	cmp_near(line(p, "y")->seconds, 20, 1e-12, "of two lenders the first is half as slow");
	cmp_near(line(p, "z")->seconds, 3 * 7 * 4, 1e-12, "and the second a quarter");
}

/* Beyond the last size costs grow as on another machine that measured larger ones. */
static void test_longer_curve(void)
{
	struct osvec *m =
	    machine("m", POINT("c_1", "c_*", 1, 1) "," POINT("c_100", "c_*", 100, 10));
	struct osvec *lender = machine(
	    "lender", POINT("c_100", "c_*", 100, 20) "," POINT("c_10000", "c_*", 10000, 600));
	const struct osvec *v[] = { m, lender };
	const struct lenders both = { v, 2 };
	struct appvec *a = one_run("", "\"items\": [" CURVE("c_*", 2, "[[100, 1], [1000, 1]]") "]");
	const double at_1000 = 10 * sqrt(600.0 / 20);
	struct prediction *p = predict(a, m, NULL, both);

	cmp_near(p->kernel, 10 + at_1000, 1e-12, "as much dearer than its last point");
	cmp_near(p->extrapolated, at_1000 / p->kernel, 1e-12, "which is beyond the sizes measured");
	ok(p->charges[0].entry == osvec_find(m, "c_100"), "and is charged to that point");
	p = predict(a, lender, NULL, both);
	cmp_near(p->kernel, 20 + sqrt(20 * 600.0), 1e-12, "the other one's own curve goes further");
}

/* What is alike costs alike: the null call, sixteen times as expensive here, says nothing of files.
 */
static void test_borrowed_group(void)
{
	struct osvec *m =
	    machine("m", COST("lat_syscall_getppid", 16) "," COST("lat_path_stat_1", 2) "," COST(
			     "lat_dup_1", 8) "," COST("lat_fsync_1", 1));
	struct osvec *lender = machine(
	    "lender", COST("lat_syscall_getppid", 1) "," COST("lat_path_stat_1", 1) "," COST(
			  "lat_dup_1", 1) "," COST("lat_path_open_1", 3) "," COST("lat_sig_a", 5));
	const struct osvec *v[] = { m, lender };
	struct appvec *a = one_run(
	    "", "\"items\": [" ITEM("lat_path_open_1", 1, "kernel", 1) "," ITEM(
		    "lat_fsync_1", 1, "kernel", 1) "," ITEM("lat_sig_a", 1, "kernel", 1) "]");
	struct prediction *p = predict(a, m, NULL, (struct lenders){ v, 2 });

	cmp_near(line(p, "lat_path_open_1")->seconds, 3 * 4, 1e-12, "the mean ratio of the group");
	cmp_near(line(p, "lat_sig_a")->seconds, 5 * cbrt(16 * 2 * 8), 1e-12,
		 "of all, where the group has none");
}

/* CPU seconds are lent as a share of the operation's own: waiting is never negative. */
static void test_borrowed_cpu(void)
{
	struct osvec *m = machine("m", COST("sync_4k", 10) "," COST("x", 100));
	struct osvec *lender =
	    machine("lender", COST("sync_4k", 4) "," COST("sync-cpu_4k", 1) "," COST("x", 1));
	const struct osvec *v[] = { m, lender };
	struct appvec *a = one_run(
	    "", "\"items\": [" ITEM("sync-cpu_4k", 1, "kernel", 2) "," ITEM(
		    "x", 1, "kernel", 1) "," ITEM("sync_4k", 1, "wait",
						  2) "," ITEM("sync-cpu_4k", -1, "wait", 2) "]");
	struct prediction *p = predict(a, m, NULL, (struct lenders){ v, 2 });

	cmp_near(p->kernel, 2 * 2.5 + 100, 1e-12, "a quarter of the time is CPU time, as there");
	cmp_near(p->wait, 2 * 7.5, 1e-12, "the rest is waiting");
}

/* What a call on files does not have the CPU for is waiting, which no system time tells of. */
static void test_waits_in_calls(void)
{
	struct osvec *m =
	    machine("m", WORK("lat_dir_link_10", 8, 2) "," WORK("lat_dir_unlink_10", 8, 7) "," WORK(
			     "lat_send_x", 8, 2) "," WORK("lat_rename_x", 8, 0));
	struct osvec *other = machine("other", WORK("lat_fsync_a_4k", 10, 3) "," WORK(
						   "lat_fsync_a-cpu_4k", 3, 3) "," COST("x", 1));
	struct appvec *a = one_run(
	    "", "\"system\": 6, \"items\": [" ITEM("lat_dir_link_10", 1, "kernel", 3) "," ITEM(
		    "lat_dir_unlink_10", 1, "kernel",
		    1) "," ITEM("lat_send_x", 1, "kernel",
				1) "," ITEM("lat_rename_x", 1, "kernel",
					    1) "," ITEM("lat_dir_link_10", -1, "kernel", 1) "]");
	struct prediction *p = predict(a, m, m, nobody);

	cmp_near(p->wait, 2 * 6, 1e-12, "the share of a file's call without the CPU is waiting");
	cmp_near(p->kernel, 2 * 2 + 3 * 8, 1e-12, "and what is left of it kernel time");
	cmp_near(line(p, "lat_dir_link_10")->seconds, 16, 1e-12, "its line has both");
	cmp_near(line(p, "lat_dir_link_10")->waits, p->wait, 0, "and knows what waits");
	cmp_near(prediction_inflation(p) * p->kernel, 6, 1e-12, "system time is none of it");
	a = one_run("", "\"items\": [" ITEM("lat_fsync_a-cpu_4k", 1, "kernel", 1) "," ITEM(
			    "lat_fsync_a_4k", 1, "kernel", 1) "," ITEM("x", 1, "kernel", 1) "]");
	p = predict(a, other, NULL, nobody);
	cmp_near(p->kernel, 3 + 10 + 1, 1e-12, "an entry with its CPU time apart is not split");
	const struct osvec *v[] = { other, m };
	a = one_run("", "\"items\": [" ITEM("lat_dir_link_10", 1, "kernel",
					    1) "," ITEM("x", 1, "kernel", 1) "]");
	p = predict(a, other, NULL, (struct lenders){ v, 2 });
	cmp_near(p->kernel, 2 + 1, 1e-12, "of a lent cost so much waits");
	cmp_near(p->wait, 6, 1e-12, "as on the lender");
}

static void test_coverage_of_application(void)
{
	struct osvec *m = machine("m", COST("null", 1) "," COST("x", 1));
	struct appvec *a = one_run(
	    "", "\"calls\": 10, \"mapped_calls\": 9, \"call_time\": 4, "
		"\"mapped_time\": 3, \"items\": [" ITEM(
		    "x", 1, "kernel",
		    9) ",{\"entry\": \"null\", \"weight\": 1, \"part\": \"kernel\", \"calls\": 1,"
		       "\"bytes\": 0, \"fallback\": true}]");

	struct prediction *p = predict(a, m, NULL, nobody);
	cmp_near(p->demand->mapped, 0.75, 1e-12, "the smaller of both shares");
	cmp_near(p->coverage, 0.75, 1e-12, "is not counted twice");
	is_string(p->demand->null_entry, "null", "the fallback names the null call");
	ok(line(p, "null")->lower_bound && !line(p, "x")->lower_bound,
	   "and is less than its calls cost");
}

#define AFTER(name, size, seconds) \
	"{\"entry\": \"" name "\", \"footprint\": " #size ", \"seconds\": " #seconds "}"

static void test_footprint(void)
{
	struct osvec *m = machine(
	    "m",
	    COST("lat_path_stat_1", 1) "," AFTER("lat_path_stat_1@after=4m", 4194304, 11) "," AFTER(
		"lat_path_stat_1@after=256k", 262144,
		3) "," COST("lat_path_stat_10",
			    2) "," COST("lat_syscall_getppid",
					0.1) "," AFTER("lat_syscall_getppid@after=256k", 262144,
						       0.2) "," AFTER("lat_syscall_getppid@after="
								      "4m",
								      4194304,
								      0.5) "," COST("lat_sig_"
										    "handle",
										    1) "," COST("la"
												"t_"
												"fs"
												"yn"
												"c",
												7));
	struct appvec *a =
	    one_run("", "\"items\": [" ITEM("lat_path_stat_1", 1, "kernel", 2) "," ITEM(
			    "lat_sig_handle", 1, "kernel",
			    3) "," ITEM("lat_fsync", 1, "wait", 1) "," ITEM("lat_path_stat_10", -1,
									    "kernel", 1) "]");
	static const struct {
		double bytes, path, null;
	} cases[] = {
		{ 0, 0, 0 },	       { 16 << 10, 0, 0 },   { 64 << 10, 1, 0.05 },
		{ 256 << 10, 2, 0.1 }, { 1 << 20, 6, 0.25 }, { 4 << 20, 10, 0.4 },
		{ 32 << 20, 10, 0.4 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct prediction *p = predict_at(a, m, NULL, cases[i].bytes, nobody);

		cmp_near(line(p, "lat_path_stat_1")->seconds, 2 * (1 + cases[i].path), 1e-9,
			 "after %g bytes: more, by the entries of the group", cases[i].bytes);
		cmp_near(line(p, "lat_sig_handle")->seconds, 3 * (1 + cases[i].null), 1e-9,
			 "or by the null call");
		cmp_near(p->wait, 7, 1e-12, "waiting as long as ever");
		cmp_near(line(p, "lat_path_stat_10")->seconds, -2, 1e-12,
			 "what is subtracted is no call");
		double sum = 0;
		for (size_t k = 0; k < p->ncharges; k++)
			sum += p->by_run[k];
		cmp_near(sum, p->total, 1e-12, "the charges hold it");
	}
	m = machine("m", COST("x", 1) "," AFTER("x@after=64k", 65536, 0.9));
	a = one_run("", "\"items\": [" ITEM("x", 1, "kernel", 1) "]");
	cmp_near(predict_at(a, m, NULL, 65536, nobody)->total, 1, 0, "never less");
	m = machine("m", COST("x", 1) "," AFTER("x@after=64k", 65536,
						3) "," AFTER("x@threaded@after=64k", 65536, 2));
	cmp_near(predict_at(a, m, NULL, 65536, nobody)->total, 3, 1e-12,
		 "in a process of two threads is another entry");
	m = machine("m", COST("x", 1) "," COST("x@after=64k", 9) "," COST(
			     "lat_syscall_getppid", 1) "," AFTER("lat_syscall_getppid@after=64k",
								 65536, 3));
	cmp_near(predict_at(a, m, NULL, 65536, nobody)->total, 3, 1e-12,
		 "and one whose footprint is not said counts for none");
	m = machine(
	    "m",
	    COST("lat_path_open_1", 1) "," AFTER("lat_path_open_1@after=64k", 65536, 5) "," COST(
		"lat_path_stat_1", 1) "," AFTER("lat_path_stat_1@after=64k", 65536, 3));
	a = one_run("", "\"items\": [" ITEM("lat_path_stat_1", 1, "kernel", 1) "]");
	cmp_near(predict_at(a, m, NULL, 65536, nobody)->total, 1 + 3, 1e-12,
		 "the mean of two entries of a group");
	/* After 1 MB noise: 4 MB cost less. */
	m = machine("m", COST("x", 1) "," AFTER("x@after=64k", 65536, 3) "," AFTER(
			     "x@after=1m", 1048576, 90) "," AFTER("x@after=4m", 4194304, 9));
	a = one_run("", "\"items\": [" ITEM("x", 1, "kernel", 1) "]");
	cmp_near(predict_at(a, m, NULL, 1 << 20, nobody)->kernel, 9, 1e-12,
		 "no more than after 4 MB");
	cmp_near(predict_at(a, m, NULL, 256 << 10, nobody)->kernel, 6, 1e-12,
		 "nor half of the way");
	cmp_near(predict_at(a, m, NULL, 64 << 10, nobody)->kernel, 3, 1e-12,
		 "less where it is less");
	/* Of what it costs more after 1 MB, a lender that measured more sizes has a tenth after 256
	 * KB. */
	struct osvec *lender = machine(
	    "lender", COST("x", 2) "," AFTER("x@after=64k", 65536, 12) "," AFTER(
			  "x@after=256k", 262144, 21) "," AFTER("x@after=1m", 1048576, 102));
	const struct lenders one = { (const struct osvec *[]){ lender }, 1 };
	m = machine("m", COST("x", 1) "," AFTER("x@after=64k", 65536, 3) "," AFTER("x@after=1m",
										   1048576, 93));
	cmp_near(predict_at(a, m, NULL, 256 << 10, one)->kernel, 12, 1e-12,
		 "between two sizes as on another machine");
	cmp_near(predict_at(a, m, NULL, 64 << 10, one)->kernel, 3, 1e-12, "at its own as measured");
	cmp_near(predict_at(a, lender, NULL, 256 << 10, one)->kernel, 21, 1e-12,
		 "and so the lender");
	m = machine("m", COST("x", 1) "," AFTER("x@after=16k", 16384, 5) "," AFTER("x@after=64k",
										   65536, 3));
	cmp_near(predict_at(a, m, NULL, 32768, nobody)->total, 2, 1e-12,
		 "nor is what touches as little as in a loop");
}

static struct appvec *busy(void)
{
	return one_run(
	    "\"switch_entry\": \"ctx\", \"fault_entry\": \"fault\", \"user_entries\": [\"i\"],",
	    "\"user\": 3, \"system\": 30, \"voluntary\": 9, \"minor_faults\": 11, \"items\": "
	    "[" ITEM("x", 1, "kernel", 5) "," ITEM("disk", 1, "wait",
						   2) "," CURVE("c_*", 6, "[[5, 4], [50, 2]]") "]");
}

static struct osvec *sample(const char *name, double speed)
{
	char *entries = xasprintf(
	    "{\"entry\": \"x\", \"seconds\": %g}, {\"entry\": \"disk\", \"seconds\": %g},"
	    "{\"entry\": \"ctx\", \"seconds\": %g}, {\"entry\": \"fault\", \"seconds\": %g},"
	    "{\"entry\": \"i\", \"seconds\": %g},"
	    "{\"entry\": \"c_1\", \"curve\": \"c_*\", \"size\": 1, \"seconds\": %g},"
	    "{\"entry\": \"c_100\", \"curve\": \"c_*\", \"size\": 100, \"seconds\": %g}",
	    1 * speed, 2 * speed * speed, 0.5 * speed, 0.25, 1.5 / speed, 0.1 * speed, 3.0);
	struct osvec *v = machine(name, entries);

	free(entries);
	return v;
}

static void test_difference(void)
{
	struct osvec *a = sample("a", 1), *b = sample("b", 1.7);
	struct appvec *app = busy();
	struct prediction *p = predict(app, a, a, nobody), *q = predict(app, b, a, nobody);
	struct prediction_part *parts = xcalloc(p->nlines, sizeof(*parts));
	double all = prediction_difference(p, q, parts), sum = 0;

	cmp_near(all, log(p->total / q->total), 1e-12, "the log ratio");
	for (size_t i = 0; i < p->nlines; i++)
		sum += parts[i].log_ratio;
	cmp_near(sum, all, 1e-12, "contributions leave no residual");
	for (size_t i = 0; i < p->nlines; i++) {
		double x = parts[i].a->seconds, y = parts[i].b->seconds;

		if (!isnan(parts[i].flip_a))
			cmp_near(p->total + (parts[i].flip_a - 1) * x, q->total, 1e-12,
				 "%s times %.3g on A makes both equal", parts[i].a->name,
				 parts[i].flip_a);
		if (!isnan(parts[i].flip_b))
			cmp_near(q->total + (parts[i].flip_b - 1) * y, p->total, 1e-12,
				 "%s times %.3g on B makes both equal", parts[i].a->name,
				 parts[i].flip_b);
		ok(!(parts[i].flip_a <= 0) && !(parts[i].flip_b <= 0),
		   "but no line takes less than no time");
	}
	all = prediction_difference(p, p, parts);
	sum = 0;
	for (size_t i = 0; i < p->nlines; i++)
		sum += fabs(parts[i].log_ratio);
	ok(all == 0 && sum == 0, "a machine does not differ from itself");
	free(parts);
}

/* A more expensive entry costs exactly its share more, and never makes anything cheaper. */
static void test_elasticity(void)
{
	const double step = 1e-6;
	struct osvec *m = sample("a", 1), *ref = sample("ref", 1);
	struct appvec *app = busy();
	struct prediction *before = predict(app, m, ref, nobody);

	for (size_t i = 0; i < m->n; i++) {
		struct osvec_entry *x = &m->entries[i];
		double cost = x->seconds, share = 0;

		for (size_t k = 0; k < before->ncharges; k++)
			if (before->charges[k].entry == x)
				share += before->by_run[k] / before->total;
		if (!strcmp(x->name, "i"))
			share = before->user / before->total;
		x->seconds *= 1 + step;
		struct prediction *after = predict(app, m, ref, nobody);
		x->seconds = cost;
		cmp_near(log(after->total / before->total) / log1p(step), share, 1e-5,
			 "the elasticity of %s is its share, %.3f", x->name, share);
		ok(share > 0, "and %s is paid for", x->name);
	}
}

static void test_levels(void)
{
	struct osvec *m = sample("a", 1);
	struct appvec *app = busy();
	struct prediction *p = predict(app, m, m, nobody);
	double kernel = p->kernel, user = p->user, wait = p->wait, h = prediction_inflation(p);

	cmp_near(h, 30 / kernel, 1e-12, "inflation is measured over predicted");
	prediction_scale(p, h, 1, 1);
	cmp_near(p->kernel, 30, 1e-12, "scaled by it the kernel part is what was measured");
	cmp_near(p->total, 30 + user + wait, 1e-12, "and the rest stays");
	double sum = 0;
	for (size_t i = 0; i < p->ncharges; i++)
		sum += p->by_run[i];
	cmp_near(sum, p->total, 1e-12, "the charges follow");
	app->nruns = 0;
	struct prediction *q = predict(app, m, m, nobody);
	ok(isnan(prediction_inflation(q)), "the system time of a traced run is no measure");
}

static void test_reference(void)
{
	struct osvec *m = machine("m", COST("x", 1));
	static const struct {
		const char *machine;
		bool same;
	} cases[] = {
		{ "\"host\": \"m\", \"kernel\": \"6.1\"", true },
		{ "\"host\": \"m\", \"kernel\": \"6.1\", \"id\": \"one\", \"cpu\": \"Z80\"", true },
		{ "\"host\": \"m\", \"kernel\": \"6.1\", \"id\": \"two\", \"cpu\": \"Z80\"",
		  false },
		{ "\"host\": \"m\", \"kernel\": \"6.1\", \"id\": \"one\", \"cpu\": \"Z81\"",
		  false },
		{ "\"host\": \"m\"", false },
		{ "\"host\": \"m\", \"kernel\": \"6.2\"", false },
		{ "\"host\": \"n\", \"kernel\": \"6.1\"", false },
		{ "\"kernel\": \"6.1\"", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *rest = xasprintf("\"machine\": {%s},", cases[i].machine);
		struct appvec *a = one_run(rest, "\"items\": [" ITEM("x", 1, "kernel", 1) "]");

		cmp_int(prediction_is_reference(m, a), cases[i].same, "recorded on {%s}",
			cases[i].machine);
		cmp_int(predict(a, m, m, nobody)->kind, KIND_REFERENCE, "the reference");
		cmp_int(predict(a, m, NULL, nobody)->kind, KIND_NATIVE, "it is found elsewhere");
		free(rest);
	}
}

int main(void)
{
	test_items();
	test_curve();
	test_sizes_of_runs();
	test_rest();
	test_user();
	test_runs();
	test_borrowed();
	test_longer_curve();
	test_borrowed_group();
	test_borrowed_cpu();
	test_waits_in_calls();
	test_footprint();
	test_coverage_of_application();
	test_difference();
	test_elasticity();
	test_levels();
	test_reference();
	return done_testing();
}
