/* SPDX-License-Identifier: MIT */
#include "../tap.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Of a process that may use so many CPUs; -1: it has not as many. */
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

int main(void)
{
	test_placement();
	test_apart();
	return done_testing();
}
