/* SPDX-License-Identifier: MIT */
/*
 * lat_clock - one reading of a clock by clock_gettime(3), normally without entering the kernel
 * (vDSO).  Where the vDSO makes the system call instead, that is the cost, flagged NOVDSO; CPU time
 * (process, thread) always needs it.  getcpu reads the number of the CPU by sched_getcpu(3).
 */
#include <err.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/clock.h"

static const clockid_t clocks[] = {
	CLOCK_MONOTONIC, CLOCK_REALTIME,	   CLOCK_MONOTONIC_COARSE,  CLOCK_MONOTONIC_RAW,
	CLOCK_BOOTTIME,	 CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
};
enum { GETCPU = sizeof(clocks) / sizeof(*clocks) };

static clockid_t chosen;
static struct timespec now;

static void read_clock(uint64_t n)
{
	while (n--)
		if (clock_gettime(chosen, &now))
			err(1, "clock_gettime");
}

static void run(uint64_t n)
{
	if (bench_choice(0) != GETCPU) {
		read_clock(n);
		return;
	}
	while (n--)
		if (sched_getcpu() < 0)
			err(1, "sched_getcpu");
}

static void call_getcpu(uint64_t n)
{
	unsigned cpu;

	while (n--)
		if (syscall(SYS_getcpu, &cpu, NULL, NULL))
			err(1, "getcpu");
}

static void run_call(uint64_t n)
{
	if (bench_choice(0) == GETCPU) {
		call_getcpu(n);
		return;
	}
	while (n--)
		if (syscall(SYS_clock_gettime, chosen, &now))
			err(1, "clock_gettime");
}

/* The least ticks per 1000 readings. */
static uint64_t time_thousand(void (*reading)(uint64_t n))
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t start = clock_start();
		reading(1000);
		uint64_t ticks = clock_stop() - start;
		least = ticks < least ? ticks : least;
	}
	return least;
}

static void setup(void)
{
	if (bench_choice(0) != GETCPU)
		chosen = clocks[bench_choice(0)];
	/* The system call by way of the vDSO takes a little longer than the system call. */
	if (time_thousand(run) >= time_thousand(run_call))
		bench_flag("NOVDSO");
}

static const char *check(uint64_t n)
{
	static struct timespec last;
	bool back =
	    now.tv_sec < last.tv_sec || (now.tv_sec == last.tv_sec && now.tv_nsec < last.tv_nsec);

	last = now;
	/* Only CLOCK_REALTIME can be set back. */
	return back && chosen != CLOCK_REALTIME ? "the clock went backwards" : NULL;
}

static const struct bench_parameter parameters[] = {
	{ "clock", BENCH_CHOICE, "monotonic realtime coarse raw boottime process thread getcpu",
	  .help = "clock that is read; process, thread: their CPU time; getcpu: the number of the "
		  "CPU" },
	{ 0 }
};

const struct bench bench = {
	.summary = "Reading a clock by clock_gettime(3), or the number of the CPU.",
	.operation = "one reading",
	.parameters = parameters,
	.setup = setup,
	.run = run,
	.check = check,
};
