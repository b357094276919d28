/* SPDX-License-Identifier: MIT */
/* The timer slack of lat_sleep. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_sleep.c"

#include "../bench_inside.h"

static bool is_exact(void)
{
	return prctl(PR_GET_TIMERSLACK) == 1;
}

static bool is_usual(void)
{
	return prctl(PR_GET_TIMERSLACK) > 1000;
}

int main(void)
{
	inside("lat_sleep -GN1 10 exact", is_exact, "no slack");
	inside("lat_sleep -GN1 10 monotonic", is_usual, "that of the system");
	return done_testing();
}
