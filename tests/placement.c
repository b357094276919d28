/* SPDX-License-Identifier: MIT */
#include "tap.h"

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

static void test_placement(void)
{
	struct placed p;
	cpu_set_t allowed;

	ok(!placement_parse("same", &p, &e) && p.placement == PLACEMENT_SAME && p.cpu < 0, "same");
	ok(!placement_parse("free", &p, &e) && p.placement == PLACEMENT_FREE, "free");
	ok(!placement_parse("3", &p, &e) && p.cpu == 3 && p.partner == 3 &&
	   p.placement == PLACEMENT_SAME, "one CPU for both");
	ok(!placement_parse("0,1", &p, &e) && p.cpu == 0 && p.partner == 1 &&
	   p.placement != PLACEMENT_SAME && p.placement != PLACEMENT_FREE, "two CPUs");
	static const char *const bad[] = { "", "sam", "1,", ",1", "1,2,3", "-1", "99999", "1 2" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(placement_parse(bad[i], &p, &e) && e.text[0], "'%s' is no placement", bad[i]);

	placement_parse("same", &p, NULL);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	ok(!placement_resolve(&p, &e) && CPU_ISSET(p.cpu, &allowed) && p.partner == p.cpu,
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
	return done_testing();
}
