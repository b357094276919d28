/* SPDX-License-Identifier: MIT */
/* hardware.c - the part of environment.c that is about processors, caches and hypervisors. */
#include "machine/fact.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "util/file.h"

#define CPU "/sys/devices/system/cpu/"

/* Facts that are one line of one file. */
static const struct {
	const char *key, *path;
} files[] = {
	{ "cpu.online", CPU "online" },
	{ "cpu.isolated", CPU "isolated" },
	{ "cpu.nohz_full", CPU "nohz_full" },
	{ "cpu.smt", CPU "smt/control" },
	{ "cpu.smt_active", CPU "smt/active" },
	{ "cpu.governor", CPU "cpu0/cpufreq/scaling_governor" },
	{ "cpu.frequency_driver", CPU "cpu0/cpufreq/scaling_driver" },
	{ "cpu.frequency_max_khz", CPU "cpu0/cpufreq/cpuinfo_max_freq" },
	{ "cpu.frequency_limit_khz", CPU "cpu0/cpufreq/scaling_max_freq" },
	{ "cpu.no_turbo", CPU "intel_pstate/no_turbo" },
	{ "cpu.boost", CPU "cpufreq/boost" },
	{ "cpu.idle_driver", CPU "cpuidle/current_driver" },
	{ "cpu.idle_governor", CPU "cpuidle/current_governor_ro" },
	{ "hypervisor.type", "/sys/hypervisor/type" },
	{ "machine.vendor", "/sys/class/dmi/id/sys_vendor" },
	{ "machine.product", "/sys/class/dmi/id/product_name" },
	{ "machine.firmware", "/sys/class/dmi/id/bios_version" },
	{ "machine.model", "/proc/device-tree/model" },
};

/* Fields of /proc/cpuinfo: x86 first, then arm64. */
static const struct {
	const char *key, *name;
} fields[] = {
	{ "cpu.vendor", "vendor_id" },
	{ "cpu.family", "cpu family" },
	{ "cpu.model_number", "model" },
	{ "cpu.stepping", "stepping" },
	{ "cpu.microcode", "microcode" },
	{ "cpu.bugs", "bugs" },
	{ "cpu.flags", "flags" },
	{ "cpu.vendor", "CPU implementer" },
	{ "cpu.family", "CPU architecture" },
	{ "cpu.model_number", "CPU part" },
	{ "cpu.stepping", "CPU revision" },
	{ "cpu.flags", "Features" },
};

static void add_cache(struct environment *env, int i)
{
	char path[128], key[32], level[16], type[32], size[32];
	const char *dir = CPU "cpu0/cache/index";

	snprintf(path, sizeof(path), "%s%d/level", dir, i);
	if (!file_first_line(path, level, sizeof(level)))
		return;
	snprintf(path, sizeof(path), "%s%d/type", dir, i);
	file_first_line(path, type, sizeof(type));
	snprintf(path, sizeof(path), "%s%d/size", dir, i);
	file_first_line(path, size, sizeof(size));
	snprintf(key, sizeof(key), "cache.l%.8s%s", level,
		 *type == 'D'	? "d"
		 : *type == 'I' ? "i"
				: "");
	fact_add(env, key, "%s", size);
	snprintf(path, sizeof(path), "%s%d/coherency_line_size", dir, i);
	fact_add_file(env, "cache.line", path);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void add_vulnerabilities(struct environment *env)
{
	struct dirent **entries;
	int n = scandir(CPU "vulnerabilities", &entries, is_visible, alphasort);

	if (n < 0)
		return;
	for (int i = 0; i < n; i++) {
		char path[512], key[300];

		snprintf(path, sizeof(path), CPU "vulnerabilities/%s", entries[i]->d_name);
		snprintf(key, sizeof(key), "vulnerability.%s", entries[i]->d_name);
		fact_add_file(env, key, path);
		free(entries[i]);
	}
	free(entries);
}

/* The signature that hypervisors give on x86: "KVMKVMKVM", "Microsoft Hv", "TCGTCGTCGTCG". */
static void add_hypervisor(struct environment *env)
{
#if defined(__x86_64__)
	unsigned a, b, c, d, signature[3];
	char text[13];

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return;
	__cpuid(0x40000000, a, signature[0], signature[1], signature[2]);
	memcpy(text, signature, 12);
	text[12] = '\0';
	fact_add(env, "hypervisor.signature", "%s", text);
#else
	(void)env;
#endif
}

void fact_add_hardware(struct environment *env)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		fact_add_field(env, fields[i].key, "/proc/cpuinfo", fields[i].name);
	fact_add(env, "cpu.count", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		fact_add_file(env, files[i].key, files[i].path);
	for (int i = 0; i < 8; i++)
		add_cache(env, i);
	add_vulnerabilities(env);
	add_hypervisor(env);
}
