/* SPDX-License-Identifier: MIT */
#include "measure/placement.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/number.h"

static const char *const names[] = {
	[PLACEMENT_SAME] = "same",   [PLACEMENT_OTHER] = "other", [PLACEMENT_PACKAGE] = "package",
	[PLACEMENT_APART] = "apart", [PLACEMENT_FREE] = "free",
};

enum { NAMES = sizeof(names) / sizeof(*names), CPUS = 8192 };

const char *placement_name(enum placement placement)
{
	return names[placement];
}

/* A number from /sys/devices/system/cpu/cpuN/topology, or -1. */
static long topology(int cpu, const char *file)
{
	char path[128], line[64];
	uint64_t value;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, file);
	if (!file_first_line(path, line, sizeof(line)) || !number_parse_u64(line, &value))
		return -1;
	return (long)value;
}

static bool same_package(int a, int b)
{
	return topology(a, "physical_package_id") == topology(b, "physical_package_id");
}

static bool same_core(int a, int b)
{
	return same_package(a, b) && topology(a, "core_id") >= 0 &&
	       topology(a, "core_id") == topology(b, "core_id");
}

static int parse_cpus(const char *s, struct placed *p)
{
	const char *comma = strchr(s, ',');
	char own[16];
	uint64_t a, b;
	size_t n = comma ? (size_t)(comma - s) : strlen(s);

	if (n >= sizeof(own))
		return -1;
	memcpy(own, s, n);
	own[n] = '\0';
	if (!number_parse_u64(own, &a) || a >= CPUS)
		return -1;
	b = a;
	if (comma && (!number_parse_u64(comma + 1, &b) || b >= CPUS))
		return -1;
	*p = (struct placed){ .cpu = (int)a, .peer = (int)b };
	if (a != b)
		p->placement = same_package(p->cpu, p->peer) ? PLACEMENT_OTHER : PLACEMENT_PACKAGE;
	return 0;
}

int placement_parse(const char *s, struct placed *p, struct error *e)
{
	for (size_t i = 0; i < NAMES; i++)
		if (!strcmp(s, names[i])) {
			*p = (struct placed){ (enum placement)i, -1, -1 };
			return 0;
		}
	if (parse_cpus(s, p))
		return error_set(e, "'%s': not same, other, package, apart, free, CPU or CPU,CPU",
				 s);
	return 0;
}

/* The allowed CPUs in ascending order; returns how many. */
static size_t allowed_cpus(int *out)
{
	size_t bytes = CPU_ALLOC_SIZE(CPUS), n = 0;
	cpu_set_t *set = CPU_ALLOC(CPUS);

	if (set && !sched_getaffinity(0, bytes, set))
		for (int i = 0; i < CPUS; i++)
			if (CPU_ISSET_S(i, bytes, set))
				out[n++] = i;
	CPU_FREE(set);
	return n;
}

/* One of the others, in the same package or not, rather not of our core; -1: there is none. */
static int find_other(int cpu, bool near, const int *cpus, size_t n)
{
	int sibling = -1;

	for (size_t i = 0; i < n; i++) {
		if (cpus[i] == cpu || same_package(cpu, cpus[i]) != near)
			continue;
		if (!same_core(cpu, cpus[i]))
			return cpus[i];
		sibling = cpus[i];
	}
	return sibling;
}

static int find_peer(const struct placed *p, const int *cpus, size_t n)
{
	int peer;

	switch (p->placement) {
	case PLACEMENT_OTHER:
	case PLACEMENT_PACKAGE: return find_other(p->cpu, p->placement == PLACEMENT_OTHER, cpus, n);
	case PLACEMENT_APART:
		peer = find_other(p->cpu, true, cpus, n);
		if (peer < 0)
			peer = find_other(p->cpu, false, cpus, n);
		return peer < 0 ? p->cpu : peer;
	default: return p->cpu;
	}
}

int placement_resolve(struct placed *p, struct error *e)
{
	static int cpus[CPUS];
	size_t n;

	if (p->placement == PLACEMENT_FREE || p->cpu >= 0)
		return 0;
	n = allowed_cpus(cpus);
	if (n == 0)
		return error_set(e,
				 "placement %s: the allowed CPUs cannot be found out; "
				 "use -P free",
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
	size_t bytes = CPU_ALLOC_SIZE(CPUS);
	cpu_set_t *set;
	int failed;

	if (cpu < 0)
		return 0;
	set = CPU_ALLOC(CPUS);
	if (!set)
		return error_set(e, "no memory for a set of CPUs");
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	failed = sched_setaffinity(0, bytes, set) ? errno : 0;
	CPU_FREE(set);
	return failed ? error_set(e, "pinning to CPU %d: %s", cpu, strerror(failed)) : 0;
}
