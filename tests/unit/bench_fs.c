/* SPDX-License-Identifier: MIT */
/* The order in which lat_fs deletes files. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_fs.c"

#include "../bench_inside.h"

enum { FILES = FILES_FEW };

/* How often a file is deleted that was made before the one deleted last. */
static int descents(void)
{
	int n = 0;

	for (size_t i = 1; i < FILES; i++)
		n += order[i] < order[i - 1];
	return n;
}

static bool is_forward(void)
{
	return descents() == 0;
}

static bool is_reverse(void)
{
	return descents() == FILES - 1;
}

static bool is_random(void)
{
	return descents() > FILES / 5 && descents() < 4 * FILES / 5;
}

int main(void)
{
	inside("lat_fs -GN32 -D/tmp delforw", is_forward, "the first first");
	inside("lat_fs -GN32 -D/tmp delrev", is_reverse, "the last first");
	inside("lat_fs -GN32 -D/tmp delrand", is_random, "in random order");
	return done_testing();
}
