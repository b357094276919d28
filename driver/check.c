/* SPDX-License-Identifier: MIT */
/* hbench check: what on this machine will disturb a measurement, and what to do about it. */
#include <err.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "commands.h"
#include "lock.h"
#include "machine/cpus.h"
#include "machine/environment.h"
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

struct finding {
	enum light light;
	char value[80];
};

static const struct environment *env;

static const char *fact(const char *key)
{
	return environment_find(env, key);
}

/* A number that a fact begins with; NaN when it is not known. */
static double number(const char *key)
{
	const char *value = fact(key);
	char *end;
	double v = value ? strtod(value, &end) : NAN;

	return value && end != value ? v : NAN;
}

static void say(struct finding *f, enum light light, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct finding *f, enum light light, const char *fmt, ...)
{
	va_list ap;

	f->light = light;
	va_start(ap, fmt);
	vsnprintf(f->value, sizeof(f->value), fmt, ap);
	va_end(ap);
}

/* -- the checks -------------------------------------------------------------------------------- */

static void check_programs(struct finding *f)
{
	struct error e;
	char *path = home_find(HOME_BENCH, "lat_syscall", &e);

	say(f, path ? GREEN : RED, "%s", path ? "found" : "missing");
	free(path);
}

static void check_alone(struct finding *f)
{
	struct error e;

	if (lock_take(&e))
		say(f, RED, "%s", e.text);
	else
		say(f, GREEN, "no other hbench");
}

static void check_load(struct finding *f)
{
	double load = number("load.average"), cpus = number("cpu.count");

	if (isnan(load) || isnan(cpus))
		say(f, YELLOW, "unknown");
	else
		say(f,
		    load < 0.3 * cpus ? GREEN
		    : load < cpus     ? YELLOW
				      : RED,
		    "%.2f on %.0f CPUs", load, cpus);
}

/* Ticks of all CPUs since boot: user nice system idle iowait irq softirq steal. */
static bool read_ticks(double ticks[8])
{
	char line[256];

	return file_first_line("/proc/stat", line, sizeof(line)) &&
	       sscanf(line, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", ticks, ticks + 1, ticks + 2,
		      ticks + 3, ticks + 4, ticks + 5, ticks + 6, ticks + 7) == 8;
}

/* Shares of the last half second. */
static bool sample_cpus(double *busy, double *stolen)
{
	static double seen_busy = NAN, seen_stolen = NAN;
	double a[8], b[8], all = 0;
	const struct timespec half = { .tv_nsec = 500000000 };

	if (isnan(seen_busy)) {
		if (!read_ticks(a))
			return false;
		nanosleep(&half, NULL);
		if (!read_ticks(b))
			return false;
		for (int i = 0; i < 8; i++)
			all += b[i] - a[i];
		seen_busy = all > 0 ? 1 - (b[3] + b[4] - a[3] - a[4]) / all : 0;
		seen_stolen = all > 0 ? (b[7] - a[7]) / all : 0;
	}
	*busy = seen_busy;
	*stolen = seen_stolen;
	return true;
}

static void check_busy(struct finding *f)
{
	double busy, stolen;

	if (!sample_cpus(&busy, &stolen))
		say(f, YELLOW, "unknown");
	else
		say(f,
		    busy < 0.05	 ? GREEN
		    : busy < 0.3 ? YELLOW
				 : RED,
		    "%.0f %% of all CPUs", busy * 100);
}

static void check_steal(struct finding *f)
{
	double busy, stolen;

	if (!sample_cpus(&busy, &stolen))
		say(f, YELLOW, "unknown");
	else
		say(f, stolen < 0.01 ? GREEN : RED, "%.1f %%", stolen * 100);
}

static void check_virtual(struct finding *f)
{
	const char *name = fact("hypervisor.signature");

	name = name ? name : fact("hypervisor.type");
	say(f, name ? YELLOW : GREEN, "%s", name ? name : "none seen");
}

static void check_clock(struct finding *f)
{
	const char *source = fact("clock.source");
	bool good = source && (!strcmp(source, "tsc") || !strcmp(source, "arch_sys_counter"));

	say(f, good ? GREEN : YELLOW, "%s", source ? source : "unknown");
}

static void check_governor(struct finding *f)
{
	const char *governor = fact("cpu.governor");

	if (!governor)
		say(f, GREEN, "not ours to set");
	else
		say(f, strcmp(governor, "performance") ? YELLOW : GREEN, "%s", governor);
}

static void check_turbo(struct finding *f)
{
	const char *no = fact("cpu.no_turbo"), *boost = fact("cpu.boost");

	if (!no && !boost)
		say(f, GREEN, "not ours to set");
	else
		say(f,
		    no		    ? *no == '1' ? GREEN : YELLOW
		    : *boost == '0' ? GREEN
				    : YELLOW,
		    "%s", (no ? *no == '1' : *boost == '0') ? "off" : "on");
}

static void check_smt(struct finding *f)
{
	const char *active = fact("cpu.smt_active");

	say(f, active && *active == '1' ? YELLOW : GREEN, "%s",
	    active && *active == '1' ? "siblings share cores" : "no siblings");
}

static void check_cpus(struct finding *f)
{
	int cpus[CPU_SETSIZE];
	size_t n = cpus_allowed(cpus);

	say(f, n > 1 ? GREEN : YELLOW, "%zu allowed", n);
}

static void check_quota(struct finding *f)
{
	const char *quota = fact("cgroup.cpu_max");

	quota = quota ? quota : fact("cgroup.cpu_quota_us");
	say(f, quota ? RED : GREEN, "%s", quota ? quota : "none");
}

static void check_memory(struct finding *f)
{
	double available = number("memory.available"); /* kB */

	if (isnan(available))
		say(f, YELLOW, "unknown");
	else
		say(f,
		    available > 1 << 20	  ? GREEN
		    : available > 1 << 18 ? YELLOW
					  : RED,
		    "%.1f GB free", available / (1 << 20));
}

static void check_pressure(struct finding *f)
{
	char line[128];
	double share;

	if (!file_first_line("/proc/pressure/memory", line, sizeof(line)) ||
	    sscanf(line, "some avg10=%lf", &share) != 1)
		say(f, GREEN, "not told");
	else
		say(f, share > 0 ? YELLOW : GREEN, "%.1f %% waiting", share);
}

static void check_battery(struct finding *f)
{
	glob_t found = { 0 };
	bool discharging = false;
	char line[32];

	if (!glob("/sys/class/power_supply/*/status", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			discharging |= file_first_line(found.gl_pathv[i], line, sizeof(line)) &&
				       !strcmp(line, "Discharging");
	globfree(&found);
	say(f, discharging ? RED : GREEN, "%s", discharging ? "on battery" : "mains");
}

static void check_thermal(struct finding *f)
{
	glob_t found = { 0 };
	double count = 0;
	char line[32];

	if (!glob("/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count", 0, NULL,
		  &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (file_first_line(found.gl_pathv[i], line, sizeof(line)))
				count += strtod(line, NULL);
	globfree(&found);
	say(f, count > 0 ? YELLOW : GREEN, "%.0f times since boot", count);
}

static void check_aslr(struct finding *f)
{
	double level = number("security.aslr");

	say(f, level >= 1 || isnan(level) ? GREEN : YELLOW, "%s",
	    level >= 1	   ? "on"
	    : isnan(level) ? "not told"
			   : "off");
}

static void check_seccomp(struct finding *f)
{
	double mode = number("security.seccomp");

	say(f, mode > 0 ? YELLOW : GREEN, "%s", mode > 0 ? "filters every call" : "no filter");
}

static void check_filesystem(struct finding *f)
{
	static const char *const remote[] = { "nfs", "nfs4", "cifs", "fuse", "9p", "ceph", NULL };
	const char *type = fact("filesystem.type");
	enum light light = !type || !strcmp(type, "tmpfs") ? YELLOW : GREEN;

	for (const char *const *r = remote; type && *r; r++)
		if (!strncmp(type, *r, strlen(*r)))
			light = YELLOW;
	say(f, light, "%s", type ? type : "unknown");
}

static void check_journal(struct finding *f)
{
	const char *mode = fact("filesystem.journal");
	bool none = mode && !strcmp(mode, "none");

	say(f, none ? YELLOW : GREEN, "%s", none ? "ext4 without one" : mode ? mode : "not told");
}

static void check_space(struct finding *f)
{
	struct statvfs fs;
	char text[NUMBER_MAX];

	if (statvfs(set.directory, &fs))
		err(1, "%s", set.directory);
	double bytes = (double)fs.f_bavail * (double)fs.f_frsize;
	say(f,
	    bytes > 1e9	  ? GREEN
	    : bytes > 2e8 ? YELLOW
			  : RED,
	    "%sB free", number_format_si(text, bytes));
}

static void check_counters(struct finding *f)
{
	glob_t found = { 0 };
	bool there = !glob("/sys/bus/event_source/devices/cpu*", 0, NULL, &found) ||
		     !glob("/sys/bus/event_source/devices/armv*", 0, NULL, &found);

	globfree(&found);
	say(f, there ? GREEN : YELLOW, "%s", there ? "there" : "none");
}

static const struct check {
	const char *name;
	void (*run)(struct finding *f);
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
	{ "memory pressure", check_pressure, "someone waits for memory: free some" },
	{ "power", check_battery, "connect the mains" },
	{ "throttled by heat", check_thermal, "watch whether it grows during the run" },
	{ "ASLR", check_aslr, "layouts are not sampled: sysctl kernel.randomize_va_space=2" },
	{ "seccomp", check_seccomp, "calls cost more: trace under the same filter" },
	{ "file system", check_filesystem, "file entries measure this one: choose with -D" },
	{ "journal", check_journal, "files are slow to make for minutes after others went" },
	{ "space", check_space, "file entries need about 200 MB: choose with -D" },
	{ "hardware counters", check_counters, "-E will say: not measured" },
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

	opt_parse_mixed(argc, argv, &usage, options, NULL);
	bool text = !set.json && !set.csv;
	environment_collect(&collected, set.directory);
	env = &collected;
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		struct finding f = { 0 };

		checks[i].run(&f);
		red |= f.light == RED;
		table_text(t, lights[f.light]);
		table_text(t, checks[i].name);
		table_text(t, f.value);
		table_text(t, f.light == GREEN ? "" : checks[i].advice);
	}
	table_print(t, stdout, text ? TABLE_TEXT : set.json ? TABLE_JSON : TABLE_CSV);
	table_free(t);
	environment_free(&collected);
	return red ? 1 : 0;
}
