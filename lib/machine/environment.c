/* SPDX-License-Identifier: MIT */
#include "machine/environment.h"

#include <ctype.h>
#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "machine/cpus.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/vec.h"

#define CPU "/sys/devices/system/cpu/"
#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/"
#define HUGEPAGE "/sys/kernel/mm/transparent_hugepage/"

enum { LINE = 8192 };

/* Facts that are one line of a file, or the value of its first line "field: value" (or "="). */
static const struct {
	const char *key, *path, *field;
} sources[] = {
	{ "kernel.cmdline", "/proc/cmdline", NULL },
	{ "kernel.tainted", "/proc/sys/kernel/tainted", NULL },
	{ "kernel.nmi_watchdog", "/proc/sys/kernel/nmi_watchdog", NULL },
	{ "kernel.autogroup", "/proc/sys/kernel/sched_autogroup_enabled", NULL },
	{ "kernel.timer_migration", "/proc/sys/kernel/timer_migration", NULL },
	{ "kernel.perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid", NULL },
	{ "kernel.ptrace_scope", "/proc/sys/kernel/yama/ptrace_scope", NULL },
	{ "clock.source", CLOCKSOURCE "current_clocksource", NULL },
	{ "clock.available", CLOCKSOURCE "available_clocksource", NULL },
	{ "memory.thp", HUGEPAGE "enabled", NULL },
	{ "memory.thp_defrag", HUGEPAGE "defrag", NULL },
	{ "memory.thp_shmem", HUGEPAGE "shmem_enabled", NULL },
	{ "memory.ksm", "/sys/kernel/mm/ksm/run", NULL },
	{ "memory.overcommit", "/proc/sys/vm/overcommit_memory", NULL },
	{ "memory.swappiness", "/proc/sys/vm/swappiness", NULL },
	{ "memory.numa_nodes", "/sys/devices/system/node/online", NULL },
	{ "memory.numa_balancing", "/proc/sys/kernel/numa_balancing", NULL },
	{ "security.aslr", "/proc/sys/kernel/randomize_va_space", NULL },
	{ "security.lsm", "/sys/kernel/security/lsm", NULL },
	{ "security.label", "/proc/self/attr/current", NULL },
	{ "security.io_uring_disabled", "/proc/sys/kernel/io_uring_disabled", NULL },
	{ "network.bpf_jit", "/proc/sys/net/core/bpf_jit_enable", NULL },
	{ "network.congestion", "/proc/sys/net/ipv4/tcp_congestion_control", NULL },
	{ "load.average", "/proc/loadavg", NULL },
	{ "load.uptime", "/proc/uptime", NULL },
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
	/* x86 */
	{ "cpu.vendor", "/proc/cpuinfo", "vendor_id" },
	{ "cpu.family", "/proc/cpuinfo", "cpu family" },
	{ "cpu.model_number", "/proc/cpuinfo", "model" },
	{ "cpu.stepping", "/proc/cpuinfo", "stepping" },
	{ "cpu.microcode", "/proc/cpuinfo", "microcode" },
	{ "cpu.bugs", "/proc/cpuinfo", "bugs" },
	{ "cpu.flags", "/proc/cpuinfo", "flags" },
	/* arm64 */
	{ "cpu.vendor", "/proc/cpuinfo", "CPU implementer" },
	{ "cpu.family", "/proc/cpuinfo", "CPU architecture" },
	{ "cpu.model_number", "/proc/cpuinfo", "CPU part" },
	{ "cpu.stepping", "/proc/cpuinfo", "CPU revision" },
	{ "cpu.flags", "/proc/cpuinfo", "Features" },
	{ "cpu.online", CPU "online", NULL },
	{ "cpu.isolated", CPU "isolated", NULL },
	{ "cpu.nohz_full", CPU "nohz_full", NULL },
	{ "cpu.smt", CPU "smt/control", NULL },
	{ "cpu.smt_active", CPU "smt/active", NULL },
	{ "cpu.governor", CPU "cpu0/cpufreq/scaling_governor", NULL },
	{ "cpu.frequency_driver", CPU "cpu0/cpufreq/scaling_driver", NULL },
	{ "cpu.frequency_max_khz", CPU "cpu0/cpufreq/cpuinfo_max_freq", NULL },
	{ "cpu.frequency_limit_khz", CPU "cpu0/cpufreq/scaling_max_freq", NULL },
	{ "cpu.no_turbo", CPU "intel_pstate/no_turbo", NULL },
	{ "cpu.boost", CPU "cpufreq/boost", NULL },
	{ "cpu.idle_driver", CPU "cpuidle/current_driver", NULL },
	{ "cpu.idle_governor", CPU "cpuidle/current_governor_ro", NULL },
	{ "hypervisor.type", "/sys/hypervisor/type", NULL },
	{ "machine.vendor", "/sys/class/dmi/id/sys_vendor", NULL },
	{ "machine.product", "/sys/class/dmi/id/product_name", NULL },
	{ "machine.firmware", "/sys/class/dmi/id/bios_version", NULL },
	{ "machine.model", "/proc/device-tree/model", NULL },
	{ "container.manager", "/run/systemd/container", NULL },
};

/* Removes blanks and quotation marks at both ends and replaces bytes that are not printable ASCII.
 */
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

/* Adds a fact, unless its value is empty or the key is there already. */
__attribute__((format(printf, 3, 4))) static void add(struct environment *env, const char *key,
						      const char *fmt, ...)
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

/* Adds the first line of a file. */
static void add_file(struct environment *env, const char *key, const char *path)
{
	char line[LINE];

	if (file_first_line(path, line, sizeof(line)))
		add(env, key, "%s", line);
}

/* Copies the value of the first line "field: value" or "field=value" of a file to out[LINE]. */
static bool read_field(const char *path, const char *field, char *out)
{
	FILE *f = fopen(path, "re");
	size_t n = strlen(field);
	bool found = false;
	char line[LINE];

	while (f && !found && fgets(line, sizeof(line), f)) {
		const char *end = line + n;

		if (strncmp(line, field, n))
			continue;
		end += strspn(end, " \t");
		found = *end == ':' || *end == '=';
		if (found)
			snprintf(out, LINE, "%.*s", (int)strcspn(end + 1, "\n"), end + 1);
	}
	if (f)
		fclose(f);
	return found;
}

static void add_field(struct environment *env, const char *key, const char *path, const char *field)
{
	char value[LINE];

	if (read_field(path, field, value))
		add(env, key, "%s", value);
}

static void add_kernel(struct environment *env)
{
	struct utsname u;

	if (uname(&u))
		return;
	add(env, "host.name", "%s", u.nodename);
	add(env, "kernel.name", "%s", u.sysname);
	add(env, "kernel.release", "%s", u.release);
	add(env, "kernel.version", "%s", u.version);
	add(env, "kernel.machine", "%s", u.machine);
}

/* A 64-bit FNV-1a hash of the machine's identity, so that the identity itself is not published. */
static void add_identity(struct environment *env)
{
	char line[64];

	if (!file_first_line("/etc/machine-id", line, sizeof(line)) || !*line)
		return;
	add(env, "host.identity", "%016" PRIx64, hash_bytes(line, strlen(line)));
}

static void add_cache(struct environment *env, int i)
{
	const char *dir = CPU "cpu0/cache/index";
	char path[128], key[32], level[16], type[32];

	snprintf(path, sizeof(path), "%s%d/level", dir, i);
	if (!file_first_line(path, level, sizeof(level)))
		return;
	snprintf(path, sizeof(path), "%s%d/type", dir, i);
	file_first_line(path, type, sizeof(type));
	const char *letter = *type == 'D' ? "d" : *type == 'I' ? "i" : "";
	snprintf(key, sizeof(key), "cache.l%.8s%s", level, letter);
	snprintf(path, sizeof(path), "%s%d/size", dir, i);
	add_file(env, key, path);
	snprintf(path, sizeof(path), "%s%d/coherency_line_size", dir, i);
	add_file(env, "cache.line", path);
}

static void add_vulnerabilities(struct environment *env)
{
	glob_t found;

	if (glob(CPU "vulnerabilities/*", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char key[300];

		snprintf(key, sizeof(key), "vulnerability.%s", strrchr(found.gl_pathv[i], '/') + 1);
		add_file(env, key, found.gl_pathv[i]);
	}
	globfree(&found);
}

/* The signature that hypervisors give on x86: "KVMKVMKVM", "Microsoft Hv", "TCGTCGTCGTCG". */
static void add_hypervisor(struct environment *env)
{
#if defined(__x86_64__)
	unsigned a, b, c, d, signature[3];

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return;
	__cpuid(0x40000000, a, signature[0], signature[1], signature[2]);
	add(env, "hypervisor.signature", "%.12s", (const char *)signature);
#else
	(void)env;
#endif
}

/* A limit of a control group: version 2 has one hierarchy, version 1 one for each controller. */
struct limit {
	const char *key, *controller, *mount, *file;
	const char *none; /* the pattern of a value that is no limit; NULL: there is none */
};

static const struct limit limits[] = {
	{ "cgroup.cpu_max", "", "/sys/fs/cgroup", "cpu.max", "max*" },
	{ "cgroup.cpu_weight", "", "/sys/fs/cgroup", "cpu.weight", "100" },
	{ "cgroup.cpus", "", "/sys/fs/cgroup", "cpuset.cpus", NULL },
	{ "cgroup.memory_max", "", "/sys/fs/cgroup", "memory.max", "max" },
	{ "cgroup.memory_high", "", "/sys/fs/cgroup", "memory.high", "max" },
	{ "cgroup.pids_max", "", "/sys/fs/cgroup", "pids.max", "max" },
	{ "cgroup.cpu_quota_us", "cpu", "/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "-1" },
	{ "cgroup.cpu_period_us", "cpu", "/sys/fs/cgroup/cpu", "cpu.cfs_period_us", "100000" },
	{ "cgroup.cpu_shares", "cpu", "/sys/fs/cgroup/cpu", "cpu.shares", "1024" },
	/* the largest multiple of a page that fits 63 bits */
	{ "cgroup.memory_max", "memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes",
	  "922337203685477*" },
	{ "cgroup.cpus", "cpuset", "/sys/fs/cgroup/cpuset", "cpuset.cpus", NULL },
};

/* Adds limit l as set by the nearest group on the way from path up to the root. */
static void add_limit(struct environment *env, const struct limit *l, const char *path)
{
	char group[PATH_MAX], file[PATH_MAX + 64], value[256];
	char *slash = group;

	snprintf(group, sizeof(group), "%s%s", l->mount, path);
	do {
		snprintf(file, sizeof(file), "%s/%s", group, l->file);
		if (file_first_line(file, value, sizeof(value)) && *value &&
		    !(l->none && !fnmatch(l->none, value, 0))) {
			add(env, l->key, "%s", value);
			return;
		}
		slash = strrchr(group, '/');
		*slash = '\0';
	} while (slash - group >= (ptrdiff_t)strlen(l->mount));
}

/* line: "7:cpu,cpuacct:/user.slice", in version 2 "0::/user.slice". */
static void add_group(struct environment *env, char *line)
{
	char *controllers = strchr(line, ':'), *path;
	char listed[256], wanted[32];

	if (!controllers || !(path = strchr(++controllers, ':')))
		return;
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	if (!*controllers)
		add(env, "cgroup.path", "%s", path);
	snprintf(listed, sizeof(listed), ",%s,", controllers);
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		snprintf(wanted, sizeof(wanted), ",%s,", limits[i].controller);
		if (strstr(listed, wanted))
			add_limit(env, &limits[i], path);
	}
}

static void add_cgroups(struct environment *env)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[LINE];

	while (f && fgets(line, sizeof(line), f))
		add_group(env, line);
	if (f)
		fclose(f);
}

/* A line of /proc/self/mountinfo: "36 35 98:0 /root /mnt options [tags...] - type source options".
 */
struct mount {
	char device[24]; /* MAJOR:MINOR */
	char point[PATH_MAX], options[512], type[64], source[PATH_MAX], super[1024];
};

/* Replaces \ooo by the byte it stands for: the kernel writes a space as \040. */
static void unescape(char *s)
{
	char *out = s;

	while (*s)
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*out++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	*out = '\0';
}

static bool parse_mount(const char *line, struct mount *m)
{
	const char *rest = strstr(line, " - ");

	if (!rest ||
	    sscanf(line, "%*s %*s %23s %*s %4095s %511s", m->device, m->point, m->options) != 3 ||
	    sscanf(rest + 3, "%63s %4095s %1023s", m->type, m->source, m->super) != 3)
		return false;
	unescape(m->point);
	unescape(m->source);
	return true;
}

static bool holds(const char *point, const char *path)
{
	size_t n = strlen(point);

	if (n && point[n - 1] == '/')
		n--;
	return !strncmp(path, point, n) && (path[n] == '/' || !path[n]);
}

/* Adds the mode of ext4's journal or "none".  Without a journal, ext4 does not reuse an inode for
 * minutes after its file was deleted, and creating a file can take about fifty times as long. */
static void add_journal(struct environment *env, const struct mount *m)
{
	char path[LINE + 32], value[LINE];

	snprintf(path, sizeof(path), "/sys/dev/block/%s/uevent", m->device);
	if (!read_field(path, "DEVNAME", value))
		return;
	snprintf(path, sizeof(path), "/proc/fs/ext4/%s/options", value);
	if (!access(path, R_OK))
		add(env, "filesystem.journal", "%s",
		    read_field(path, "data", value) ? value : "none");
}

static void add_filesystem(struct environment *env, const char *directory)
{
	static struct mount found, m;
	char path[PATH_MAX], line[3 * PATH_MAX];
	FILE *f = fopen("/proc/self/mountinfo", "re");

	found = (struct mount){ 0 };
	if (f && realpath(directory, path))
		while (fgets(line, sizeof(line), f)) /* later mounts hide earlier ones */
			if (parse_mount(line, &m) && holds(m.point, path) &&
			    strlen(m.point) >= strlen(found.point))
				found = m;
	if (f)
		fclose(f);
	add(env, "filesystem.type", "%s", found.type);
	add(env, "filesystem.source", "%s", found.source);
	add(env, "filesystem.options", "%s", found.options);
	add(env, "filesystem.super_options", "%s", found.super);
	if (!strcmp(found.type, "ext4"))
		add_journal(env, &found);
}

static void add_build(struct environment *env)
{
#if defined(__clang__)
	add(env, "build.compiler", "%s", __VERSION__);
#else
	add(env, "build.compiler", "gcc %s", __VERSION__);
#endif
#ifdef __GLIBC__
	add(env, "build.libc", "glibc %s", gnu_get_libc_version());
#endif
#ifdef __OPTIMIZE__
	add(env, "build.optimized", "yes");
#else
	add(env, "build.optimized", "no");
#endif
	add(env, "build.osvec", "%s", VERSION);
}

void environment_identify(struct environment *env)
{
	add_kernel(env);
	add_identity(env);
	add_field(env, "cpu.model", "/proc/cpuinfo", "model name");
}

void environment_collect(struct environment *env, const char *directory)
{
	environment_identify(env);
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (sources[i].field)
			add_field(env, sources[i].key, sources[i].path, sources[i].field);
		else
			add_file(env, sources[i].key, sources[i].path);
	int usable[CPU_SETSIZE];
	add(env, "cpu.count", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	add(env, "cpu.usable", "%zu", cpus_allowed(usable));
	add(env, "memory.page", "%ld", sysconf(_SC_PAGESIZE));
	for (int i = 0; i < 8; i++)
		add_cache(env, i);
	add_vulnerabilities(env);
	add_hypervisor(env);
	add_cgroups(env);
	add_filesystem(env, directory);
	if (!access("/.dockerenv", F_OK))
		add(env, "container.manager", "docker");
	if (!access("/run/.containerenv", F_OK))
		add(env, "container.manager", "podman");
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
