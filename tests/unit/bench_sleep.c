/* SPDX-License-Identifier: MIT */
/* The timer slack and the clock of lat_sleep. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <time.h>

static clockid_t slept_by = -1;

#define clock_nanosleep(clock, flags, t, left) \
	(slept_by = (clock), clock_nanosleep(clock, flags, t, left))
#include "../../bench/lat_sleep.c"

#include "../bench_inside.h"

static bool is_exact(void)
{
	return prctl(PR_GET_TIMERSLACK) == 1 && slept_by == CLOCK_MONOTONIC;
}

static bool is_usual(void)
{
	return prctl(PR_GET_TIMERSLACK) > 1000;
}

static bool is_real(void)
{
	return slept_by == CLOCK_REALTIME;
}

int main(void)
{
	inside("lat_sleep -GN1 10 exact", is_exact, "no slack");
	inside("lat_sleep -GN1 10 monotonic", is_usual, "that of the system");
	inside("lat_sleep -GN1 10 realtime", is_real, "by the real time");
	return done_testing();
}
