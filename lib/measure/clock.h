/* SPDX-License-Identifier: MIT */
/*
 * clock.h - the clock that times batches: one per process, chosen once.
 *
 * A tick is time, not a CPU cycle, except with CLOCK_PMU.  A reading costs about 20 ns; fences keep
 * the measured instructions between the two readings.
 */
#ifndef CLOCK_H
#define CLOCK_H

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

/* The best source that can be trusted here: never fails. */
void clock_choose_best(void);
/* This source.  0, or -1 and *e when this machine has none that can be trusted. */
int clock_choose(enum clock_source source, struct error *e);
/* "tsc", "cntvct", "clock", "pmu" or "cpu". */
const char *clock_name(void);
/* Nanoseconds that ticks are compared with: CLOCK_MONOTONIC_RAW, or the thread's CPU time when
 * ticks stand still while the thread sleeps. */
uint64_t clock_reference(void);

/* CLOCK_MONOTONIC_RAW in nanoseconds. */
static inline uint64_t clock_nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The other sources than the counter. */
uint64_t clock_read_other(void);
/* Does the source go on while the thread sleeps? */
bool clock_runs_in_sleep(void);
/* Is a tick of the source a nanosecond? */
bool clock_in_nanoseconds(void);

/* Now, in ticks, before what is measured: nothing of it starts before the reading. */
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

/* Now, in ticks, after what is measured: all of it has finished before the reading. */
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

#endif
