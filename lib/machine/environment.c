/* SPDX-License-Identifier: MIT */
#include "machine/environment.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "machine/fact.h"
#include "util/file.h"
#include "util/vec.h"

enum { LINE = 8192 };

/* Without spaces and quotation marks at either end, and printable. */
static char *tidy(char *s)
{
	size_t n;

	s += strspn(s, " \t\"");
	for (n = strlen(s); n && (isspace((unsigned char)s[n - 1]) || s[n - 1] == '"'); n--)
		s[n - 1] = '\0';
	for (char *p = s; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = *p == '\t' ? ' ' : '?';
	return s;
}

void fact_add(struct environment *env, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *text = xvasprintf(fmt, ap);
	va_end(ap);
	const char *value = tidy(text);
	if (*value && !environment_find(env, key))
		vec_push(env, (struct fact){ xstrdup(key), xstrdup(value) });
	free(text);
}

void fact_add_file(struct environment *env, const char *key, const char *path)
{
	char line[LINE];

	if (file_first_line(path, line, sizeof(line)))
		fact_add(env, key, "%s", line);
}

void fact_add_field(struct environment *env, const char *key, const char *path, const char *name)
{
	FILE *f = fopen(path, "re");
	size_t n = strlen(name);
	char line[LINE];

	while (f && fgets(line, sizeof(line), f)) {
		const char *end = line + n;

		if (strncmp(line, name, n))
			continue;
		end += strspn(end, " \t");
		if (*end != ':' && *end != '=')
			continue;
		fact_add(env, key, "%s", end + 1);
		break;
	}
	if (f)
		fclose(f);
}

/* Facts that are one line of one file. */
static const struct {
	const char *key, *path;
} files[] = {
	{ "kernel.cmdline", "/proc/cmdline" },
	{ "kernel.tainted", "/proc/sys/kernel/tainted" },
	{ "kernel.nmi_watchdog", "/proc/sys/kernel/nmi_watchdog" },
	{ "kernel.autogroup", "/proc/sys/kernel/sched_autogroup_enabled" },
	{ "kernel.timer_migration", "/proc/sys/kernel/timer_migration" },
	{ "kernel.perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid" },
	{ "kernel.ptrace_scope", "/proc/sys/kernel/yama/ptrace_scope" },
	{ "clock.source", "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	{ "clock.available", "/sys/devices/system/clocksource/clocksource0/available_clocksource" },
	{ "memory.thp", "/sys/kernel/mm/transparent_hugepage/enabled" },
	{ "memory.thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag" },
	{ "memory.thp_shmem", "/sys/kernel/mm/transparent_hugepage/shmem_enabled" },
	{ "memory.ksm", "/sys/kernel/mm/ksm/run" },
	{ "memory.overcommit", "/proc/sys/vm/overcommit_memory" },
	{ "memory.swappiness", "/proc/sys/vm/swappiness" },
	{ "memory.numa_nodes", "/sys/devices/system/node/online" },
	{ "memory.numa_balancing", "/proc/sys/kernel/numa_balancing" },
	{ "security.aslr", "/proc/sys/kernel/randomize_va_space" },
	{ "security.lsm", "/sys/kernel/security/lsm" },
	{ "security.label", "/proc/self/attr/current" },
	{ "security.io_uring_disabled", "/proc/sys/kernel/io_uring_disabled" },
	{ "network.bpf_jit", "/proc/sys/net/core/bpf_jit_enable" },
	{ "network.congestion", "/proc/sys/net/ipv4/tcp_congestion_control" },
	{ "load.average", "/proc/loadavg" },
	{ "load.uptime", "/proc/uptime" },
};

/* Facts that are a field of a file of fields. */
static const struct {
	const char *key, *path, *name;
} fields[] = {
	{ "os.name", "/etc/os-release", "PRETTY_NAME" },
	{ "memory.total", "/proc/meminfo", "MemTotal" },
	{ "memory.available", "/proc/meminfo", "MemAvailable" },
	{ "memory.swap", "/proc/meminfo", "SwapTotal" },
	{ "memory.hugepages", "/proc/meminfo", "HugePages_Total" },
	{ "memory.hugepage_size", "/proc/meminfo", "Hugepagesize" },
	{ "cpu.allowed", "/proc/self/status", "Cpus_allowed_list" },
	{ "security.seccomp", "/proc/self/status", "Seccomp" },
	{ "security.seccomp_filters", "/proc/self/status", "Seccomp_filters" },
	{ "security.no_new_privs", "/proc/self/status", "NoNewPrivs" },
	{ "security.capabilities", "/proc/self/status", "CapEff" },
	{ "security.store_bypass", "/proc/self/status", "Speculation_Store_Bypass" },
	{ "security.indirect_branch", "/proc/self/status", "SpeculationIndirectBranch" },
	{ "limit.open_files", "/proc/self/limits", "Max open files" },
};

static void add_kernel(struct environment *env)
{
	struct utsname u;

	if (uname(&u))
		return;
	fact_add(env, "host.name", "%s", u.nodename);
	fact_add(env, "kernel.name", "%s", u.sysname);
	fact_add(env, "kernel.release", "%s", u.release);
	fact_add(env, "kernel.version", "%s", u.version);
	fact_add(env, "kernel.machine", "%s", u.machine);
}

/* Tells machines apart without giving the identity itself away: 64 bits of FNV-1a. */
static void add_identity(struct environment *env)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	char line[64];

	if (!file_first_line("/etc/machine-id", line, sizeof(line)) || !*line)
		return;
	for (const char *p = line; *p; p++)
		hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
	fact_add(env, "host.identity", "%016llx", (unsigned long long)hash);
}

static void add_build(struct environment *env)
{
#if defined(__clang__)
	fact_add(env, "build.compiler", "%s", __VERSION__);
#else
	fact_add(env, "build.compiler", "gcc %s", __VERSION__);
#endif
#ifdef __GLIBC__
	fact_add(env, "build.libc", "glibc %s", gnu_get_libc_version());
#endif
#ifdef __OPTIMIZE__
	fact_add(env, "build.optimized", "yes");
#else
	fact_add(env, "build.optimized", "no");
#endif
	fact_add(env, "build.osvec", "%s", VERSION);
}

/* The marks that container managers leave. */
static void add_container(struct environment *env)
{
	fact_add_file(env, "container.manager", "/run/systemd/container");
	if (!access("/.dockerenv", F_OK))
		fact_add(env, "container.manager", "docker");
	if (!access("/run/.containerenv", F_OK))
		fact_add(env, "container.manager", "podman");
}

void environment_identify(struct environment *env)
{
	add_kernel(env);
	add_identity(env);
	fact_add_field(env, "cpu.model", "/proc/cpuinfo", "model name");
}

void environment_collect(struct environment *env, const char *directory)
{
	environment_identify(env);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		fact_add_file(env, files[i].key, files[i].path);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		fact_add_field(env, fields[i].key, fields[i].path, fields[i].name);
	fact_add_hardware(env);
	fact_add_cgroup(env);
	fact_add_filesystem(env, directory);
	fact_add(env, "memory.page", "%ld", sysconf(_SC_PAGESIZE));
	add_container(env);
	add_build(env);
}

const char *environment_find(const struct environment *env, const char *key)
{
	for (size_t i = 0; i < env->n; i++)
		if (!strcmp(env->v[i].key, key))
			return env->v[i].value;
	return NULL;
}

void environment_free(struct environment *env)
{
	for (size_t i = 0; i < env->n; i++) {
		free(env->v[i].key);
		free(env->v[i].value);
	}
	vec_free(env);
}
