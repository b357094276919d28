/* SPDX-License-Identifier: MIT */
/* In which order bw_file_cold reads: the caches of a host may hide it from the time. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../tap.h"

#include "../../bench/bw_file_cold.c"
#include "../bench_inside.h"

static size_t ascending(void)
{
	size_t n = 0;

	for (size_t i = 1; i < blocks; i++)
		n += order[i] == order[i - 1] + 1;
	return n;
}

static bool is_in_order(void)
{
	return ascending() == blocks - 1;
}

static bool is_random(void)
{
	return ascending() < blocks / 100;
}

int main(void)
{
	inside("bw_file_cold -GB1 -N 16 sequential 64k", is_in_order, "in order");
	inside("bw_file_cold -GB1 -N 16 random 4k", is_random, "at random");
	return done_testing();
}
