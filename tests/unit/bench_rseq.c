/* SPDX-License-Identifier: MIT */
/* Whose counter lat_rseq adds to. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_rseq.c"

#include "machine/cpus.h"
#include "../tap.h"

enum { ADDITIONS = 20000000 /* some are interrupted */ };

/* Not by bench_main(): where an addition takes hardly more than the loop around it, that has
 * nothing to report. */
int main(void)
{
	int allowed[CPU_SETSIZE], cpu = allowed[cpus_allowed(allowed) - 1];
	const char *reason = supported();

	cpus_pin(cpu, NULL);
	if (reason) {
		skip(reason, 1);
		return done_testing();
	}
	setup();
	run(ADDITIONS);
	ok(counters[(size_t)cpu * WORDS] == ADDITIONS, "%d additions are on the counter of CPU %d",
	   ADDITIONS, cpu);
	return done_testing();
}
