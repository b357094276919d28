/* SPDX-License-Identifier: MIT */
#include "machine/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/number.h"

size_t cpus_allowed(int *out)
{
	cpu_set_t sets[8]; /* large kernels refuse to fill a single set */
	size_t n = 0;

	if (sched_getaffinity(0, sizeof(sets), sets))
		return 0;
	for (int c = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &sets[0]))
			out[n++] = c;
	return n;
}

int cpus_parse_one(const char **s)
{
	int v = 0;

	if (!isdigit((unsigned char)**s))
		return -1;
	for (; isdigit((unsigned char)**s); ++*s)
		if ((v = v * 10 + (**s - '0')) >= CPU_SETSIZE)
			return -1;
	return v;
}

static int parse_set(const char *list, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (const char *s = list;; s++) {
		int first = cpus_parse_one(&s), last = first;

		if (*s == '-') {
			s++;
			last = cpus_parse_one(&s);
		}
		if (first < 0 || last < first || (*s && *s != ','))
			return -1;
		for (int c = first; c <= last; c++)
			CPU_SET(c, set);
		if (!*s)
			return 0;
	}
}

int cpus_parse(const char *list, int *out, size_t *n, struct error *e)
{
	int allowed[CPU_SETSIZE];
	size_t nallowed = cpus_allowed(allowed), next = 0;
	cpu_set_t set;

	if (parse_set(list, &set)) {
		error_set(e, "'%s' is no list of CPUs such as 0,2-5", list);
		errno = EINVAL;
		return -1;
	}
	*n = 0;
	for (int c = 0; c < CPU_SETSIZE; c++) {
		bool is_allowed = next < nallowed && allowed[next] == c;

		next += is_allowed;
		if (!CPU_ISSET(c, &set))
			continue;
		if (!is_allowed) {
			error_set(e, "CPU %d is not one that this process may use", c);
			errno = ENODEV;
			return -1;
		}
		out[(*n)++] = c;
	}
	return 0;
}

int cpus_pin(int cpu, struct error *e)
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

void cpus_visit(void (*f)(void *arg), void *arg)
{
	cpu_set_t sets[8]; /* as in cpus_allowed() */
	int cpus[CPU_SETSIZE];
	struct error e;
	size_t n = sched_getaffinity(0, sizeof(sets), sets) ? 0 : cpus_allowed(cpus);
	size_t wanted = n < CPUS_VISITED ? n : CPUS_VISITED, visited = 0;

	for (size_t i = 0; i < wanted; i++)
		if (!cpus_pin(cpus[i * n / wanted], &e)) {
			f(arg);
			visited++;
		}
	if (visited)
		sched_setaffinity(0, sizeof(sets), sets);
	else
		f(arg);
}

static const char *root = "/sys/devices/system/cpu", *stat_file = "/proc/stat";

/* The first line of a file about a CPU in text[n]; NULL: there is none. */
static const char *describe(int cpu, const char *file, char *text, size_t n)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/cpu%d/%s", root, cpu, file);
	return file_first_line(path, text, n);
}

/* Does the list in this file about CPU a hold b? */
static bool lists(int a, const char *file, int b)
{
	char text[4096];
	cpu_set_t set;

	return describe(a, file, text, sizeof(text)) && !parse_set(text, &set) &&
	       CPU_ISSET(b, &set);
}

/* The index of the last level of cache, or -1. */
static int last_cache(int cpu)
{
	char file[64], text[16];
	uint64_t level, highest = 0;
	int found = -1;

	for (int i = 0;; i++) {
		snprintf(file, sizeof(file), "cache/index%d/level", i);
		if (!describe(cpu, file, text, sizeof(text)) || !number_parse_u64(text, &level))
			return found;
		if (level > highest) {
			highest = level;
			found = i;
		}
	}
}

enum cpus_relation cpus_relation(int a, int b)
{
	static const char package[] = "topology/physical_package_id";
	char first[32] = "", second[32] = "", file[64];
	int cache = last_cache(a);

	if (a == b)
		return CPUS_SAME;
	if (lists(a, "topology/thread_siblings_list", b))
		return CPUS_SIBLINGS;
	describe(a, package, first, sizeof(first));
	describe(b, package, second, sizeof(second));
	if (strcmp(first, second))
		return CPUS_PACKAGES;
	snprintf(file, sizeof(file), "cache/index%d/shared_cpu_list", cache);
	return cache < 0 || lists(a, file, b) ? CPUS_NEAR : CPUS_FAR;
}

double cpus_tick(void)
{
	return 1.0 / (double)sysconf(_SC_CLK_TCK);
}

/* What the line about a CPU counts in clock ticks, in order. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, TIMES };

static bool read_times(int cpu, unsigned long long t[TIMES])
{
	FILE *f = fopen(stat_file, "re");
	char name[24] = "cpu ", line[512];
	bool found = false;

	if (cpu >= 0)
		snprintf(name, sizeof(name), "cpu%d ", cpu);
	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, name, strlen(name)) &&
			sscanf(line + strlen(name), "%llu %llu %llu %llu %llu %llu %llu %llu", t,
			       t + 1, t + 2, t + 3, t + 4, t + 5, t + 6, t + 7) == TIMES;
	if (f)
		fclose(f);
	return found;
}

double cpus_steal(int cpu)
{
	unsigned long long t[TIMES];

	return read_times(cpu, t) ? (double)t[STEAL] * cpus_tick() : NAN;
}

double cpus_busy(int cpu)
{
	unsigned long long t[TIMES];

	return read_times(cpu, t) ? (double)(t[USER] + t[NICE] + t[SYSTEM]) * cpus_tick() : NAN;
}

double cpus_idle(int cpu)
{
	unsigned long long t[TIMES], idle = 0;

	if (!read_times(cpu, t))
		return NAN;
	for (int i = IDLE; i < TIMES; i++)
		idle += t[i];
	/* gVisor counts nothing. */
	return idle ? (double)idle * cpus_tick() : NAN;
}

/* In versions 2 and 1 of control groups. */
static struct {
	const char *file, *name;
	double unit; /* seconds */
} quotas[] = {
	{ "/sys/fs/cgroup/cpu.stat", "throttled_usec", 1e-6 },
	{ "/sys/fs/cgroup/cpu/cpu.stat", "throttled_time", 1e-9 },
};

double cpus_throttled(void)
{
	unsigned long long units;
	char line[128], name[64];
	double sum = 0;

	for (size_t i = 0; i < sizeof(quotas) / sizeof(*quotas); i++) {
		FILE *f = fopen(quotas[i].file, "re");

		while (f && fgets(line, sizeof(line), f))
			if (sscanf(line, "%63s %llu", name, &units) == 2 &&
			    !strcmp(name, quotas[i].name))
				sum += (double)units * quotas[i].unit;
		if (f)
			fclose(f);
	}
	return sum;
}
