/* SPDX-License-Identifier: MIT */
#include "machine/steal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

double steal_seconds(int cpu)
{
	enum { STEAL = 8 }; /* user nice system idle iowait irq softirq steal */
	FILE *f = fopen("/proc/stat", "re");
	char name[32] = "cpu", line[512];
	unsigned long long ticks = 0;

	if (!f)
		return 0;
	if (cpu >= 0)
		snprintf(name, sizeof(name), "cpu%d", cpu);
	while (fgets(line, sizeof(line), f)) {
		char *at = line + strcspn(line, " ");

		if ((size_t)(at - line) != strlen(name) || strncmp(line, name, strlen(name)))
			continue;
		for (int i = 0; i < STEAL; i++)
			ticks = strtoull(at, &at, 10);
		break;
	}
	fclose(f);
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}
