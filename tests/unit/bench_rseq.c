/* SPDX-License-Identifier: MIT */
/* Whose counter lat_rseq adds to. */
#include <sched.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_rseq.c"

#include "../bench_inside.h"
#include "machine/cpus.h"

static bool counts_here(void)
{
	int cpu = sched_getcpu();

	return done > 100 && cpu >= 0 && counters[(size_t)cpu * WORDS] == done;
}

/* On one CPU from the beginning: the benchmark chooses its own only after its first operations. */
int main(void)
{
	cpus_pin(sched_getcpu(), NULL);
	inside("lat_rseq -GN1000000", counts_here, "that of the CPU it runs on");
	return done_testing();
}
