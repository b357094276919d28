/* SPDX-License-Identifier: MIT */
/*
 * lat_sleep - a sleep of TIME microseconds by clock_nanosleep(2): what exceeds TIME is the timer's
 * slack, the timer interrupt, the wake-up and the switch.  The usual slack of a thread is 50 us;
 * exact sets it to 1 ns.
 */
#include <err.h>
#include <sys/prctl.h>
#include <time.h>

#include "measure/bench.h"

enum { MONOTONIC, REALTIME, EXACT };

static const struct bench_parameter parameters[] = {
	{ "time", BENCH_COUNT, "1 10 100 1000", 1, 1000000, .axis = true,
	  .help = "length of a sleep in microseconds" },
	{ "clock", BENCH_CHOICE, "monotonic realtime exact", .fallback = "monotonic",
	  .help = "clock of the sleep; exact: monotonic, without timer slack" },
	{ 0 }
};

static uint64_t before;

static uint64_t nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void setup(void)
{
	if (bench_choice(1) == EXACT && prctl(PR_SET_TIMERSLACK, 1))
		err(1, "prctl PR_SET_TIMERSLACK");
}

static void prepare(uint64_t n)
{
	before = nanoseconds();
}

static void run(uint64_t n)
{
	clockid_t clock = bench_choice(1) == REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	const struct timespec t = {
		.tv_sec = (time_t)(bench_number(0) / 1000000),
		.tv_nsec = (long)(bench_number(0) % 1000000) * 1000,
	};

	while (n--)
		if (clock_nanosleep(clock, 0, &t, NULL))
			errx(1, "clock_nanosleep was interrupted");
}

static const char *check(uint64_t n)
{
	return nanoseconds() - before >= n * bench_number(0) * 1000 ? NULL
								    : "a sleep was too short";
}

const struct bench bench = {
	.summary = "Sleeping for TIME microseconds.",
	.operation = "one sleep, TIME included",
	.parameters = parameters,
	.kernel_entries = 1,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
