/* SPDX-License-Identifier: MIT */
/* Tests of lib/measure/clock and pmu. */
#include "../tap.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/clock.h"
#include "measure/pmu.h"
#include "stats/sample.h"

static void wait_nanoseconds(uint64_t ns)
{
	for (uint64_t end = clock_nanoseconds() + ns; clock_nanoseconds() < end;)
		;
}

static void test_source(enum clock_source source, const char *name)
{
	struct calibration c;
	uint64_t last = 0;
	bool monotone = true;
	struct error e;

	if (clock_choose(source, &e)) {
		skip(e.text, 5);
		return;
	}
	is_string(clock_name(), name, "%s: the name", name);
	for (int i = 0; i < 10000; i++) {
		uint64_t now = i % 2 ? clock_stop() : clock_start();

		monotone = monotone && now >= last;
		last = now;
	}
	ok(monotone, "%s: 10000 readings never go back", name);

	calibration_start(&c);
	uint64_t ns = clock_nanoseconds(), ticks = clock_start();
	wait_nanoseconds(5000000);
	c.middle = calibration_point();
	wait_nanoseconds(5000000);
	c.last = calibration_point();
	double seconds = (double)(clock_stop() - ticks) * calibration_tick(&c);
	double other = (double)(clock_nanoseconds() - ns) * 1e-9;
	/* Others may have had the CPU, for most of it. */
	double least = clock_runs_in_sleep() ? 0.0099 : 1e-6;
	ok(seconds >= least && seconds <= other * 1.01, "%s: 10 ms by both clocks", name);
	ok(calibration_error(&c) >= 0 && calibration_error(&c) < 0.01, "%s: a small error", name);
	ok(fabs(calibration_drift(&c)) < 0.01, "%s: the tick keeps its length", name);
}

/* A tick of 1 ns, then one that is longer by a share, read to within so many ticks. */
static double drift(double share, uint64_t width)
{
	const struct calibration c = {
		.first = { 0, 0, width },
		.middle = { 1000000, 1000000, width },
		.last = { 2000000, 2000000 + (uint64_t)(share * 1e6), width },
	};

	return calibration_drift(&c);
}

static void test_drift(void)
{
	struct error e;

	if (clock_choose(CLOCK_COUNTER, &e)) {
		skip(e.text, 2);
		return;
	}
	cmp_near(drift(1e-3, 10), 1e-3, 1e-3, "a tick that changes by a thousandth");
	ok(drift(1e-3, 1000) == 0, "what the width of the readings explains is none");
	clock_choose_best();
}

enum { TRIES = 2000 };

static uint64_t multiplied(uint64_t x, uint64_t n)
{
	while (n--) {
		x = x * 6364136223846793005u + 1;
		bench_keep(x);
	}
	return x;
}

/* The least ticks that n dependent multiplications took in many tries. */
static double multiply(uint64_t n)
{
	double least = INFINITY;

	for (int i = 0; i < TRIES; i++) {
		uint64_t x = (uint64_t)i;
		uint64_t start = clock_start();
		x = multiplied(x, n);
		uint64_t stop = clock_stop();
		least = fmin(least, (double)(stop - start));
		bench_keep(x);
	}
	return least;
}

/* By how many ticks nothing usually took longer after n dependent multiplications. */
static double left_over(uint64_t n)
{
	double ticks[TRIES];

	for (int i = 0; i < TRIES; i++) {
		uint64_t x = (uint64_t)i, start[2], stop[2];

		for (int k = 0; k < 2; k++) {
			x = multiplied(x, k ? n : 0);
			start[k] = clock_start();
			stop[k] = clock_stop();
			bench_keep(x);
		}
		ticks[i] = (double)(stop[1] - start[1]) - (double)(stop[0] - start[0]);
	}
	return sample_median(ticks, TRIES);
}

/* Without fences the CPU reads the counter while the multiplications are still going on. */
static void test_fences(void)
{
	enum { FEW = 64, MANY = 4096 };

	if (clock_choose(CLOCK_COUNTER, NULL)) {
		skip("no counter here", 2);
		return;
	}
	double each = (multiply(MANY) - multiply(FEW)) / (MANY - FEW);
	double seen = multiply(FEW) - multiply(0);
	double left = left_over(FEW);
	if (each * FEW < 20) {
		skip("the counter is too coarse to tell", 2);
		return;
	}
	ok(left < 0.2 * FEW * each, "so does the first reading: %g ticks too early", left);
	ok(seen > 0.6 * FEW * each && seen < 1.6 * FEW * each,
	   "a reading waits for what precedes: %g of %g ticks", seen, FEW * each);
}

/* Uses 20 ms of CPU time. */
static void *spin_20ms(void *unused)
{
	struct timespec t;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_nsec < 20000000);
	return unused;
}

static void sleep_20ms(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

static void wait_for_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, spin_20ms, NULL);
	pthread_join(thread, NULL);
}

/* The least ticks of five tries: a hypervisor may charge this thread for what others had. */
static uint64_t least_ticks(void (*f)(void))
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t start = clock_start();
		f();
		uint64_t ticks = clock_stop() - start;
		least = ticks < least ? ticks : least;
	}
	return least;
}

static void test_sleep(void)
{
	struct error e;

	if (clock_choose(CLOCK_CPU, &e)) {
		skip(e.text, 3);
		return;
	}
	ok(least_ticks(sleep_20ms) < 10000000, "cpu: stands still in 20 ms of sleep");
	ok(!clock_runs_in_sleep(), "cpu: says so");
	ok(least_ticks(wait_for_thread) < 10000000, "cpu: and while another thread works");
}

static void test_calibration_arithmetic(void)
{
	/* 1000 ticks of 2 ns, then 1000 ticks of 3 ns, each point known to 1 tick. */
	struct calibration c = {
		.first = { 0, 0, 1 },
		.middle = { 1000, 2000, 1 },
		.last = { 2000, 5000, 1 },
	};

	if (clock_choose(CLOCK_COUNTER, NULL)) {
		skip("no counter here", 3);
		return;
	}
	cmp_near(calibration_tick(&c), 2.5e-9, 1e-12, "the tick is the mean of both halves");
	cmp_near(calibration_error(&c), 1.0 / 2000, 1e-12, "the error is the points' width");
	cmp_near(calibration_drift(&c), 0.5, 1e-12, "a tick that grows by half is seen");
}

static void touch(char *pages, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)pages)[i * (size_t)sysconf(_SC_PAGESIZE)] = 1;
}

/* The shadow memory of a sanitizer has faults of its own. */
#ifdef __SANITIZE_ADDRESS__
#define FAULTS 2.0
#else
#define FAULTS 0.05
#endif

static void test_events(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct error e;

	ok(pmu_open("no_such_event", &e) == -1 && e.text[0], "an unknown event: %s", e.text);
	ok(pmu_open("a,,b", &e) == -1 && pmu_count() == 0, "an event without a name");
	if (pmu_open("PERF_COUNT_SW_PAGE_FAULTS,PERF_COUNT_SW_TASK_CLOCK", &e)) {
		skip(e.text, 5);
		return;
	}
	cmp_int(pmu_count(), 2, "two software events");
	is_string(pmu_name(1), "PERF_COUNT_SW_TASK_CLOCK", "in the order given");
	char *pages =
	    mmap(NULL, 100 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(pages, 100 * page, MADV_NOHUGEPAGE);
	touch(pages, 50);
	pmu_reset();
	pmu_start(PMU_WORK);
	touch(pages, 100);
	pmu_stop(PMU_WORK, 10);
	cmp_near(pmu_estimate(0).count, 5, FAULTS, "50 faults are 5 for each of 10 operations");
	ok(pmu_estimate(1).count > 0, "time passed: %g", pmu_estimate(1).count);
	madvise(pages, 100 * page, MADV_DONTNEED);
	pmu_start(PMU_NOTHING);
	touch(pages, 20);
	pmu_stop(PMU_NOTHING, 0);
	pmu_start(PMU_LOOP);
	touch(pages, 50);
	pmu_stop(PMU_LOOP, 30);
	cmp_near(pmu_estimate(0).count, (50 - 20) / 10.0 - (30 - 20) / 30.0, FAULTS,
		 "less 20 for the call, and one for each of 30 turns of the loop");
	munmap(pages, 100 * page);
}

int main(void)
{
	test_source(CLOCK_SYSTEM, "clock");
#if defined(__aarch64__)
	test_source(CLOCK_COUNTER, "cntvct");
#else
	test_source(CLOCK_COUNTER, "tsc");
#endif
	test_source(CLOCK_CPU, "cpu");
	test_fences();
	test_sleep();
	test_calibration_arithmetic();
	test_events();
	test_drift();
	return done_testing();
}
