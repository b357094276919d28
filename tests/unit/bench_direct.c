/* SPDX-License-Identifier: MIT */
/* In which order lat_direct reads: a device without moving parts may hide it from the time. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../tap.h"

#include "../../bench/lat_direct.c"
#include "../bench_inside.h"

static size_t ascending(void)
{
	size_t n = 0;

	for (size_t i = 1; i < BLOCKS; i++)
		n += order[i] == order[i - 1] + 1;
	return n;
}

static bool is_in_order(void)
{
	return ascending() == BLOCKS - 1;
}

static bool is_random(void)
{
	return ascending() < BLOCKS / 100;
}

/* A batch that ends before the requests in flight were replaced a few times measures its end. */
static bool keeps_going(void)
{
	return next && next % (4 * 8) == 0 && most == 8;
}

int main(void)
{
	inside("lat_direct -GB1 -N 16 read sequential", is_in_order, "in order");
	inside("lat_direct -GB1 -N 16 read random", is_random, "at random");
	inside("lat_direct -GB1 -N 1 read sequential 8", keeps_going, "whole batches");
	return done_testing();
}
