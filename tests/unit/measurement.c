/* SPDX-License-Identifier: MIT */
/* Tests of lib/measure/engine with the real clocks, to which a busy machine only adds; in
 * tests/unit/engine.c, time is virtual and all figures are exact. */
#include "measure/engine.c"

#include "../tap.h"
#include "machine/caches.h"
#include "measure/interpreter.h"
#include "measure/look.h"
#include "stats/random.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct engine_plan quick = { .target = 2e-4, .batches = 5, .bare = true };
static struct error e;

static void wait_nanoseconds(uint64_t ns)
{
	for (uint64_t end = clock_nanoseconds() + ns; clock_nanoseconds() < end;)
		;
}

enum { WORK_NS = 20000 };

static void work(uint64_t n)
{
	while (n--)
		wait_nanoseconds(WORK_NS);
}

static void test_known_work(void)
{
	static const struct bench bench = { .run = work };
	struct measurement m;
	uint64_t start = clock_nanoseconds();

	ok(!engine_measure(&m, &bench, &quick, &e), "a known amount of work is measured");
	double wall = (double)(clock_nanoseconds() - start) * 1e-9;
	ok(m.minimum >= 0.97 * WORK_NS * 1e-9 && m.minimum <= m.seconds, "20 us take no less: %g",
	   m.minimum);
	ok(m.mean * (double)m.total.n <= wall, "all operations fit into the wall time");
	ok(m.n == 5 && m.iterations >= 1 && m.iterations * 5 == m.total.n, "5 equal batches");
	measurement_free(&m);

	const int anywhere[] = { -1, -1 };
	const struct eviction empty = { CACHES_ALL, anywhere };
	struct engine_plan cold = { .target = 1e-3, .eviction = &empty, .bare = true };
	ok(!engine_measure(&m, &bench, &cold, &e) && m.method == METHOD_SINGLE && m.n == 1 &&
	       m.total.n == 1 && m.seconds >= 0.97 * WORK_NS * 1e-9,
	   "a cold batch is one operation of the right length");
	measurement_free(&m);
}

/* Batches that were interrupted are left out as long as enough are left. */
static void test_keeping(void)
{
	struct measurement m = { .batches = xcalloc(5, sizeof(double)) };
	struct pass p = { .plan = &(struct engine_plan){ .target = 1e-3 }, .m = &m };

	for (int i = 0; i < 5; i++)
		vec_push(&p.taken,
			 (struct taken){
			     i, { .n = 1, .account = { .ticks = 2, .user_ticks = i } }, i == 1 });
	keep_batches(&p, 4, 1);
	ok(m.n == 4 && m.total.n == 4 && m.batches[1] == 2 && m.interrupted == 1 && !m.flags,
	   "an interrupted batch does not count");
	ok(m.ticks == 10 && m.user_ticks == 10, "but for the share of its ticks in user mode");
	m.ticks = m.user_ticks = 0;
	p.taken.v[4].sum.account.user_ticks = 1;
	p.plan = &quick;
	keep_batches(&p, 5, 1);
	cmp_near(m.user_ticks, 7, 0, "which is another one");
	cmp_int(m.n, 5, "but where these batches were asked for");
	p.plan = &(struct engine_plan){ .target = 1e-3 };
	keep_batches(&p, 9, 1);
	ok(m.n == 5 && m.flags == FLAG_DISTURBED,
	   "all count when too few are left, and that is said");
	vec_free(&p.taken);
	measurement_free(&m);
}

enum { LINES = 1024 };

static uint64_t lines[LINES][8];
static size_t order[LINES]; /* a random one, which no prefetcher follows */

static void shuffle_lines(void)
{
	struct random r;

	random_seed(&r, 1);
	for (size_t i = 0; i < LINES; i++)
		order[i] = i;
	random_shuffle(&r, order, LINES);
}

static void fetch_lines(uint64_t n)
{
	uint64_t at = 0;

	while (n--)
		for (int i = 0; i < LINES; i++)
			at = lines[at][0];
	bench_keep(at);
}

/* Makes the loads depend on each other, and leaves all lines in the cache. */
static void link_lines(uint64_t n)
{
	(void)n;
	for (size_t i = 0; i < LINES; i++)
		lines[order[i]][0] = order[(i + 1) % LINES];
}

static cpu_set_t everywhere;
static bool is_pinned;

/* Emptying the caches pins the thread. */
static void unpin(uint64_t n)
{
	sched_setaffinity(0, sizeof(everywhere), &everywhere);
	link_lines(n);
}

static void note_pinned(uint64_t n)
{
	cpu_set_t now;

	fetch_lines(n);
	sched_getaffinity(0, sizeof(now), &now);
	is_pinned = CPU_COUNT(&now) == 1;
}

static void test_cold(void)
{
	static const struct bench bench = { .prepare = unpin, .run = note_pinned };
	int here[2];
	const struct eviction empty = { CACHES_ALL, here };
	const struct engine_plan plan = { .target = 1e-3, .batches = 3, .eviction = &empty };
	struct measurement hot, cold;

	here[0] = here[1] = sched_getcpu();
	sched_getaffinity(0, sizeof(everywhere), &everywhere);
	ok(!engine_measure(&hot, &bench, &quick, &e), "64 KB in the caches");
	ok(!engine_measure(&cold, &bench, &plan, &e) && is_pinned, "emptied after prepare()");
	sched_setaffinity(0, sizeof(everywhere), &everywhere);
	ok(cold.seconds > 3 * hot.minimum, "take longer to fetch: %g s, %g s", cold.seconds,
	   hot.minimum);
	measurement_free(&hot);
	measurement_free(&cold);
}

static size_t prepared, larger; /* single operations; others */
static bool is_used;

static void note_single(uint64_t n)
{
	prepared++;
	larger += n != 1;
	is_used = false;
	link_lines(n);
}

static void note_run(uint64_t n)
{
	larger += is_used;
	is_used = true;
	work(n);
}

/* Single operations after that many bytes of other data and code. */
static void measure_after(struct measurement *m, const struct bench *bench, uint64_t bytes)
{
	const struct eviction eviction = { bytes, NULL };
	const struct engine_plan plan = { .target = 2e-4, .eviction = &eviction };

	prepared = larger = 0;
	bool done = !engine_measure(m, bench, &plan, &e) && m->method == METHOD_SINGLE;
	ok(done, "after %g MB: %g s, overhead %g s", (double)bytes / (1 << 20), m->minimum,
	   m->overhead);
	ok(prepared > m->n && !larger, "%zu operations are prepared one by one", prepared);
}

static void test_footprint(void)
{
	static const struct bench fetch = { .prepare = note_single, .run = fetch_lines };
	static const struct bench known = { .prepare = note_single, .run = note_run };
	static const uint64_t large = 32 << 20;
	struct measurement none, all;

	measure_after(&none, &fetch, 0);
	measure_after(&all, &fetch, large);
	ok(all.minimum > 2 * none.minimum, "lines that were prepared before it have to be fetched");
	/* The clock's code may be in a large last level, or was just used by another process; and
	 * the least of what is subtracted counts. */
	double least = none.overhead, most = all.overhead;
	for (int i = 0; i < 4; i++) {
		measurement_free(&none);
		measurement_free(&all);
		measure_after(&none, &fetch, 0);
		measure_after(&all, &fetch, large);
		least = fmin(least, none.overhead);
		most = fmax(most, all.overhead);
	}
	ok(most > 1.25 * least, "and so has what is subtracted: %g s, %g s", most, least);
	measurement_free(&none);
	measurement_free(&all);

	measure_after(&none, &fetch, 16 << 10);
	measure_after(&all, &fetch, 8 << 20);
	ok(all.minimum > none.minimum, "16k takes less away than 8m");
	measurement_free(&none);
	measurement_free(&all);

	measure_after(&all, &known, 4 << 20);
	ok(all.minimum >= 0.97 * WORK_NS * 1e-9 && all.minimum < 2 * WORK_NS * 1e-9,
	   "what was touched is not in the time of 20 us: %g s", all.minimum);
	ok(isnan(all.cpu) || all.cpu == all.mean, "nor in that of the CPU: %g s", all.cpu);
	measurement_free(&all);
}

static void do_code(uint64_t n)
{
	static const uint64_t numbers[INTERPRETER_NUMBERS];

	while (n--)
		bench_keep(interpreter_run(numbers));
}

static void do_calls(uint64_t n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void test_canaries(void)
{
	static const struct {
		const char *name;
		void (*work)(uint64_t n);
	} canaries[CANARIES] = {
		[CANARY_CODE] = { "interpreter", do_code },
		[CANARY_CALL] = { "call", do_calls },
	};
	const struct engine_plan plan = { .target = 2e-4, .batches = 5 };
	static const struct bench bench = { .run = work };
	struct measurement m;
	size_t gaps;

	ok(!engine_measure(&m, &bench, &plan, &e), "with canaries");
	gaps = m.canaries.ticks[0].n;
	ok(gaps >= 6, "a gap more than batches: %zu", gaps);
	for (int k = 0; k < CANARIES; k++) {
		double seconds = sample_median(m.canaries.ticks[k].v, gaps) * m.tick;
		double same = clock_time(canaries[k].work, 4096) / 4096 * m.tick;

		ok(m.canaries.ticks[k].n == gaps && seconds > same / 3 && seconds < same * 3,
		   "one %s a step: %g s for %g", canaries[k].name, seconds, same);
	}
	measurement_free(&m);
	ok(!engine_measure(&m, &bench, &quick, &e) && m.canaries.ticks[0].n == 0, "without");
	measurement_free(&m);

	struct look look;
	look_take(&look);
	for (int k = 0; k < CANARIES; k++) {
		double same = clock_time(canaries[k].work, 4096) / 4096 * m.tick;

		ok(look.n > 0 && look.cpus[0].seconds[k] > same / 3 &&
		       look.cpus[0].seconds[k] < same * 3,
		   "one %s on the first CPU: %g s for %g", canaries[k].name,
		   look.cpus[0].seconds[k], same);
	}
}

static char *pages;

static void map_pages(uint64_t n)
{
	pages = mmap(NULL, n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(pages, n * 4096, MADV_NOHUGEPAGE);
}

static void touch(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		((volatile char *)pages)[i * 4096] = 1;
}

static const char *unmap_pages(uint64_t n)
{
	return munmap(pages, n * 4096) ? "munmap failed" : NULL;
}

static void test_counts(void)
{
	static const struct bench bench = {
		.prepare = map_pages,
		.run = touch,
		.check = unmap_pages,
	};
	const struct engine_plan thousand = { 1e-3, .batches = 3, .iterations = 1000 };
	struct measurement m;

	if (sysconf(_SC_PAGESIZE) != 4096) {
		skip("pages are not of 4096 bytes", 2);
		return;
	}
	ok(!engine_measure(&m, &bench, &thousand, &e), "page faults are measured");
	double faults = (double)m.total.account.minor_faults / (double)m.total.n;
	ok(faults > 0.99 && faults < 1.1, "and counted: %g for each page touched", faults);
	measurement_free(&m);
}

/* Figures from batches made by hand, in ticks: of the counter, 2 ns long, and once longer by the
 * share drift in the second half. */
static struct measurement reduced(double drift, bool slope)
{
	static double batches[3];
	static struct measurement m;
	struct pass p = { .m = &m, .n = 5, .rounds = 1, .slope = slope };
	uint64_t half = 1000000000;

	m = (struct measurement){ .n = 3, .batches = batches, .total = { .n = 15, .runs = 3 } };
	m.total.account.caller = 15e-6;
	m.calibration.middle = (struct calibration_point){ half, 2 * half, 1 };
	m.calibration.last =
	    (struct calibration_point){ 2 * half, 4 * half + (uint64_t)(2e9 * drift), 1 };
	for (int i = 0; i < 3; i++)
		batches[i] = 100;
	p.overhead.timer = 10;
	p.overhead.operation = 1;
	p.overhead.uncertainty = 7;
	p.overhead.timer_cpu = 1e-6;
	p.overhead.cpu = 1e-7;
	reduce(&p);
	add_flags(&m);
	return m;
}

static void test_reduction(void)
{
	struct overhead o = { 0 };

	for (int i = 0; i < 6; i++) {
		vec_push(&o.timers, 10);
		vec_push(&o.timer_cpus, 1e-6);
		vec_push(&o.operations, i < 3 ? 1 : 4);
		vec_push(&o.cpus, 1e-9);
	}
	overhead_reduce(&o);
	cmp_near(o.uncertainty, 3, 0, "the uncertainty is what both halves differ by");
	overhead_free(&o);
	struct batch sum = { 0 }, one = { .n = 2, .runs = 1, .ticks = 3 };
	batch_add(&sum, &one);
	batch_add(&sum, &one);
	ok(sum.n == 4 && sum.runs == 2 && sum.ticks == 6, "batches add up");
	if (clock_choose(CLOCK_COUNTER, NULL)) {
		skip("no counter here", 7);
		return;
	}
	struct measurement m = reduced(0, false);
	cmp_near(m.overhead, 2e-9 * (1 + 10 / 5), 1e-9,
		 "the clock's time is a part of the overhead");
	cmp_near(m.seconds, 2e-9 * (100 - 3), 1e-9, "which is subtracted");
	cmp_near(m.mean, m.seconds, 1e-9, "from the mean as well");
	cmp_near(m.cpu, (15e-6 - 3e-6) / 15 - 1e-7, 1e-9, "and from the CPU time what it costs");
	cmp_near(reduced(0, true).overhead, 2e-9, 1e-9, "a slope has no clock in it");
	cmp_near(m.uncertainty, 2e-9 * 7, 1e-9, "an uncertainty in ticks becomes seconds");
	ok(!(reduced(1e-5, false).flags & FLAG_DRIFT) && reduced(1e-3, false).flags & FLAG_DRIFT,
	   "a tick that changes by 1e-3 is flagged, one by 1e-5 is not");
	clock_choose_best();
}

int main(void)
{
	shuffle_lines();
	clock_choose_best();
	account_open(ACCOUNT_TOGETHER);
	test_reduction();
	test_known_work();
	test_keeping();
	test_cold();
	test_footprint();
	test_canaries();
	test_counts();
	return done_testing();
}
