/* SPDX-License-Identifier: MIT */
/*
 * Tests of lib/measure/engine in virtual time: the clocks stand still but for what readings, loops
 * and operations are said to take.  However busy the machine is, all figures are exact.
 * tests/unit/measurement.c has the real clocks.
 */
#include "../tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#include "measure/bench.h"

enum { READING_NS = 20, TURN_NS = 1 };

static struct {
	uint64_t wall, cpu; /* nanoseconds */
	long preemptions, sleeps;
} fake;

static void spend(uint64_t ns)
{
	fake.wall += ns;
	fake.cpu += ns;
}

/* The reading after so many others takes a millisecond. */
static int stall = -1;

/* Others have the CPU. */
static void lose_cpu(uint64_t ns)
{
	fake.wall += ns;
	fake.preemptions++;
}

static int read_clock(clockid_t clock, struct timespec *t)
{
	bool is_cpu = clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID;

	if (!is_cpu)
		spend(stall-- ? READING_NS : 1000000);
	uint64_t ns = is_cpu ? fake.cpu : fake.wall;
	*t = (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	return 0;
}

static int read_usage(struct rusage *r)
{
	*r = (struct rusage){ .ru_nivcsw = fake.preemptions, .ru_nvcsw = fake.sleeps };
	return 0;
}

#define clock_gettime read_clock
#define getrusage(whose, usage) read_usage(usage)
#define bench_clobber() spend(TURN_NS) /* in the empty loop that is subtracted */
#include "measure/clock.c"
#include "measure/account.c"
#include "measure/batch.c"
#include "measure/search.c"
#include "measure/engine.c"

enum { WORK_NS = 20000, CONSTANT_NS = 300000, OVERHEAD_NS = 30000 };
static const double work_seconds = 1e-9 * WORK_NS;

static const struct engine_plan quick = { .target = 1e-3, .batches = 5, .bare = true };
static struct error e;
static uint64_t calls; /* of run() or overhead() */

static void work(uint64_t n)
{
	spend(n * (WORK_NS + TURN_NS));
}

/* -- values ------------------------------------------------------------------------------------ */

static void work_and_overhead(uint64_t n)
{
	spend(n * (WORK_NS + OVERHEAD_NS));
}

static void overhead_alone(uint64_t n)
{
	spend(n * OVERHEAD_NS);
}

/* The seventh batch takes twelve times as long, and the fourth half. */
static void work_unevenly(uint64_t n)
{
	calls++;
	spend(n * ((calls == 8 ? 12 * WORK_NS : calls == 5 ? WORK_NS / 2 : WORK_NS) + TURN_NS));
}

static void is_known(const struct bench *bench, const char *what)
{
	struct measurement m;

	if (!ok(!engine_measure(&m, bench, &quick, &e), "%s: measured", what))
		diag(e.text);
	cmp_near(m.seconds, work_seconds, 1e-6, "%s: the value", what);
	cmp_near(m.minimum, work_seconds, 1e-6, "%s: the least batch", what);
	cmp_near(m.mean, work_seconds, 1e-6, "%s: the mean", what);
	cmp_near(m.cpu, work_seconds, 1e-6, "%s: CPU time", what);
	cmp_near(m.batches[m.n - 1], work_seconds, 1e-6, "%s: the last batch", what);
	ok(!m.interrupted && !(m.flags & ~(unsigned)FLAG_OVERHEAD), "%s: nothing to flag", what);
	ok(m.n == 5 && m.iterations * 5 == m.total.n, "%s: 5 equal batches", what);
	measurement_free(&m);
}

static void test_values(void)
{
	static const struct bench both = { .run = work_and_overhead, .overhead = overhead_alone };
	const struct engine_plan eleven = { 1e-3, .batches = 11, .iterations = 5, .bare = true };
	struct measurement m;
	struct overhead o = { 0 };

	is_known(&(struct bench){ .run = work }, "20 us");
	is_known(&both, "20 us and 30 of overhead");
	engine_measure(&m, &both, &quick, &e);
	cmp_near(m.overhead, 1e-9 * (OVERHEAD_NS + READING_NS / (double)m.iterations), 1e-6,
		 "which is known, with the reading of the clock");
	ok(m.flags & FLAG_OVERHEAD, "and flagged");
	measurement_free(&m);

	calls = 0;
	engine_measure(&m, &(struct bench){ .run = work_unevenly }, &eleven, &e);
	ok(m.iterations == 5 && m.n == 11 && calls == 12, "-N 5 -B 11 is 11 batches of 5");
	cmp_near(m.seconds, work_seconds, 1e-6, "uneven batches: the value is their median");
	cmp_near(m.minimum, work_seconds / 2, 1e-6, "the least");
	cmp_near(m.mean, work_seconds * (9 + 12 + 0.5) / 11, 1e-6, "the mean");
	ok(m.flags == FLAG_SKEWED, "which is another");
	measurement_free(&m);

	overhead_sample(&o, &(struct bench){ .overhead = nothing }, 1, NULL, &e);
	overhead_reduce(&o);
	ok(o.operation == 0 && o.timer == READING_NS, "nothing takes no longer than the clock");
	overhead_free(&o);
}

/* The middle of the batches tells whether the clock's tick has changed. */
static void test_calibration(void)
{
	const struct engine_plan ten = { 1e-3, .batches = 10, .iterations = 5, .bare = true };
	const struct calibration_point *middle, *last;
	struct measurement m;

	engine_measure(&m, &(struct bench){ .run = work }, &ten, &e);
	middle = &m.calibration.middle;
	last = &m.calibration.last;
	double after = (double)(last->nanoseconds - middle->nanoseconds) * 1e-9;
	ok(after >= 5 * 5 * work_seconds && after < 8 * 5 * work_seconds,
	   "five batches of 0.1 ms lie between the middle and the end: %g s", after);
	measurement_free(&m);
}

static void test_points(void)
{
	const struct calibration_point base = calibration_point();

	for (int late = 0; late < 3; late++) {
		stall = late;
		ok(calibration_point().width == base.width,
		   "an interrupt does not widen a point: reading %d", late);
	}
	stall = -1;
}

/* -- methods ----------------------------------------------------------------------------------- */

static void work_and_constant(uint64_t n)
{
	spend(CONSTANT_NS);
	work(n);
}

static void tiny(uint64_t n)
{
	spend(n * (1 + TURN_NS));
}

static uint64_t sizes[2]; /* of the last batches */

static void note_size(uint64_t n)
{
	sizes[0] = sizes[1];
	sizes[1] = n;
}

/* Ticks per operation of a round of ten. */
static double round_of_ten(bool slope)
{
	static const struct bench bench = { .run = work_and_constant };
	struct pass p = { .bench = &bench, .plan = &quick, .n = 10, .slope = slope };
	struct batch sum = { 0 };
	double ticks;

	if (take_round(&p, &ticks, &sum, &e) || sum.n != (slope ? 30 : 10))
		return NAN;
	return ticks;
}

static void test_method(void)
{
	static const struct bench small = { .prepare = note_size, .run = tiny },
				  large = { .prepare = note_size, .run = work };
	struct measurement m;

	cmp_near(round_of_ten(true), WORK_NS + TURN_NS, 0, "a slope is free of what is constant");
	cmp_near(round_of_ten(false), WORK_NS + TURN_NS + (CONSTANT_NS + READING_NS) / 10.0, 1e-12,
		 "a plain batch is not");
	engine_measure(&m, &small, &quick, &e);
	cmp_int(m.method, METHOD_SLOPE, "an operation as short as the loop is measured by slope");
	cmp_int(sizes[1], 2 * sizes[0], "from n operations and twice as many");
	cmp_near(m.seconds, 1e-9, 1e-6, "which is free of the loop, too");
	measurement_free(&m);
	engine_measure(&m, &large, &quick, &e);
	cmp_int(m.method, METHOD_SUBTRACT, "a longer one by subtraction");
	cmp_int(sizes[1], sizes[0], "from batches of one size");
	measurement_free(&m);
}

/* -- passes ------------------------------------------------------------------------------------ */

static uint64_t unsteady; /* passes of ten batches after the first call */

/* In an unsteady pass the second half takes twice as long. */
static void work_in_steps(uint64_t n)
{
	uint64_t batch = calls++ - 1;

	work(batch / 10 < unsteady && batch % 10 >= 5 ? 2 * n : n);
}

/* Measures beside so many unsteady passes; true if it takes as many in all. */
static bool takes_passes(uint64_t wanted, struct measurement *m)
{
	const struct engine_plan ten = { 1e-3, .batches = 10, .iterations = 5, .bare = true };

	calls = 0;
	return !engine_measure(m, &(struct bench){ .run = work_in_steps }, &ten, &e) &&
	       calls == 1 + 10 * wanted;
}

static void test_passes(void)
{
	struct measurement m;

	unsteady = 0;
	ok(takes_passes(1, &m) && !m.flags, "a steady pass is enough");
	measurement_free(&m);
	unsteady = 1;
	ok(takes_passes(2, &m) && !m.flags, "an unsteady one is a warm-up");
	cmp_near(m.mean, work_seconds, 1e-6, "and does not count");
	measurement_free(&m);
	unsteady = 2;
	ok(takes_passes(2, &m) && m.flags & FLAG_NOT_STEADY, "two are flagged");
	measurement_free(&m);
}

static uint64_t interrupted[4]; /* batches after the first call, from 1; 0: none */
static uint64_t interruption;	/* nanoseconds */

static void work_beside_others(uint64_t n)
{
	for (size_t i = 0; i < sizeof(interrupted) / sizeof(*interrupted); i++)
		if (interrupted[i] && interrupted[i] == calls)
			lose_cpu(interruption);
	calls++;
	work(n);
}

static void work_beside_many(uint64_t n)
{
	calls++;
	lose_cpu(500000);
	work(n);
}

static void test_interruptions(void)
{
	const struct engine_plan plan = { .target = 1e-3, .iterations = 50 };
	struct measurement m;

	calls = 0;
	interruption = 200000;
	interrupted[0] = 2;
	interrupted[1] = 4;
	interrupted[2] = 7; /* one of those that make up for them */
	engine_measure(&m, &(struct bench){ .run = work_beside_others }, &plan, &e);
	ok(calls == 1 + 8 && m.interrupted == 3,
	   "others have the CPU in 3 of 8 batches: %d, %zu interrupted", (int)calls - 1,
	   m.interrupted);
	ok(m.n == BATCHES && !m.flags, "five without them are reported");
	cmp_near(m.mean, work_seconds, 1e-6, "in which nobody else had it");
	measurement_free(&m);

	calls = 0;
	interruption = 1000000;
	engine_measure(&m, &(struct bench){ .run = work_beside_others }, &plan, &e);
	ok(m.n == BATCHES && m.flags == FLAG_DISTURBED, "over a fifth of all time flags the rest");
	measurement_free(&m);

	calls = 0;
	engine_measure(&m, &(struct bench){ .run = work_beside_many }, &plan, &e);
	cmp_int(calls, 1 + BATCHES, "where they always have it, no more are taken");
	ok(m.n == BATCHES && m.flags & FLAG_DISTURBED, "and that is flagged");
	cmp_near(m.mean, work_seconds + 0.5e-3 / 50, 1e-6, "with the time that passed");
	cmp_near(m.cpu, work_seconds, 1e-6, "and the CPU time that was used");
	measurement_free(&m);
}

static bool was_away;

/* In a gap: what is between batches leaves less in the caches. */
static void be_away(uint64_t n)
{
	was_away = true;
	spend(n);
}

static void work_after(uint64_t n)
{
	spend(n * (was_away ? 10 * WORK_NS : WORK_NS));
	was_away = false;
}

static void sleep_and_work(uint64_t n)
{
	fake.sleeps++;
	fake.wall += WORK_NS;
	work(n);
}

/* Every tenth single operation is interrupted. */
static void work_beside_some(uint64_t n)
{
	if (++calls % 10 == 0)
		lose_cpu(20000);
	work(n);
}

static void test_singles(void)
{
	static const struct bench single = { .run = work_after, .overhead = be_away };
	const struct eviction nothing_touched = { 0, NULL };
	const struct engine_plan plan = { .target = 1e-3,
					  .batches = 5,
					  .eviction = &nothing_touched };
	struct measurement m;

	ok(!engine_measure(&m, &single, &plan, &e), "single operations, several to a batch");
	ok(m.mean < 1.01 * work_seconds, "the first after a gap does not count: %g s", m.mean);
	measurement_free(&m);
	engine_measure(&m, &(struct bench){ .run = work_beside_some }, &plan, &e);
	cmp_near(m.mean, work_seconds, 1e-3, "nor those that were interrupted");
	cmp_near(m.cpu, m.mean, 0, "who never sleeps has the CPU");
	measurement_free(&m);
	engine_measure(&m, &(struct bench){ .run = sleep_and_work }, &plan, &e);
	ok(isnan(m.cpu), "of who sleeps, nobody knows for how long");
	measurement_free(&m);
}

/* -- limits ------------------------------------------------------------------------------------ */

static uint64_t prepared, largest, odd;

static void count_prepared(uint64_t n)
{
	prepared++;
	largest = n > largest ? n : largest;
	odd += n % 3 != 0;
}

static void count_run(uint64_t n)
{
	calls++;
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

static void test_limits(void)
{
	static const struct bench limited = { .prepare = count_prepared,
					      .run = count_run,
					      .limit = seven,
					      .multiple = three },
				  unrolled = { .run = work, .unroll = 4 };
	struct measurement m;

	calls = 0;
	ok(!engine_measure(&m, &limited, &quick, &e), "limit 7, multiple 3");
	cmp_int(largest, 6, "no batch is longer than the limit allows");
	cmp_int(odd, 0, "every batch is a multiple of the multiple");
	cmp_int(prepared, calls, "prepare() precedes every run()");
	cmp_int(m.iterations, 48, "eight rounds of 0.12 ms are a batch of 1 ms");
	cmp_int(m.total.n, 5 * 48, "of which there are five");
	measurement_free(&m);

	const struct engine_plan thirty = { 1e-3, .batches = 1, .iterations = 30, .bare = true };
	largest = 0;
	ok(!engine_measure(&m, &limited, &thirty, &e) && m.iterations == 30 && largest == 6,
	   "30 operations are five rounds of six");
	measurement_free(&m);
	const struct engine_plan ten = { 1e-3, .batches = 2, .iterations = 10, .bare = true };
	ok(!engine_measure(&m, &unrolled, &ten, &e) && m.iterations == 8,
	   "an unrolled loop gets a multiple");
	measurement_free(&m);
}

/* -- what is no measurement -------------------------------------------------------------------- */

static void constant(uint64_t n)
{
	(void)n;
	spend(CONSTANT_NS);
}

static void brief(uint64_t n)
{
	(void)n;
	spend(WORK_NS);
}

static void turn(uint64_t n)
{
	spend(n * TURN_NS);
}

static void work_alone(uint64_t n)
{
	spend(n * WORK_NS);
}

/* Nearly all of work_alone, but for the first calls. */
static void change_overhead(uint64_t n)
{
	spend(n * WORK_NS / 20 * (calls++ < 4 ? 1 : 19));
}

/* Nearly all of it is overhead; the first of the batches that count takes no time. */
static void skip_once(uint64_t n)
{
	spend(calls++ == 1 ? 0 : n * (OVERHEAD_NS + WORK_NS / 20));
}

static const char *complain(uint64_t n)
{
	(void)n;
	return "it rained";
}

static void is_refused_in(const struct engine_plan *plan, const struct bench *bench,
			  const char *why, const char *what)
{
	struct measurement m;

	calls = 0;
	ok(engine_measure(&m, bench, plan, &e) && strstr(e.text, why), "%s: %s", what, e.text);
	measurement_free(&m);
}

static void is_refused(const struct bench *bench, const char *why, const char *what)
{
	const struct engine_plan ten = { .target = 1e-3, .batches = 10, .bare = true };

	is_refused_in(&ten, bench, why, what);
}

static void test_refusals(void)
{
	is_refused(&(struct bench){ .run = nothing }, "no work detected", "a deleted loop");
	is_refused(&(struct bench){ .run = constant }, "no work detected", "one that ignores n");
	is_refused(&(struct bench){ .run = brief, .limit = seven }, "no work detected",
		   "one whose limit is below a batch");
	is_refused(&(struct bench){ .run = work, .check = complain }, "it rained",
		   "a failed check");
	is_refused(&(struct bench){ .run = turn }, "nothing to report", "an empty operation");
	is_refused(&(struct bench){ .run = work_alone, .overhead = change_overhead },
		   "nothing to report", "overhead that nobody knows");

	const struct engine_plan known = { 1e-3, .batches = 5, .iterations = 5, .bare = true };
	is_refused_in(&known, &(struct bench){ .run = skip_once, .overhead = overhead_alone },
		      "nothing to report", "a batch without work, and a mean below 0");
}

/* Of several copies: a millisecond, in a part of which not all ran. */
static bool is_bad_alone_for(double seconds)
{
	struct measurement m = { 0 };
	struct pass p = { .m = &m, .search = { .idle = INFINITY } };
	struct batch b = { .n = 1, .runs = 1, .account = { .caller = 1e-3 } };

	calibration_start(&m.calibration);
	b.ticks = 1e-3 / calibration_tick(&m.calibration);
	b.alone = seconds;
	return is_interrupted(&p, &b);
}

static void test_alone(void)
{
	ok(!is_bad_alone_for(0.05e-3), "copies that begin and end a little apart are together");
	ok(is_bad_alone_for(0.2e-3), "one that ran alone for a fifth of the time was not");
}

static void test_no_cpu_time(void)
{
	struct measurement m;

	all.knows_cpu = false;
	engine_measure(&m, &(struct bench){ .run = work }, &quick, &e);
	ok(isnan(m.cpu), "CPU time that is not known is no number");
	measurement_free(&m);
}

int main(void)
{
	all.knows_cpu = true; /* of lib/measure/account, which is not opened: no clock is real */
	test_values();
	test_calibration();
	test_points();
	test_method();
	test_passes();
	test_interruptions();
	test_singles();
	test_limits();
	test_refusals();
	test_alone();
	test_no_cpu_time();
	return done_testing();
}
