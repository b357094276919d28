/* SPDX-License-Identifier: MIT */
/*
 * lat_timerfd - arms a timer (settime), for an hour in which it is armed again; reads one that has
 * expired (read); or arms one for the next nanosecond and waits for it in read(2), with the
 * timer's interrupt (expire).
 */
#include <err.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/reason.h"

enum { SETTIME, READ, EXPIRE };
enum { TIMERS = 16 }; /* that a batch reads */

static int timers[TIMERS];
static const struct itimerspec later = { .it_value.tv_sec = 3600 },
			       soon = { .it_value.tv_nsec = 1 };

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, "settime read expire",
	  .help = "call that is measured; expire: the timer is set to expire at once and read" },
	{ 0 }
};

static const char *supported(void)
{
	for (int i = 0; i < TIMERS; i++)
		if ((timers[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) < 0)
			return reason_errno("timerfd_create");
	return NULL;
}

static void arm(int timer, const struct itimerspec *when)
{
	if (timerfd_settime(timer, 0, when, NULL))
		err(1, "timerfd_settime");
}

static void take(int timer)
{
	uint64_t expired;

	if (read(timer, &expired, sizeof(expired)) != sizeof(expired) || expired != 1)
		err(1, "read of a timer");
}

static void prepare(uint64_t n)
{
	for (uint64_t i = 0; bench_choice(0) == READ && i < n; i++) {
		struct pollfd expires = { .fd = timers[i], .events = POLLIN };

		arm(timers[i], &soon);
		if (poll(&expires, 1, -1) != 1)
			err(1, "poll");
	}
}

static void run(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		switch (bench_choice(0)) {
		case SETTIME: arm(timers[0], &later); break;
		case READ: take(timers[i]); break;
		case EXPIRE: arm(timers[0], &soon); take(timers[0]);
		}
}

static const char *check(uint64_t n)
{
	struct itimerspec left;

	if (timerfd_gettime(timers[0], &left))
		err(1, "timerfd_gettime");
	return (left.it_value.tv_sec > 0) == (bench_choice(0) == SETTIME)
		   ? NULL
		   : "the timer is not armed as it should be";
}

static uint64_t limit(void)
{
	return bench_choice(0) == READ ? TIMERS : 0;
}

const struct bench bench = {
	.summary = "Arming a timer that is a descriptor, or reading one that has expired.",
	.operation = "one call; expire: two",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
};
