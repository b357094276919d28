/* SPDX-License-Identifier: MIT */
/* All pages of the segment that lat_shmat attaches exist: a fault maps those around it as well. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_shmat.c"

#include <sys/mman.h>

#include "../bench_inside.h"

enum { BYTES = 64 << 10, PAGE = 4096 };

static bool is_whole(void)
{
	unsigned char there[BYTES / PAGE] = { 0 };
	size_t n = 0;

	if (mincore(ours, BYTES, there))
		return false;
	for (size_t i = 0; i < sizeof(there); i++)
		n += there[i] & 1;
	return n * (size_t)sysconf(_SC_PAGESIZE) == BYTES;
}

int main(void)
{
	inside("lat_shmat -GB1 -N 10 64k", is_whole, "every page of the segment exists");
	return done_testing();
}
