/* SPDX-License-Identifier: MIT */
/* monotonic.h - reads the clock that never jumps. */
#ifndef UTIL_MONOTONIC_H
#define UTIL_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* Returns CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Returns CLOCK_MONOTONIC in seconds. */
static inline double monotonic_seconds(void)
{
	return (double)monotonic_ns() * 1e-9;
}

#endif
