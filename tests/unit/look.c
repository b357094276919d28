/* SPDX-License-Identifier: MIT */
/* The state of the host between two looks. */
#include "measure/look.h"

#include <math.h>

#include "../tap.h"

/* A look at two CPUs, on which a step of code takes so long and a call ten times as long, after
 * they were busy for so long; by itself it takes a second of each. */
static struct look look(int first, double busy0, double code0, double busy1, double code1)
{
	return (struct look){ .cpus = { { first, busy0, busy0 + 1, { code0, 10 * code0 } },
					{ 7, busy1, busy1 + 1, { code1, 10 * code1 } } },
			      .n = 2,
			      .before = busy0 + busy1,
			      .after = busy0 + busy1 + 2 };
}

static void is_between(const struct look *a, const struct look *b, double code, const char *what)
{
	double seconds[CANARIES];

	look_between(a, b, seconds);
	cmp_near(seconds[CANARY_CODE], code, 1e-12, "%s", what);
	cmp_near(seconds[CANARY_CALL], 10 * code, 1e-12, "and calls");
}

int main(void)
{
	const struct look before = look(3, 100, 2, 50, 4);
	struct look after = look(3, 104, 4, 52, 6), one, all;
	int cpus[CPU_SETSIZE];

	is_between(&before, &after, 3 * 0.75 + 5 * 0.25, "by how long each CPU was busy");
	after.before += 3;
	is_between(&before, &after, 3 * 0.75 + 5 * 0.25, "although others were");
	after.before += 2;
	is_between(&before, &after, 4, "unless most of the time was spent on these");
	after = look(3, 101, 4, 51, 6);
	is_between(&before, &after, 4, "none was: all alike");
	after = look(3, NAN, 4, NAN, 6);
	is_between(&before, &after, 4, "nor is it known");
	after = look(3, 99, 4, 52, 6);
	is_between(&before, &after, 5, "a counter that went back");
	after = look(5, 104, 4, 52, 6);
	after.before -= 3;
	is_between(&before, &after, 5, "another CPU than before does not count");
	one = look(3, 104, 4, 52, 6);
	one.n = 1;
	is_between(&before, &one, 3, "one that went away");
	is_between(&one, &before, (3 + 4) / 2.0, "one that came");

	look_take(&all);
	const size_t n = cpus_allowed(cpus);
	double sum = 0;
	for (size_t i = 0; i < all.n; i++)
		sum += all.cpus[i].after;
	ok(isnan(sum) || sum <= all.after + 0.02 * (double)n, "%g s of all CPUs in %g", sum,
	   all.after);
	cmp_int(all.n, n < CPUS_VISITED ? n : CPUS_VISITED, "all CPUs are looked at");
	for (size_t i = 0; i < all.n; i++)
		ok(all.cpus[i].seconds[CANARY_CODE] > 1e-9 &&
		       all.cpus[i].seconds[CANARY_CALL] > 1e-9,
		   "CPU %d", all.cpus[i].cpu);
	return done_testing();
}
