/* SPDX-License-Identifier: MIT */
#include "measure/engine.c"

#include "../tap.h"
#include "machine/caches.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct engine_plan quick = { .target = 2e-4, .batches = 5, .bare = true };
static struct error e;

static void wait_nanoseconds(uint64_t ns)
{
	for (uint64_t end = clock_nanoseconds() + ns; clock_nanoseconds() < end;)
		;
}

enum { WORK_NS = 20000 };

static uint64_t batch_calls, run_calls, largest, odd;

static void work(uint64_t n)
{
	while (n--)
		wait_nanoseconds(WORK_NS);
}

static void nothing(uint64_t n)
{
	(void)n;
}

static void empty(uint64_t n)
{
	while (n--)
		bench_clobber();
}

static void count_batch(uint64_t n)
{
	batch_calls++;
	largest = n > largest ? n : largest;
	odd += n % 3 != 0;
}

static void count_run(uint64_t n)
{
	run_calls++;
	work(n);
}

static uint64_t three(void)
{
	return 3;
}

static uint64_t seven(void)
{
	return 7;
}

static const char *complain(uint64_t n)
{
	(void)n;
	return "it rained";
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

	struct engine_plan fixed = { 1e-3, .batches = 3, .iterations = 11, .bare = true };
	ok(!engine_measure(&m, &bench, &fixed, &e) && m.iterations == 11 && m.n == 3,
	   "-N 11 -B 3 is 3 batches of 11");
	measurement_free(&m);

	const int anywhere[] = { -1, -1 };
	const struct chill empty = { CACHES_ALL, anywhere };
	struct engine_plan cold = { .target = 1e-3, .chill = &empty, .bare = true };
	ok(!engine_measure(&m, &bench, &cold, &e) && m.method == METHOD_SINGLE && m.n == 1 &&
	       m.total.n == 1 && m.seconds >= 0.97 * WORK_NS * 1e-9,
	   "a cold batch is one operation of the right length");
	measurement_free(&m);
}

/* -- known CPU time: the same however busy the machine is ----------------------------------------
 */

enum { CONSTANT_NS = 300000, OVERHEAD_NS = 30000 };

static uint64_t cpu_nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void burn(uint64_t ns)
{
	for (uint64_t end = cpu_nanoseconds() + ns; cpu_nanoseconds() < end;)
		;
}

static void burn_work(uint64_t n)
{
	while (n--)
		burn(WORK_NS);
}

static void burn_constant(uint64_t n)
{
	burn(CONSTANT_NS);
	burn_work(n);
}

static void burn_overhead(uint64_t n)
{
	while (n--)
		burn(OVERHEAD_NS);
}

static void burn_both(uint64_t n)
{
	burn_work(n);
	burn_overhead(n);
}

static uint64_t turns;

/* After the first call, twice as long in the second half of each ten. */
static void burn_more(uint64_t n)
{
	burn_work((turns++ + 9) % 10 < 5 ? n : 2 * n);
}

/* Nearly all of burn_work, but for the first calls. */
static void burn_later(uint64_t n)
{
	while (n--)
		burn(turns < 4 ? WORK_NS / 20 : WORK_NS / 20 * 19);
	turns++;
}

static bool is_work(double seconds)
{
	/* A hypervisor may charge us for what others used. */
	return seconds > 0.97 * WORK_NS * 1e-9 && seconds < 1.9 * WORK_NS * 1e-9;
}

/* The median nanoseconds per operation of several rounds of 10. */
static double typical_round(const struct bench *bench, bool slope)
{
	enum { ROUNDS = 9 };
	struct pass p = { .bench = bench, .plan = &quick, .n = 10, .slope = slope };
	struct batch sum = { 0 };
	double ticks[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		if (take_round(&p, &ticks[i], &sum, &e))
			return NAN;
	return sum.n == ROUNDS * (slope ? 30 : 10) ? sample_median(ticks, ROUNDS) : NAN;
}

static void test_known_cpu_time(void)
{
	static const struct bench plain = { .run = burn_work }, constant = { .run = burn_constant },
				  both = { .run = burn_both, .overhead = burn_overhead };
	struct measurement m;

	if (clock_choose(CLOCK_CPU, &e)) {
		skip(e.text, 9);
		return;
	}
	int failed = engine_measure(&m, &plain, &quick, &e);
	ok(!failed && is_work(m.seconds) && is_work(m.minimum) && is_work(m.mean) &&
	       is_work(m.cpu) && is_work(m.batches[m.n - 1]),
	   "20 us of CPU are 20 us: %g s, mean %g s, CPU %g s", m.seconds, m.mean, m.cpu);
	measurement_free(&m);
	failed = engine_measure(&m, &both, &quick, &e);
	ok(!failed && is_work(m.seconds) && is_work(m.cpu),
	   "overhead is subtracted once: %g s, CPU %g s", m.seconds, m.cpu);
	ok(m.overhead > 0.97 * OVERHEAD_NS * 1e-9 && m.overhead < 1.9 * OVERHEAD_NS * 1e-9,
	   "and known: %g s", m.overhead);
	measurement_free(&m);

	/* 100 us in the first half of each pass, 200 in the second. */
	const struct engine_plan ten = { 1e-3, .batches = 10, .iterations = 5, .bare = true };
	turns = 0;
	failed = engine_measure(&m, &(struct bench){ .run = burn_more }, &ten, &e);
	ok(!failed && m.flags & FLAG_NOT_STEADY, "a step in each pass is flagged");
	measurement_free(&m);
	failed = engine_measure(&m, &plain, &ten, &e);
	ok(!failed && !(m.flags & FLAG_NOT_STEADY), "and no other");
	measurement_free(&m);
	turns = 0;
	failed = engine_measure(&m, &(struct bench){ .run = burn_work, .overhead = burn_later },
				&ten, &e);
	ok(failed && strstr(e.text, "nothing to report"), "overhead that nobody knows: %s", e.text);
	measurement_free(&m);

	cmp_near(typical_round(&constant, true), WORK_NS, 0.5,
		 "a slope is free of what is constant");
	cmp_near(typical_round(&constant, false), WORK_NS + CONSTANT_NS / 10, 0.5,
		 "a plain batch is not");
	struct overhead o = { 0 };
	for (int i = 0; i < 7; i++)
		overhead_sample(&o, &(struct bench){ .overhead = nothing }, 1, NULL, &e);
	overhead_reduce(&o);
	ok(o.operation < 0.5 * o.timer,
	   "nothing takes no longer than the clock itself: %g of %g ns", o.operation, o.timer);
	overhead_free(&o);
	clock_choose_best();
}

static void add(uint64_t n)
{
	uint64_t sum = 0;

	while (n--)
		bench_keep(sum += n);
}

static uint64_t sizes[2]; /* of the last batches */

static void note_size(uint64_t n)
{
	sizes[0] = sizes[1];
	sizes[1] = n;
}

static void test_method(void)
{
	static const struct bench tiny = { .prepare = note_size, .run = add },
				  large = { .prepare = note_size, .run = work };
	struct measurement m;

	engine_measure(&m, &tiny, &quick, &e);
	cmp_int(m.method, METHOD_SLOPE, "an operation as short as the loop is measured by slope");
	cmp_int(sizes[1], 2 * sizes[0], "from n operations and twice as many");
	measurement_free(&m);
	engine_measure(&m, &large, &quick, &e);
	cmp_int(m.method, METHOD_SUBTRACT, "a longer one by subtraction");
	cmp_int(sizes[1], sizes[0], "from batches of one size");
	measurement_free(&m);
}

/* Batches that were interrupted are left out as long as enough are left. */
static void test_keeping(void)
{
	struct measurement m = { .batches = xcalloc(5, sizeof(double)) };
	struct pass p = { .plan = &(struct engine_plan){ .target = 1e-3 }, .m = &m };

	for (int i = 0; i < 5; i++)
		vec_push(&p.taken, (struct taken){ i, { .n = 1 }, i == 1 });
	keep_batches(&p, 4, 1);
	ok(m.n == 4 && m.total.n == 4 && m.batches[1] == 2 && m.interrupted == 1 && !m.flags,
	   "an interrupted batch does not count");
	p.plan = &quick;
	keep_batches(&p, 5, 1);
	cmp_int(m.n, 5, "but where these batches were asked for");
	p.plan = &(struct engine_plan){ .target = 1e-3 };
	keep_batches(&p, 9, 1);
	ok(m.n == 5 && m.flags == FLAG_DISTURBED,
	   "all count when too few are left, and that is said");
	vec_free(&p.taken);
	measurement_free(&m);
}

enum { LINES = 1024, STEP = 389 /* lines: no prefetcher follows */ };

static uint64_t lines[LINES][8];

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
	for (uint64_t i = 0; i < LINES; i++)
		lines[i][0] = (i + STEP) % LINES;
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
	const struct chill empty = { CACHES_ALL, here };
	const struct engine_plan plan = { .target = 1e-3, .batches = 3, .chill = &empty };
	struct measurement hot, cold;

	here[0] = here[1] = sched_getcpu();
	sched_getaffinity(0, sizeof(everywhere), &everywhere);
	ok(!engine_measure(&hot, &bench, &quick, &e), "64 KB in the caches");
	ok(!engine_measure(&cold, &bench, &plan, &e) && is_pinned, "emptied after prepare()");
	sched_setaffinity(0, sizeof(everywhere), &everywhere);
	ok(cold.seconds > 3 * hot.seconds, "take longer to fetch: %g s, %g s", cold.seconds,
	   hot.seconds);
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
	const struct chill chill = { bytes, NULL };
	const struct engine_plan plan = { .target = 2e-4, .chill = &chill };

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
	ok(all.minimum > 3 * none.minimum, "lines that were prepared before it have to be fetched");
	ok(all.overhead > 2 * none.overhead, "and so has what is subtracted");
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

static void test_canaries(void)
{
	static const char *const names[CANARIES] = { "multiplication", "call", "load" };
	const struct engine_plan plan = { .target = 2e-4, .batches = 5 };
	static const struct bench bench = { .run = work };
	struct measurement m;
	double seconds[CANARIES];
	size_t gaps;

	ok(!engine_measure(&m, &bench, &plan, &e), "with canaries");
	gaps = m.canaries.ticks[0].n;
	ok(gaps >= 6, "a gap more than batches: %zu", gaps);
	for (int k = 0; k < CANARIES; k++) {
		seconds[k] = sample_median(m.canaries.ticks[k].v, gaps) * m.tick;
		ok(m.canaries.ticks[k].n == gaps && seconds[k] > 1e-10 && seconds[k] < 2e-5,
		   "one %s a step: %g s", names[k], seconds[k]);
	}
	ok(seconds[CANARY_CALL] > 5 * seconds[CANARY_INTEGER], "a call is no multiplication");
	ok(seconds[CANARY_MEMORY] > 3 * seconds[CANARY_INTEGER],
	   "and 16 MB no level of cache beside the CPU");
	measurement_free(&m);
	ok(!engine_measure(&m, &bench, &quick, &e) && m.canaries.ticks[0].n == 0, "without");
	measurement_free(&m);
}

static void test_limits(void)
{
	static const struct bench limited = {
		.prepare = count_batch,
		.run = count_run,
		.limit = seven,
		.multiple = three,
	};
	struct measurement m;

	ok(!engine_measure(&m, &limited, &quick, &e), "limit 7, multiple 3");
	cmp_int(largest, 6, "no batch is longer than the limit allows");
	cmp_int(odd, 0, "every batch is a multiple of the multiple");
	cmp_int(batch_calls, run_calls, "prepare() precedes every run()");
	ok(m.iterations % 3 == 0 && m.total.n == 5 * m.iterations, "batches of whole rounds");
	measurement_free(&m);

	const struct engine_plan thirty = { 1e-3, .batches = 1, .iterations = 30, .bare = true };
	largest = 0;
	ok(!engine_measure(&m, &limited, &thirty, &e) && m.iterations == 30 && largest == 6,
	   "30 operations are five rounds of six");
	measurement_free(&m);

	/* Far above any stall of a busy machine: 6 operations take 0.12 ms. */
	struct engine_plan patient = { .target = 0.1, .batches = 1 };
	ok(!engine_measure(&m, &limited, &patient, &e) && m.iterations > 6,
	   "several rounds make a batch");
	measurement_free(&m);

	static const struct bench unrolled = { .run = work, .unroll = 4 };
	struct engine_plan fixed = { .target = 1e-3, .batches = 2, .iterations = 10 };
	ok(!engine_measure(&m, &unrolled, &fixed, &e) && m.iterations % 4 == 0,
	   "an unrolled loop gets a multiple");
	measurement_free(&m);
}

static void constant(uint64_t n)
{
	(void)n;
	burn(CONSTANT_NS);
}

static void brief(uint64_t n)
{
	(void)n;
	burn(WORK_NS);
}

/* True if bench is refused with a message that contains why, or measured as next to nothing and
 * flagged. */
static bool is_refused(const struct bench *bench, const char *why)
{
	struct measurement m;
	bool refused = engine_measure(&m, bench, &quick, &e)
			   ? strstr(e.text, why) != NULL
			   : m.seconds < 1e-9 && m.flags & FLAG_OVERHEAD;

	measurement_free(&m);
	return refused;
}

/* By CPU time, in which an interruption does not look like work. */
static void test_refusals(void)
{
	static const struct bench deleted = { .run = nothing }, stuck = { .run = constant },
				  capped = { .run = brief, .limit = seven },
				  hollow = { .run = empty },
				  wrong = { .run = work, .check = complain };

	if (clock_choose(CLOCK_CPU, &e)) {
		skip(e.text, 5);
		return;
	}
	ok(is_refused(&deleted, "no work detected"), "a deleted loop: %s", e.text);
	ok(is_refused(&stuck, "no work detected"), "a loop that ignores n: %s", e.text);
	ok(is_refused(&capped, "no work detected"), "one whose limit is below a batch: %s", e.text);
	ok(is_refused(&wrong, "it rained"), "a failed check: %s", e.text);
	ok(is_refused(&hollow, "nothing to report"), "an empty operation: %s", e.text);
	clock_choose_best();
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
	struct measurement m;

	if (sysconf(_SC_PAGESIZE) != 4096) {
		skip("pages are not of 4096 bytes", 2);
		return;
	}
	ok(!engine_measure(&m, &bench, &quick, &e), "page faults are measured");
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
	clock_choose_best();
	account_open(ACCOUNT_TOGETHER);
	test_reduction();
	test_known_work();
	test_known_cpu_time();
	test_method();
	test_keeping();
	test_cold();
	test_footprint();
	test_canaries();
	test_limits();
	test_refusals();
	test_counts();
	return done_testing();
}
