/* SPDX-License-Identifier: MIT */
#include "measure/placement.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "machine/cpus.h"

static const char *const names[] = {
	[PLACEMENT_SAME] = "same",   [PLACEMENT_OTHER] = "other", [PLACEMENT_PACKAGE] = "package",
	[PLACEMENT_APART] = "apart", [PLACEMENT_FREE] = "free",
};

enum { NAMES = sizeof(names) / sizeof(*names) };

const char *placement_name(enum placement placement)
{
	return names[placement];
}

int placement_parse(const char *s, struct placed *p, struct error *e)
{
	const char *at = s;

	for (size_t i = 0; i < NAMES; i++)
		if (!strcmp(s, names[i])) {
			*p = (struct placed){ (enum placement)i, -1, -1 };
			return 0;
		}
	int cpu = cpus_parse_one(&at), peer = cpu;
	if (*at == ',') {
		at++;
		peer = cpus_parse_one(&at);
	}
	if (cpu < 0 || peer < 0 || *at)
		return error_set(e, "'%s': not same, other, package, apart, free, CPU or CPU,CPU",
				 s);
	*p = (struct placed){ PLACEMENT_SAME, cpu, peer };
	if (cpu != peer)
		p->placement = cpus_share_package(cpu, peer) ? PLACEMENT_OTHER : PLACEMENT_PACKAGE;
	return 0;
}

/* Another CPU, in the same package if near is set, otherwise outside it; preferably one that does
 * not share the core.  -1: there is none. */
static int find_other(int cpu, bool near, const int *cpus, size_t n)
{
	int sibling = -1;

	for (size_t i = 0; i < n; i++) {
		if (cpus[i] == cpu || cpus_share_package(cpu, cpus[i]) != near)
			continue;
		if (!cpus_share_core(cpu, cpus[i]))
			return cpus[i];
		sibling = cpus[i];
	}
	return sibling;
}

static int find_peer(const struct placed *p, const int *cpus, size_t n)
{
	int peer = -1;

	if (p->placement == PLACEMENT_SAME)
		return p->cpu;
	if (p->placement != PLACEMENT_PACKAGE)
		peer = find_other(p->cpu, true, cpus, n);
	if (peer < 0 && p->placement != PLACEMENT_OTHER)
		peer = find_other(p->cpu, false, cpus, n);
	return peer < 0 && p->placement == PLACEMENT_APART ? p->cpu : peer;
}

int placement_resolve(struct placed *p, struct error *e)
{
	int cpus[CPU_SETSIZE];
	size_t n;

	if (p->placement == PLACEMENT_FREE || p->cpu >= 0)
		return 0;
	n = cpus_allowed(cpus);
	if (n == 0)
		return error_set(e,
				 "placement %s: the kernel does not list allowed CPUs; use -P free",
				 names[p->placement]);
	p->cpu = cpus[n > 1 && cpus[0] == 0];
	p->peer = find_peer(p, cpus, n);
	if (p->peer < 0)
		return error_set(e, "placement %s: none of the %zu allowed CPUs fits",
				 names[p->placement], n);
	return 0;
}

int placement_pin(int cpu, struct error *e)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return error_set(e, "pinning to CPU %d: %s", cpu, strerror(errno));
	return 0;
}
