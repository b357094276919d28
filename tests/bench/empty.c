/* SPDX-License-Identifier: MIT */
/*
 * empty - prints what remains of an operation that does nothing when the overhead is subtracted, in
 * nanoseconds.  0 is perfect; below 0, too much is subtracted.  bench_main refuses such a result.
 */
#include <err.h>
#include <stdio.h>

#include "measure/clock.h"
#include "machine/cpus.h"
#include "measure/engine.h"
#include "measure/placement.h"

static void run(uint64_t n)
{
	while (n--)
		bench_clobber();
}

int main(void)
{
	static const struct bench bench = { .run = run };
	const struct engine_plan plan = { .target = 1e-3 };
	struct measurement m;
	struct placed placed;
	struct error e;

	clock_choose_best();
	if (placement_parse("same", &placed, &e) || placement_resolve(&placed, &e) ||
	    cpus_pin(placed.cpu, &e))
		errx(1, "%s", e.text);
	if (engine_measure(&m, &bench, &plan, &e) && m.n == 0)
		errx(1, "%s", e.text);
	printf("%.4f\n", m.seconds * 1e9);
	measurement_free(&m);
	return fflush(stdout) ? 1 : 0;
}
