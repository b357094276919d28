/* SPDX-License-Identifier: MIT */
#include "../tap.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "measure/placement.h"

static struct error e;

static _Noreturn void other_on_one_cpu(void)
{
	struct placed p;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) || placement_parse("other", &p, NULL))
		exit(98);
	exit(placement_resolve(&p, NULL) ? 3 : 0);
}

/* With only the first `cpus` CPUs allowed: 0 and 1 say whether "apart" chose two CPUs; 2: it chose a
 * CPU that is not allowed; -1: there are not enough CPUs. */
static int apart_on(int cpus)
{
	struct placed p;
	cpu_set_t allowed, few;

	CPU_ZERO(&few);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&few) < cpus; i++)
		if (CPU_ISSET(i, &allowed))
			CPU_SET(i, &few);
	if (CPU_COUNT(&few) < cpus)
		return -1;
	sched_setaffinity(0, sizeof(few), &few);
	bool resolved = !placement_parse("apart", &p, NULL) && !placement_resolve(&p, NULL);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	return resolved && CPU_ISSET(p.cpu, &few) && CPU_ISSET(p.peer, &few) ? p.cpu != p.peer : 2;
}

static void test_apart(void)
{
	cmp_int(apart_on(1), 0, "apart: on the same CPU when there is only one");
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
	ok(!placement_pin(p.cpu, &e) && sched_getcpu() == p.cpu, "a pinned thread runs there");
	ok(placement_pin(8191, &e) && strstr(e.text, "8191"), "no such CPU: %s", e.text);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	int status;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		other_on_one_cpu();
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 3, "one CPU has no other");
}

/* Lists of CPUs, and what the hypervisor took from them. */
static void test_cpus(void)
{
	static const char *const bad[] = { "",	  ",",	"1,",  "a",	     "1-",
					   "3-1", "-1", "1 2", "99999999999" };
	int allowed[CPU_SETSIZE], out[CPU_SETSIZE];
	size_t n = cpus_allowed(allowed), got;
	char list[64];

	if (!ok(n > 0, "some CPU is allowed"))
		return;
	snprintf(list, sizeof(list), "%d", allowed[n - 1]);
	ok(!cpus_parse(list, out, &got, &e) && got == 1 && out[0] == allowed[n - 1], "one CPU");
	snprintf(list, sizeof(list), "%d,%d-%d", allowed[0], allowed[0], allowed[0]);
	ok(!cpus_parse(list, out, &got, &e) && got == 1, "named twice, counted once");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(cpus_parse(bad[i], out, &got, &e) == -1, "'%s': %s", bad[i], e.text);
	snprintf(list, sizeof(list), "%d", CPU_SETSIZE - 1);
	ok(allowed[n - 1] == CPU_SETSIZE - 1 || cpus_parse(list, out, &got, &e) == -1,
	   "a CPU that is not there: %s", e.text);
	ok(cpus_steal(0) >= 0 && cpus_steal(-1) >= cpus_steal(0), "steal of one CPU and of all");
}

int main(void)
{
	test_cpus();
	test_placement();
	test_apart();
	return done_testing();
}
