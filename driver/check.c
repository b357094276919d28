/* SPDX-License-Identifier: MIT */
/* hbench check: what on this machine will disturb a measurement, and what to do about it. */
#include <err.h>
#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "hbench.h"
#include "machine/cpus.h"
#include "machine/environment.h"
#include "process.h"
#include "util/file.h"
#include "util/home.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/table.h"

static struct {
	bool json, csv;
	const char *directory;
} set = { .directory = "." };

static const struct opt options[] = { { 'D', "directory", OPT_STRING, &set.directory, "DIR",
					.help = "on the file system to measure (.)" },
				      { 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
				      { 0, "csv", OPT_FLAG, &set.csv, .help = "print CSV" },
				      { 0 } };

static const struct opt_usage usage = {
	"hbench check",
	NULL,
	"Says what on this machine will disturb a measurement: green is fine, yellow is kept in\n"
	"mind, red is changed first.  The exit status is 1 when anything is red.",
	"hbench check || echo not now",
};

enum light { GREEN, YELLOW, RED };

enum { FOUND_MAX = 80 };

static const struct environment *env;

static const char *fact(const char *key)
{
	return environment_find(env, key);
}

/* The number that a fact begins with; NaN when it is not known. */
static double number(const char *key)
{
	const char *value = fact(key);
	char *end;
	double v = value ? strtod(value, &end) : NAN;

	return value && end != value ? v : NAN;
}

/* Formats what was found into found[FOUND_MAX] and returns the light. */
static enum light say(char *found, enum light light, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static enum light say(char *found, enum light light, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(found, FOUND_MAX, fmt, ap);
	va_end(ap);
	return light;
}

static enum light say_word(char *found, bool good, const char *word)
{
	return say(found, good ? GREEN : YELLOW, "%s", word);
}

/* Green below the first limit, red from the second. */
static enum light grade(double v, double yellow, double red)
{
	return v < yellow ? GREEN : v < red ? YELLOW : RED;
}

/* -- the checks -------------------------------------------------------------------------------- */

static enum light check_programs(char *found)
{
	char *path = home_find(HOME_BENCH, "lat_syscall", NULL);
	enum light light = say(found, path ? GREEN : RED, "%s", path ? "found" : "missing");

	free(path);
	return light;
}

static enum light check_alone(char *found)
{
	struct error e;

	return process_lock(&e) ? say(found, RED, "%s", e.text)
				: say(found, GREEN, "no other hbench");
}

static enum light check_load(char *found)
{
	double load = number("load.average"), cpus = number("cpu.count");

	if (isnan(load) || isnan(cpus))
		return say(found, YELLOW, "unknown");
	return say(found, grade(load, 0.3 * cpus, cpus), "%.2f on %.0f CPUs", load, cpus);
}

/* Ticks of all CPUs since boot: user nice system idle iowait irq softirq steal. */
static bool read_ticks(double ticks[8])
{
	char line[256];

	return file_first_line("/proc/stat", line, sizeof(line)) &&
	       sscanf(line, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", ticks, ticks + 1, ticks + 2,
		      ticks + 3, ticks + 4, ticks + 5, ticks + 6, ticks + 7) == 8;
}

/* Shares of half a second in which CPUs were busy, and in which the hypervisor took them; NaN:
 * unknown. */
static double busy = NAN, stolen = NAN;

static void sample_cpus(void)
{
	const struct timespec half = { .tv_nsec = 500000000 };
	double a[8], b[8], all = 0;

	if (!read_ticks(a) || nanosleep(&half, NULL) || !read_ticks(b))
		return;
	for (int i = 0; i < 8; i++)
		all += b[i] - a[i];
	busy = all > 0 ? 1 - (b[3] + b[4] - a[3] - a[4]) / all : 0;
	stolen = all > 0 ? (b[7] - a[7]) / all : 0;
}

static enum light check_busy(char *found)
{
	if (isnan(busy))
		return say(found, YELLOW, "unknown");
	return say(found, grade(busy, 0.05, 0.3), "%.0f %% of all CPUs", busy * 100);
}

static enum light check_steal(char *found)
{
	if (isnan(stolen))
		return say(found, YELLOW, "unknown");
	return say(found, grade(stolen, 0.01, 0.01), "%.1f %%", stolen * 100);
}

static enum light check_virtual(char *found)
{
	const char *name = fact("hypervisor.signature");

	name = name ? name : fact("hypervisor.type");
	return say_word(found, !name, name ? name : "none seen");
}

static enum light check_clock(char *found)
{
	const char *source = fact("clock.source");

	source = source ? source : "unknown";
	return say_word(found, !strcmp(source, "tsc") || !strcmp(source, "arch_sys_counter"),
			source);
}

static enum light check_governor(char *found)
{
	const char *governor = fact("cpu.governor");

	return say_word(found, !governor || !strcmp(governor, "performance"),
			governor ? governor : "not ours to set");
}

static enum light check_turbo(char *found)
{
	const char *no = fact("cpu.no_turbo"), *boost = fact("cpu.boost");
	bool off = no ? *no == '1' : boost && *boost == '0';

	if (!no && !boost)
		return say(found, GREEN, "not ours to set");
	return say_word(found, off, off ? "off" : "on");
}

static enum light check_smt(char *found)
{
	bool active = number("cpu.smt_active") == 1;

	return say_word(found, !active, active ? "siblings share cores" : "no siblings");
}

static enum light check_cpus(char *found)
{
	int cpus[CPU_SETSIZE];
	size_t n = cpus_allowed(cpus);

	return say(found, n > 1 ? GREEN : YELLOW, "%zu allowed", n);
}

static enum light check_quota(char *found)
{
	const char *quota = fact("cgroup.cpu_max");

	quota = quota ? quota : fact("cgroup.cpu_quota_us");
	return say(found, quota ? RED : GREEN, "%s", quota ? quota : "none");
}

static enum light check_memory(char *found)
{
	double available = number("memory.available") / (1 << 20); /* of kB: GB */

	if (isnan(available))
		return say(found, YELLOW, "unknown");
	return say(found, grade(-available, -1, -0.25), "%.1f GB free", available);
}

static enum light check_pressure(char *found)
{
	char line[128];
	double share;

	if (!file_first_line("/proc/pressure/memory", line, sizeof(line)) ||
	    sscanf(line, "some avg10=%lf", &share) != 1)
		return say(found, GREEN, "unknown");
	return say(found, share > 0 ? YELLOW : GREEN, "%.1f %% waiting", share);
}

static enum light check_battery(char *found)
{
	glob_t files = { 0 };
	bool discharging = false;
	char line[32];

	if (!glob("/sys/class/power_supply/*/status", 0, NULL, &files))
		for (size_t i = 0; i < files.gl_pathc; i++)
			discharging |= file_first_line(files.gl_pathv[i], line, sizeof(line)) &&
				       !strcmp(line, "Discharging");
	globfree(&files);
	return say(found, discharging ? RED : GREEN, "%s", discharging ? "on battery" : "mains");
}

static enum light check_thermal(char *found)
{
	glob_t files = { 0 };
	double count = 0;
	char line[32];

	if (!glob("/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count", 0, NULL,
		  &files))
		for (size_t i = 0; i < files.gl_pathc; i++)
			if (file_first_line(files.gl_pathv[i], line, sizeof(line)))
				count += strtod(line, NULL);
	globfree(&files);
	return say(found, count > 0 ? YELLOW : GREEN, "%.0f times since boot", count);
}

static enum light check_aslr(char *found)
{
	double level = number("security.aslr");

	if (isnan(level))
		return say(found, GREEN, "unknown");
	return say_word(found, level >= 1, level >= 1 ? "on" : "off");
}

static enum light check_seccomp(char *found)
{
	bool filtered = number("security.seccomp") > 0;

	return say_word(found, !filtered, filtered ? "filters every call" : "no filter");
}

static enum light check_filesystem(char *found)
{
	static const char *const slow[] = { "tmpfs", "nfs", "cifs", "fuse", "9p", "ceph", NULL };
	const char *type = fact("filesystem.type");
	bool good = type != NULL;

	for (const char *const *s = slow; good && *s; s++)
		good = strncmp(type, *s, strlen(*s)) != 0;
	return say_word(found, good, type ? type : "unknown");
}

static enum light check_journal(char *found)
{
	const char *mode = fact("filesystem.journal");

	if (mode && !strcmp(mode, "none"))
		return say(found, YELLOW, "ext4 without one");
	return say(found, GREEN, "%s", mode ? mode : "unknown");
}

static enum light check_space(char *found)
{
	struct statvfs fs;
	char text[NUMBER_MAX];

	if (statvfs(set.directory, &fs))
		err(1, "%s", set.directory);
	double bytes = (double)fs.f_bavail * (double)fs.f_frsize;
	return say(found, grade(-bytes, -1e9, -2e8), "%sB free", number_format_si(text, bytes));
}

static enum light check_counters(char *found)
{
	glob_t files = { 0 };
	bool any = !glob("/sys/bus/event_source/devices/cpu*", 0, NULL, &files) ||
		   !glob("/sys/bus/event_source/devices/armv*", GLOB_APPEND, NULL, &files);

	globfree(&files);
	return say_word(found, any, any ? "there" : "none");
}

static const struct check {
	const char *name;
	enum light (*run)(char *found);
	const char *advice; /* printed unless green */
} checks[] = {
	{ "programs", check_programs, "build them (make benchmarks) or set $OSVEC_LIBEXEC" },
	{ "alone", check_alone, "wait for the other hbench or stop it" },
	{ "load average", check_load, "stop other work and wait a minute" },
	{ "busy now", check_busy, "stop other work (top shows it); --cpu keeps off a CPU" },
	{ "stolen time", check_steal, "the host is overcommitted: measure at a quieter hour" },
	{ "hypervisor", check_virtual, "a virtual machine: neighbours disturb, look at DRIFT" },
	{ "clock source", check_clock, "not the processor's counter: lat_clock will be slow" },
	{ "governor", check_governor, "cpupower frequency-set -g performance" },
	{ "turbo", check_turbo, "short runs turbo more than long ones: switch it off to compare" },
	{ "SMT", check_smt, "leave siblings idle: --cpu with one CPU per core" },
	{ "CPUs", check_cpus, "entries between CPUs will be skipped" },
	{ "CPU quota", check_quota, "the control group freezes us: lift cpu.max" },
	{ "memory", check_memory, "large entries will be skipped: free some" },
	{ "memory pressure", check_pressure, "processes wait for memory: free some" },
	{ "power", check_battery, "connect the mains" },
	{ "throttled by heat", check_thermal, "watch whether it grows during the run" },
	{ "ASLR", check_aslr, "layouts are not sampled: sysctl kernel.randomize_va_space=2" },
	{ "seccomp", check_seccomp, "calls cost more: trace under the same filter" },
	{ "file system", check_filesystem, "file entries measure this one: choose with -D" },
	{ "journal", check_journal,
	  "files are slow to make for minutes after others were deleted" },
	{ "space", check_space, "file entries need about 200 MB: choose with -D" },
	{ "hardware counters", check_counters, "benchmark option -E cannot count events" },
};

int check_command(int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "light", NULL, true },
		{ "what", NULL, true },
		{ "found", NULL, true },
		{ "to do", "to_do", TABLE_LIST },
	};
	static const char *const lights[] = { "green", "yellow", "red" };
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	struct environment collected = { 0 };
	bool red = false;

	opt_parse_mixed(argc, argv, &usage, options);
	bool text = !set.json && !set.csv;
	environment_collect(&collected, set.directory);
	env = &collected;
	sample_cpus();
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		char found[FOUND_MAX];
		enum light light = checks[i].run(found);

		red |= light == RED;
		table_text(t, lights[light]);
		table_text(t, checks[i].name);
		table_text(t, found);
		table_text(t, light == GREEN ? "" : checks[i].advice);
	}
	table_print(t, stdout, text ? TABLE_TEXT : set.json ? TABLE_JSON : TABLE_CSV);
	table_free(t);
	environment_free(&collected);
	return red ? 1 : 0;
}
