/* SPDX-License-Identifier: MIT */
/* How far apart the two loads of lat_line are: on some processors no time shows it. */
#include "../../bench/lat_line.c"

#include "../bench_inside.h"

static bool is_apart(void)
{
	return *(char **)at == at + bench_number(0) && (at - memory) % BLOCK == 0;
}

static bool is_far(void)
{
	return is_apart() && *(char **)at == at + 512;
}

int main(void)
{
	inside("lat_line -GN10000 8", is_apart, "8 bytes");
	inside("lat_line -GN10000 64", is_apart, "64 bytes");
	inside("lat_line -GN10000 512", is_far, "512 bytes");
	return done_testing();
}
