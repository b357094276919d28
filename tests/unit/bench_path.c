/* SPDX-License-Identifier: MIT */
/* What lat_path asks of openat2(2), whose arguments are in memory. */
#include "../../bench/lat_path.c"

#include "../bench_inside.h"

static bool stays_beneath(void)
{
	strcpy(path, "/");
	return open_file() && !open_beneath() && errno == EXDEV;
}

int main(void)
{
	inside("lat_path -GN10 -D/tmp openat2 2", stays_beneath,
	       "a path may not leave the directory");
	return done_testing();
}
