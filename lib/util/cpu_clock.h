/* SPDX-License-Identifier: MIT */
/* cpu_clock.h - the clocks of the CPU time of a process, as in the kernel's <linux/posix-timers.h>;
 * the C library knows but the exact one. */
#ifndef UTIL_CPU_CLOCK_H
#define UTIL_CPU_CLOCK_H

#include <sys/types.h>
#include <time.h>

enum cpu_clock {
	CLOCK_TICKS = 0, /* user and system ticks: most kernels tell these apart by nothing else */
	CLOCK_USER_TICKS = 1,
	CLOCK_SCHEDULER = 2, /* exact */
};

/* Returns the clock of process pid, 0 for this one, for clock_gettime(2). */
static inline clockid_t cpu_clock_of(pid_t pid, enum cpu_clock which)
{
	return (clockid_t)(~(unsigned)pid << 3 | which);
}

#endif
