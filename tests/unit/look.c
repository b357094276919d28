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

/* Runs of which each had another state. */
static void test_looks(void)
{
	const struct look before = look(3, 100, 2, 50, 2), middle = look(3, 110, 4, 60, 4);
	const struct look after = look(3, 120, 8, 70, 8), last = look(3, 130, 6, 80, 6);
	struct looks looks = { .n = 0 };

	looks_add(&looks, &before);
	looks_add(&looks, &middle);
	cmp_near(looks.mean[CANARY_CODE], 3, 1e-12, "one run");
	looks_add(&looks, &after);
	looks_add(&looks, &last);
	cmp_near(looks.mean[CANARY_CODE], (3 + 6 + 7) / 3.0, 1e-12, "the mean of three runs");
	cmp_near(looks.mean[CANARY_CALL], 10 * (3 + 6 + 7) / 3.0, 1e-12, "and of calls");
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
	cpu_set_t one_cpu;
	CPU_ZERO(&one_cpu);
	CPU_SET(cpus[n - 1], &one_cpu);
	ok(!sched_setaffinity(0, sizeof one_cpu, &one_cpu), "the last CPU alone");
	look_take(&all);
	ok(all.n == 1 && all.cpus[0].cpu == cpus[n - 1], "by its number");
	test_looks();
	return done_testing();
}
