/* SPDX-License-Identifier: MIT */
/* Tests of lib/measure/placement: which CPUs are chosen, and that a pinned thread runs there. */
#include "../tap.h"

#include <sched.h>

#include "machine/cpus.h"
#include "measure/placement.h"

static struct error e;

/* Resolves "apart" with only the first n CPUs allowed.  Returns whether it chose two CPUs; -1 if
 * there are fewer than n, 2 if it chose none or one that is not allowed. */
static int apart_on(int n)
{
	struct placed p;
	cpu_set_t allowed, few;

	CPU_ZERO(&few);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&few) < n; i++)
		if (CPU_ISSET(i, &allowed))
			CPU_SET(i, &few);
	if (CPU_COUNT(&few) < n)
		return -1;
	sched_setaffinity(0, sizeof(few), &few);
	bool resolved = !placement_parse("apart", &p, NULL) && !placement_resolve(&p, NULL);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	return resolved && CPU_ISSET(p.cpu, &few) && CPU_ISSET(p.peer, &few) ? p.cpu != p.peer : 2;
}

static void test_apart(void)
{
	cmp_int(apart_on(1), 2, "apart: not to be had on one CPU");
	if (apart_on(2) < 0)
		skip("one CPU only", 1);
	else
		cmp_int(apart_on(2), 1, "on another when there are two");
}

static void test_placement(void)
{
	struct placed p;
	cpu_set_t allowed;

	ok(!placement_parse("same", &p, &e) && p.placement == PLACEMENT_SAME && p.cpu < 0, "same");
	ok(!placement_parse("free", &p, &e) && p.placement == PLACEMENT_FREE, "free");
	ok(!placement_parse("3", &p, &e) && p.cpu == 3 && p.peer == 3 &&
	       p.placement == PLACEMENT_SAME,
	   "one CPU for both");
	ok(!placement_parse("0,1", &p, &e) && p.cpu == 0 && p.peer == 1 &&
	       p.placement != PLACEMENT_SAME && p.placement != PLACEMENT_FREE,
	   "two CPUs");
	static const char *const bad[] = { "", "sam", "1,", ",1", "1,2,3", "-1", "99999", "1 2" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(placement_parse(bad[i], &p, &e) && e.text[0], "'%s' is no placement", bad[i]);

	placement_parse("same", &p, NULL);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	ok(!placement_resolve(&p, &e) && CPU_ISSET(p.cpu, &allowed) && p.peer == p.cpu,
	   "an allowed CPU is chosen");
	ok(p.cpu > 0 || CPU_COUNT(&allowed) == 1, "not the first, which takes most interrupts");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed)) {
			char name[16];

			snprintf(name, sizeof(name), "%d", cpu);
			setenv(PLACEMENT_VARIABLE, name, 1);
			placement_parse("same", &p, NULL);
			ok(!placement_resolve(&p, &e) && p.cpu == cpu, "CPU %d as asked for", cpu);
		}
	unsetenv(PLACEMENT_VARIABLE);
	placement_parse("same", &p, NULL);
	placement_resolve(&p, &e);
	ok(!cpus_pin(p.cpu, &e) && sched_getcpu() == p.cpu, "a pinned thread runs there");
	ok(cpus_pin(8191, &e) && strstr(e.text, "8191"), "no such CPU: %s", e.text);
	placement_parse("other", &p, NULL);
	ok(placement_resolve(&p, &e), "one CPU has no other: %s", e.text);
	sched_setaffinity(0, sizeof(allowed), &allowed);
}

int main(void)
{
	test_placement();
	test_apart();
	return done_testing();
}
