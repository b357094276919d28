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

/* A number from /sys/devices/system/cpu/cpuN/topology, or -1. */
static long topology(int cpu, const char *file)
{
	char path[128], text[64];
	uint64_t value;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, file);
	if (!file_first_line(path, text, sizeof(text)) || !number_parse_u64(text, &value))
		return -1;
	return (long)value;
}

bool cpus_share_package(int a, int b)
{
	return topology(a, "physical_package_id") == topology(b, "physical_package_id");
}

bool cpus_share_core(int a, int b)
{
	long core = topology(a, "core_id");

	return core >= 0 && core == topology(b, "core_id") && cpus_share_package(a, b);
}

double cpus_tick(void)
{
	return 1.0 / (double)sysconf(_SC_CLK_TCK);
}

double cpus_steal(int cpu)
{
	FILE *f = fopen("/proc/stat", "re");
	double seconds = NAN;
	unsigned long long ticks;
	char name[24] = "cpu ", line[512];

	if (cpu >= 0)
		snprintf(name, sizeof(name), "cpu%d ", cpu);
	while (f && isnan(seconds) && fgets(line, sizeof(line), f))
		/* user nice system idle iowait irq softirq steal */
		if (!strncmp(line, name, strlen(name)) &&
		    sscanf(line + strlen(name), "%*u %*u %*u %*u %*u %*u %*u %llu", &ticks) == 1)
			seconds = (double)ticks * cpus_tick();
	if (f)
		fclose(f);
	return seconds;
}
