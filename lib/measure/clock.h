/* SPDX-License-Identifier: MIT */
/*
 * clock.h - the clock that times batches, one per process and chosen once; the length of its tick.
 *
 * A tick is time, not a CPU cycle, except with CLOCK_PMU.  A reading costs tens of nanoseconds;
 * fences keep the measured instructions between the two readings.
 */
#ifndef MEASURE_CLOCK_H
#define MEASURE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "util/error.h"

enum clock_source {
	CLOCK_SYSTEM,  /* CLOCK_MONOTONIC_RAW; a tick is 1 ns */
	CLOCK_COUNTER, /* the invariant counter: rdtsc on x86-64, cntvct_el0 on arm64 */
	CLOCK_PMU,     /* CPU cycles of the calling thread, from perf_event_open(2) */
	CLOCK_CPU,     /* CPU time of the calling thread; a tick is 1 ns */
};

/* The source in use; set by clock_choose. */
extern enum clock_source clock_source;

/* Chooses the counter if it can be trusted here, else CLOCK_SYSTEM. */
void clock_choose_best(void);
/* Chooses this source.  0, or -1 and *e when it is missing here or cannot be trusted. */
int clock_choose(enum clock_source source, struct error *e);
/* The source that option -C calls tsc, clock, pmu or cpu; -1 for another name. */
int clock_find(const char *name);
/* The name of the source in use: that of -C, but "cntvct" for the counter of arm64. */
const char *clock_name(void);

/* CLOCK_MONOTONIC_RAW in nanoseconds. */
static inline uint64_t clock_nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Now, in ticks, from any source but the counter. */
uint64_t clock_read_other(void);
/* True if the source keeps running while the thread sleeps. */
bool clock_runs_in_sleep(void);

/* Now, in ticks.  Instructions that follow do not start before the reading. */
static inline uint64_t clock_start(void)
{
#if defined(__x86_64__)
	if (clock_source == CLOCK_COUNTER) {
		uint32_t low, high;

		__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
		return (uint64_t)high << 32 | low;
	}
#elif defined(__aarch64__)
	if (clock_source == CLOCK_COUNTER) {
		uint64_t ticks;

		__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
		return ticks;
	}
#endif
	return clock_read_other();
}

/* Now, in ticks.  Instructions that precede have finished before the reading. */
static inline uint64_t clock_stop(void)
{
#if defined(__x86_64__)
	if (clock_source == CLOCK_COUNTER) {
		uint32_t low, high;

		__asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "rcx", "memory");
		return (uint64_t)high << 32 | low;
	}
#endif
	return clock_start();
}

/* Ticks that f(n) takes. */
double clock_time(void (*f)(uint64_t n), uint64_t n);

/*
 * The length of a tick, measured against CLOCK_MONOTONIC_RAW (or the thread's CPU time, if ticks
 * stop while the thread sleeps) over the life of the process.  Each point is accurate to
 * tens of nanoseconds, so a process of 40 ms knows its tick to about a millionth.
 */
struct calibration {
	/* The same instant on both clocks. */
	struct calibration_point {
		uint64_t ticks;
		uint64_t nanoseconds;
		uint64_t width; /* ticks between the readings around it: its uncertainty */
	} first, middle, last;
};

/* Returns the current point, the best of several readings. */
struct calibration_point calibration_point(void);
/* Takes the first point and, 0.1 ms later, the others, which the caller replaces by later ones;
 * until then calibration_tick is accurate to about 0.1 %. */
void calibration_start(struct calibration *c);
/* Seconds per tick between the first and the last point. */
double calibration_tick(const struct calibration *c);
/* The relative uncertainty of calibration_tick. */
double calibration_error(const struct calibration *c);
/* The relative change of the tick from the first half to the second, or 0 when it is within the
 * uncertainty of the points. */
double calibration_drift(const struct calibration *c);

#endif
