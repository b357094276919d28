/* SPDX-License-Identifier: MIT */
/* What rotating counters say of work that is known, and what libpfm4 makes of names. */
#include <sys/mman.h>

#include "counters/counter.c"
#include "counters/event.h"
#include "machine/cpus.h"
#include "measure/pmu.c"
#include "util/file.h"

#include "../tap.h"

static void test_arithmetic(void)
{
	struct counters c;
	const size_t it = 0;

	counters_init(&c, 1);
	struct counter_estimate e = counters_estimate(&c, 0, 10);

	ok(isnan(e.count) && isnan(e.error), "nothing is known of what was never counted");
	cmp_near(e.share, 0, 0, "its share is 0");
	counters_add(&c, 1, &it, (double[]){ 30 }, 2);
	e = counters_estimate(&c, 0, 2);
	cmp_near(e.count, 30, 1e-12, "all of the time: the count");
	cmp_near(e.error, 0, 0, "without error");
	cmp_near(e.share, 1, 0, "its share is 1");
	e = counters_estimate(&c, 0, 8);
	cmp_near(e.count, 120, 1e-12, "a quarter of the time: four times the count");
	cmp_near(e.share, 0.25, 1e-12, "a quarter");
	ok(isnan(e.error), "one slice tells no error");
	counters_add(&c, 1, &it, (double[]){ 10 }, 2);
	/* Deviations from 10 a unit of time: +10 and -10; sqrt(200 * 2 / 1 * 1/2) / 4 * 8, and
	 * Student's t of one degree of freedom. */
	e = counters_estimate(&c, 0, 8);
	cmp_near(e.count, 80, 1e-12, "two slices: the common rate");
	cmp_near(e.error, sqrt(200) * 2 * 12.7062 / 1.95996, 1e-3, "and their deviations");
	counters_reset(&c);
	counters_add(&c, 1, &it, (double[]){ 5 }, 1);
	counters_add(&c, 1, &it, (double[]){ 10 }, 2);
	counters_add(&c, 1, &it, (double[]){ 20 }, 4);
	cmp_near(counters_estimate(&c, 0, 70).error, 0, 1e-9, "a steady rate has no error");
	cmp_near(counters_estimate(&c, 0, 70).count, 350, 1e-12, "in slices of any length");
	counters_reset(&c);
	for (int i = 0; i < 9; i++) /* a steady block, and one that has all squares */
		counters_add(&c, 1, &it, (double[]){ i < 5 ? 10 : i % 2 ? 0 : 20 }, 1);
	cmp_near(counters_estimate(&c, 0, 18).error,
		 sqrt(400 * 9.0 / 7 / 2) * 2 * 4.30265 / 1.95996, 1e-3,
		 "two blocks of which one varies: two degrees of freedom");
	counters_free(&c);
}

/* Two events of a group, and one of another. */
static void test_covariance(void)
{
	const size_t both[] = { 0, 1 }, third = 2;
	struct counters c;

	counters_init(&c, 3);
	for (int i = 0; i < 20; i++) {
		double x = i % 2 ? 30 : 10;

		counters_add(&c, 2, both, (double[]){ x, 100 - x }, 1);
		counters_add(&c, 1, &third, (double[]){ 7 }, 1);
	}
	ok(counters_estimate(&c, 0, 40).error > 0, "an unsteady event has an error");
	cmp_near(counters_correlation(&c, 0, 1), -1, 1e-9,
		 "what its neighbour counts less, it counts more");
	cmp_near(counters_correlation(&c, 0, 2), 0, 0, "the other group knows nothing of that");
	counters_reset(&c);
	for (int i = 0; i < 20; i++) { /* 0 in both groups, 1 and 2 in turns */
		const size_t group[] = { 0, 1 + (size_t)i % 2 };

		counters_add(&c, 2, group, (double[]){ 10 + i * i % 7, 10 + i * i % 5 }, 1);
	}
	cmp_near(counters_correlation(&c, 1, 0), 0, 0,
		 "an event of every group has other slices before it");
	counters_free(&c);
}

/* ---- coverage: slices whose rate per second changes in known ways, each counted by one of n
 * groups ---- */

enum rates { CONSTANT, RHYTHM, PHASES, BURSTS, RATES };
static const char *const rate_names[] = { "constant", "rhythm of four", "phases", "bursts" };

static double rate_of(enum rates kind, int i, struct random *r)
{
	double noise = exp(0.2 * random_normal(r));

	switch (kind) {
	case RHYTHM: return (i % 4 ? 900 : 1500) * noise;
	case PHASES: return (i / 100 % 2 ? 400 : 2000) * noise;
	case BURSTS: return (random_uniform(r) < 0.2 ? 3000 : 500) * noise;
	default: return 1000 * noise;
	}
}

static void test_coverage(enum rates kind, size_t n)
{
	enum { RUNS = 1000, SLICES = 600 };
	size_t covered = 0;
	const size_t it = 0;
	double bias = 0;
	struct random r;
	struct counters c;

	random_seed(&r, n);
	counters_init(&c, 1);
	for (int run = 0; run < RUNS; run++) {
		struct rotation turns;
		double truth = 0, whole = 0;

		rotation_init(&turns, n, random_next(&r));
		counters_reset(&c);
		for (int i = 0; i < SLICES; i++) {
			double time = 1 + 0.5 * random_uniform(&r),
			       count = rate_of(kind, i, &r) * time;

			if (rotation_next(&turns) == 0)
				counters_add(&c, 1, &it, &count, time);
			truth += count;
			whole += time;
		}
		struct counter_estimate e = counters_estimate(&c, 0, whole);
		covered += fabs(e.count - truth) < 1.96 * e.error;
		bias += (e.count / truth - 1) / RUNS;
		rotation_done(&turns);
	}
	ok(covered > 0.93 * RUNS && covered < 0.97 * RUNS,
	   "%s, %zu groups: 1.96 standard errors cover %.1f %%", rate_names[kind], n,
	   100.0 * covered / RUNS);
	ok(fabs(bias) < 0.005, "%s, %zu groups: no bias, %.4f", rate_names[kind], n, bias);
	counters_free(&c);
}

/*
 * The same with rates that were recorded of real programs: groups take turns in the slices that all
 * events were counted in, and each event is scaled by the carrier.
 */
static void test_recorded(size_t m)
{
	enum { CLOCK, FAULTS, SWITCHES, COLUMNS, RUNS = 1000 };
	VEC(double) v = { 0 };
	double truth[COLUMNS] = { 0 }, x, bias[COLUMNS] = { 0 };
	size_t covered[COLUMNS] = { 0 }, low[COLUMNS] = { 0 }, n;
	struct counters c;
	struct random r;
	struct error e = { "" };
	char *text = file_read("tests/data/stats/rates.tsv", 1 << 20, &n, &e), *at, *end;

	if (!ok(text != NULL, "recorded rates %s", e.text))
		return;
	for (at = strchr(strchr(text, '\n') + 1, '\n'); x = strtod(at, &end), end != at; at = end) {
		truth[v.n % COLUMNS] += x;
		vec_push(&v, x);
	}
	random_seed(&r, m);
	counters_init(&c, COLUMNS);
	for (int run = 0; run < RUNS; run++) {
		struct rotation turns;

		rotation_init(&turns, m, random_next(&r));
		counters_reset(&c);
		for (size_t i = 0; i < v.n; i += COLUMNS)
			if (rotation_next(&turns) == 0)
				counters_add(&c, COLUMNS,
					     (const size_t[]){ CLOCK, FAULTS, SWITCHES }, &v.v[i],
					     v.v[i]);
		for (size_t k = FAULTS; k < COLUMNS; k++) {
			struct counter_estimate s = counters_estimate(&c, k, truth[CLOCK]);

			covered[k] += fabs(s.count - truth[k]) < 1.96 * s.error;
			low[k] += s.count + 1.96 * s.error < truth[k];
			bias[k] += (s.count / truth[k] - 1) / RUNS;
		}
		rotation_done(&turns);
	}
	for (size_t k = FAULTS; k < COLUMNS; k++)
		ok(covered[k] > 0.915 * RUNS && covered[k] < 0.97 * RUNS && fabs(bias[k]) < 0.02,
		   "%s of programs, %zu groups: covered in %.1f %%, too low in %.1f %%, bias %.3f",
		   k == FAULTS ? "page faults" : "switches", m, 100.0 * (double)covered[k] / RUNS,
		   100.0 * (double)low[k] / RUNS, bias[k]);
	counters_free(&c);
	vec_free(&v);
	free(text);
}

static void test_rotation(void)
{
	struct rotation r;
	size_t counts[5] = { 0 }, successors = 0, uneven = 0;

	rotation_init(&r, 5, 7);
	for (size_t i = 0, last = 9; i < 505; i++) {
		size_t turn = rotation_next(&r);

		counts[turn % 5]++;
		successors += turn == (last + 1) % 5;
		last = turn;
		if (i % 20 == 4)
			for (size_t k = 0; k < 5; k++)
				uneven += counts[k] != 1 + i / 20 * 4;
	}
	cmp_int(uneven, 0, "each group once, then four times a round");
	ok(successors > 60 && successors < 150, "in random order: %zu", successors);
	rotation_done(&r);
}

enum { SLICES = 90, FAULTS = 200 };

/* Counts while FAULTS pages are touched, SLICES times. */
static void touch_pages(void)
{
	size_t size = FAULTS * (size_t)sysconf(_SC_PAGESIZE);

	pmu_reset();
	for (int i = 0; i < SLICES; i++) {
		char *pages =
		    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(pages, size, MADV_NOHUGEPAGE);
		pmu_start(PMU_WORK);
		for (size_t k = 0; k < size; k += size / FAULTS)
			((volatile char *)pages)[k] = 1;
		pmu_stop(PMU_WORK, i == 0); /* all is one operation */
		munmap(pages, size);
	}
}

static void test_group(void)
{
	struct error e;

	if (pmu_open("PERF_COUNT_SW_TASK_CLOCK,PERF_COUNT_SW_PAGE_FAULTS", &e)) {
		skip(e.text, 4);
		return;
	}
	touch_pages();
	struct counter_estimate faults = pmu_estimate(1);
	cmp_int(groups.n, 1, "two events that fit together");
	ok(faults.share > 0.99, "are counted all the time: %.3f", faults.share);
	/* Shares are rounded to nanoseconds. */
	ok(faults.count > SLICES * FAULTS - 1 && faults.count < SLICES * (FAULTS + 3),
	   "%d faults: %.0f", SLICES * FAULTS, faults.count);
	ok(faults.error < 0.01 * faults.count, "exactly: +- %g", faults.error);
	pmu_close();
}

/* Three events, one at a time. */
static void test_groups(void)
{
	struct error e;

	options.most = 1;
	if (pmu_open("PERF_COUNT_SW_CONTEXT_SWITCHES,PERF_COUNT_SW_PAGE_FAULTS,"
		     "PERF_COUNT_SW_TASK_CLOCK",
		     &e)) {
		skip(e.text, 6);
		return;
	}
	struct counter_estimate faults;
	int tries = 0;
	do { /* others may have had the CPU in turns of the other groups alone */
		touch_pages();
		faults = pmu_estimate(1);
	} while (fabs(faults.count - SLICES * FAULTS) >= 10 * faults.error && ++tries < 10);
	double shares = pmu_estimate(0).share + faults.share + pmu_estimate(2).share;

	cmp_int(groups.n, 3, "three groups of one event");
	cmp_near(shares, 1, 1e-3, "the shares add up to the whole");
	ok(faults.share > 0.1 && faults.share < 0.7, "a third of the time: %.2f", faults.share);
	ok(faults.error > 0 && fabs(faults.count - SLICES * FAULTS) < 10 * faults.error,
	   "%d faults: %.0f +- %.0f", SLICES * FAULTS, faults.count, faults.error);
	parts[PMU_WORK].operations = 4;
	cmp_near(pmu_estimate(1).error, faults.error / 4, 1e-9 * faults.error,
		 "of four operations each has a quarter of the error");
	pmu_reset();
	ok(isnan(pmu_estimate(1).count), "reset forgets it all");
	pmu_close();
	options.most = 0;
}

/*
 * Cycles, instructions, branches, caches, TLBs and stalls: the codes of the vendors' manuals, event
 * in the low byte and unit mask above, then flags and threshold; for PPC970, those of the kernel
 * (arch/powerpc/perf/ppc970-pmu.c).
 * The libpfm4 of one architecture knows no names of others: on x86, one that was made by
 * "make ARCH=arm64 CONFIG_PFMLIB_SHARED=n lib" (or powerpc) in its source can be loaded instead
 * (LD_LIBRARY_PATH).
 */
static void test_encodings(void)
{
	static const struct {
		const char *name;
		uint64_t code;
	} cases[] = {
		{ "skl::UNHALTED_CORE_CYCLES", 0x003c },
		{ "skl::INST_RETIRED:ANY_P", 0x00c0 },
		{ "skl::UOPS_ISSUED:ANY", 0x010e },
		{ "skl::BR_INST_RETIRED:ALL_BRANCHES", 0x00c4 },
		{ "skl::BR_MISP_RETIRED:ALL_BRANCHES", 0x00c5 },
		{ "skl::L1D:REPLACEMENT", 0x0151 },
		{ "skl::MEM_LOAD_RETIRED:L3_MISS", 0x20d1 },
		{ "skl::DTLB_LOAD_MISSES:WALK_COMPLETED", 0x0e08 },
		{ "skl::ITLB_MISSES:WALK_COMPLETED", 0x0e85 },
		{ "spr::UNHALTED_CORE_CYCLES", 0x003c },
		{ "spr::INST_RETIRED:ANY_P", 0x00c0 },
		{ "spr::UOPS_RETIRED:SLOTS", 0x02c2 },
		{ "spr::BR_INST_RETIRED:ALL_BRANCHES", 0x00c4 },
		{ "spr::BR_MISP_RETIRED:ALL_BRANCHES", 0x00c5 },
		{ "spr::L1D:REPLACEMENT", 0x0151 },
		{ "spr::LONGEST_LAT_CACHE:MISS", 0x412e },
		{ "spr::MEM_LOAD_RETIRED:L3_MISS", 0x20d1 },
		{ "spr::DTLB_LOAD_MISSES:WALK_COMPLETED", 0x0e12 },
		{ "spr::ITLB_MISSES:WALK_COMPLETED", 0x0e11 },
		{ "amd64_fam19h_zen4::CYCLES_NOT_IN_HALT", 0x0076 },
		{ "amd64_fam19h_zen4::RETIRED_INSTRUCTIONS", 0x00c0 },
		{ "amd64_fam19h_zen4::RETIRED_BRANCH_INSTRUCTIONS", 0x00c2 },
		{ "amd64_fam19h_zen4::RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", 0x00c3 },
		{ "amd64_fam19h_zen4::CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C",
		  0x0864 },
		{ "amd64_fam19h_zen4::L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS", 0x1045 },
		{ "skl::CYCLE_ACTIVITY:STALLS_L1D_MISS", 0x0c000ca3 },
		{ "icl::INT_MISC:UOP_DROPPING", 0x100d },
		{ "icl::L1D_PEND_MISS:FB_FULL_PERIODS", 0x01040248 },
		{ "spr::EXE_ACTIVITY:BOUND_ON_LOADS", 0x050021a6 },
		{ "spr::MEMORY_ACTIVITY:STALLS_L3_MISS", 0x09000947 },
		{ "amd64_fam19h_zen3::UOPS_QUEUE_EMPTY", 0x00a9 },
		{ "amd64_fam19h_zen4::DISPATCH_STALLS_1:FE_NO_OPS:c=6", 0x1060001a0 },
		{ "amd64_fam19h_zen4::DISPATCH_STALLS_1:BE_STALLS", 0x100001ea0 },
		{ "amd64_fam19h_zen4::CYCLES_NO_RETIRE:NOT_COMPLETE_MISSING_LOAD", 0xa2d6 },
		{ "perf_raw::ra2d6", 0xa2d6 },
		{ "arm_n1::CPU_CYCLES", 0x11 },
		{ "arm_n1::INST_RETIRED", 0x08 },
		{ "arm_n1::BR_RETIRED", 0x21 },
		{ "arm_n1::BR_MIS_PRED_RETIRED", 0x22 },
		{ "arm_n1::L1D_CACHE_REFILL", 0x03 },
		{ "arm_n1::L2D_CACHE_REFILL", 0x17 },
		{ "arm_n1::LL_CACHE_MISS_RD", 0x37 },
		{ "arm_n1::DTLB_WALK", 0x34 },
		{ "arm_n1::ITLB_WALK", 0x35 },
		{ "ppc970::PM_CYC", 0x0007 },
		{ "ppc970::PM_INST_CMPL", 0x0001 },
		{ "ppc970::PM_BR_ISSUED", 0x0431 },
		{ "ppc970::PM_GRP_BR_MPRED", 0x0327 },
		{ "ppc970::PM_LD_REF_L1", 0x8810 },
		{ "ppc970::PM_LD_MISS_L1", 0x3810 },
		{ "ppc970::PM_DTLB_MISS", 0x0704 },
		{ "ppc970::PM_ITLB_MISS", 0x0700 },
	};

	event_any_pmu();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct perf_event_attr attr = { .size = sizeof(attr) };
		struct error e;

		if (event_encode(cases[i].name, &attr, &e))
			skip(e.text, 1);
		else
			cmp_int(attr.config, cases[i].code, "%s", cases[i].name);
	}
}

/* What hbench hands to programs without libpfm4. */
static void test_encoded(void)
{
	static const char name[] = "skl::L1D:REPLACEMENT:u";
	struct perf_event_attr attr = { .size = sizeof(attr) }, again = { 0 };
	struct error e;
	char *text = event_encoded(name), *unknown = event_encoded("no such event");

	is_string(unknown, "no such event", "an unknown event stays its name");
	if (event_encode(name, &attr, &e)) {
		skip(e.text, 3);
	} else {
		cmp_int(strcspn(text, "@"), sizeof(name) - 1, "the name comes first");
		ok(!event_encode(text, &again, &e) && !memcmp(&attr, &again, sizeof(attr)),
		   "then all that libpfm4 said");
		text[strlen(text) - 1] = '\0';
		ok(event_encode(text, &again, &e) < 0, "half of it is refused");
	}
	free(text);
	free(unknown);
}

/* ---- why nothing can be counted: machines made of files ---- */

static void make_file(const char *root, const char *file, const char *text)
{
	struct error e;
	char *path = xasprintf("%s%s", root, file), *slash = strrchr(path, '/');

	*slash = '\0';
	file_make_directory(path, &e);
	*slash = '/';
	file_write(path, text, strlen(text), &e);
	free(path);
}

static void test_possible(void)
{
	char root[] = "/tmp/counters.XXXXXX", words[64];
	static const char devices[] = "/sys/bus/event_source/devices/";
	struct error e = { "" };

	ok(mkdtemp(root) != NULL, "a machine of files");
	cmp_int(event_possible(root, &e), EVENT_UNSUPPORTED, "no perf events: %s", e.text);
	make_file(root, "/proc/sys/kernel/perf_event_paranoid", "2\n");
	make_file(root, "/proc/cpuinfo", "flags\t\t: fpu vme\n");
	cmp_int(event_possible(root, &e), EVENT_UNSUPPORTED, "no PMU: %s", e.text);
	ok(strstr(e.text, "no performance counters"), "a machine without");
	make_file(root, "/proc/cpuinfo", "flags\t\t: fpu hypervisor vme\n");
	event_possible(root, &e);
	ok(strstr(e.text, "hypervisor") && strstr(e.text, "pmu=on"), "a guest without");
	snprintf(words, sizeof(words), "%spower/type", devices);
	make_file(root, words, "11\n");
	cmp_int(event_possible(root, NULL), EVENT_UNSUPPORTED, "other PMUs do not help");
	snprintf(words, sizeof(words), "%scpu_core/cpus", devices);
	make_file(root, words, "4000-4003,4005\n");
	cmp_int(event_possible(root, &e), 0, "a PMU");
	ok(!event_watchdog(root), "no watchdog");
	make_file(root, "/proc/sys/kernel/nmi_watchdog", "1\n");
	ok(event_watchdog(root), "a watchdog");
	snprintf(words, sizeof(words), "%scpu_atom/cpus", devices);
	make_file(root, words, "4004\n");
	cmp_int(event_possible(root, &e), EVENT_UNSUPPORTED, "two kinds of cores: %s", e.text);
	ok(strstr(e.text, "-c 4000-4003,4005") && strstr(e.text, "-c 4004"), "and what to do");
	make_file(root, words, "0-1000\n");
	cmp_int(event_possible(root, &e), 0, "on cores of one kind");
	int cpus[1024]; /* CPU_SETSIZE */
	cpus_allowed(cpus);
	cpus_pin(cpus[0], &e); /* for what follows, too */
	char *list = xasprintf("5000,%d\n", cpus[0]);
	make_file(root, words, list);
	free(list);
	cmp_int(event_possible(root, &e), 0, "on one core");
	char *command = xasprintf("rm -r %s%scpu_*", root, devices);
	ok(system(command) == 0, "without both kinds");
	free(command);
	cmp_int(event_possible(root, &e), EVENT_UNSUPPORTED, "no PMU");
	snprintf(words, sizeof(words), "%sarmv8_pmuv3_0/cpus", devices);
	make_file(root, words, "0-63\n");
	cmp_int(event_possible(root, &e), 0, "Arm's");
	command = xasprintf("rm -r %s", root);
	ok(system(command) == 0, "removed");
	free(command);
}

int main(void)
{
	test_arithmetic();
	test_covariance();
	for (enum rates kind = 0; kind < RATES; kind++) {
		test_coverage(kind, 2);
		test_coverage(kind, 6);
	}
	test_recorded(2);
	test_recorded(5);
	test_rotation();
	test_encodings(); /* before libpfm4 begins */
	test_encoded();
	test_possible();
	test_group();
	test_groups();
	return done_testing();
}
