/* SPDX-License-Identifier: MIT */
/* Connections to one port reach all the sockets that listen there. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_accept_group.c"

#include "../bench_inside.h"

static bool reaches_all(void)
{
	return reached == bench_number(0) && total > 100 * bench_number(0);
}

int main(void)
{
	inside("lat_accept_group -GN300 1", reaches_all, "the only one");
	inside("lat_accept_group -GN1000 4", reaches_all, "four");
	return done_testing();
}
