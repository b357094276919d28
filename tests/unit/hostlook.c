/* SPDX-License-Identifier: MIT */
/* The state of the host between two looks. */
#include "measure/hostlook.h"

#include <math.h>

#include "../tap.h"

/* A look at two CPUs, on which a step of code takes so long; a call takes ten times as long. */
static struct hostlook look(int first, double busy0, double code0, double busy1, double code1)
{
	return (struct hostlook){ .cpus = { { first, busy0, { code0, 10 * code0 } },
					    { 7, busy1, { code1, 10 * code1 } } },
				  .n = 2 };
}

static void is_between(const struct hostlook *a, const struct hostlook *b, double code,
		       const char *what)
{
	double seconds[CANARIES];

	hostlook_between(a, b, seconds);
	cmp_near(seconds[CANARY_CODE], code, 1e-12, "%s", what);
	cmp_near(seconds[CANARY_CALL], 10 * code, 1e-12, "and calls");
}

int main(void)
{
	const struct hostlook before = look(3, 100, 2, 50, 4);
	struct hostlook after = look(3, 103, 4, 51, 6), one = before, all;
	int cpus[CPU_SETSIZE];

	is_between(&before, &after, 3 * 0.75 + 5 * 0.25, "by how long each CPU was busy");
	after = look(3, 100, 4, 50, 6);
	is_between(&before, &after, 4, "none was: all alike");
	after = look(3, NAN, 4, NAN, 6);
	is_between(&before, &after, 4, "nor is it known");
	after = look(3, 99, 4, 51, 6);
	is_between(&before, &after, 5, "a counter that went back");
	after = look(5, 500, 4, 51, 6);
	is_between(&before, &after, 5, "another CPU than before does not count");
	one.n = 1;
	is_between(&before, &one, 2, "one that went away");

	hostlook_take(&all);
	const size_t n = cpus_allowed(cpus);
	cmp_int(all.n, n < CPUS_VISITED ? n : CPUS_VISITED, "all CPUs are looked at");
	for (size_t i = 0; i < all.n; i++)
		ok(all.cpus[i].seconds[CANARY_CODE] > 1e-9 &&
		       all.cpus[i].seconds[CANARY_CALL] > 1e-9,
		   "CPU %d", all.cpus[i].cpu);
	return done_testing();
}
