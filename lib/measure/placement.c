/* SPDX-License-Identifier: MIT */
#include "measure/placement.h"

#include <stdlib.h>
#include <string.h>

#include "machine/cpus.h"

static const char *const names[] = {
	[PLACEMENT_SAME] = "same", [PLACEMENT_SIBLING] = "sibling", [PLACEMENT_OTHER] = "other",
	[PLACEMENT_FAR] = "far",   [PLACEMENT_PACKAGE] = "package", [PLACEMENT_APART] = "apart",
	[PLACEMENT_FREE] = "free", [PLACEMENT_REMOTE] = "remote",
};

const char placement_names[] = "same, sibling, other, far, package, apart, free, remote";

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
		return error_set(e, "'%s': not %s, CPU or CPU,CPU", s, placement_names);
	*p = (struct placed){ (enum placement)cpus_relation(cpu, peer), cpu, peer };
	return 0;
}

/* The first of n CPUs that relates to cpu as wanted, or -1. */
static int find_peer(int cpu, enum placement wanted, const int *cpus, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((enum placement)cpus_relation(cpu, cpus[i]) == wanted)
			return cpus[i];
	return -1;
}

int placement_resolve(struct placed *p, struct error *e)
{
	static const enum placement apart[] = {
		PLACEMENT_OTHER,
		PLACEMENT_FAR,
		PLACEMENT_PACKAGE,
		PLACEMENT_SIBLING,
	};
	static const enum placement itself = PLACEMENT_SAME;
	const enum placement *wanted = p->placement == PLACEMENT_REMOTE ? &itself : &p->placement;
	size_t n, choices = 1;
	int cpus[CPU_SETSIZE];

	if (p->placement == PLACEMENT_FREE || p->cpu >= 0)
		return 0;
	n = cpus_allowed(cpus);
	if (n == 0)
		return error_set(e,
				 "placement %s: the kernel does not list allowed CPUs; use -P free",
				 names[p->placement]);
	p->cpu = cpus[n > 1 && cpus[0] == 0];
	const char *first = getenv(PLACEMENT_VARIABLE);
	for (size_t i = 0; first && i < n; i++)
		if (cpus[i] == atoi(first))
			p->cpu = cpus[i];
	if (p->placement == PLACEMENT_APART) {
		wanted = apart;
		choices = sizeof(apart) / sizeof(*apart);
	}
	for (size_t i = 0; i < choices && p->peer < 0; i++)
		p->peer = find_peer(p->cpu, wanted[i], cpus, n);
	if (p->peer < 0)
		return error_set(e, "placement %s: none of the %zu allowed CPUs fits",
				 names[p->placement], n);
	return 0;
}
