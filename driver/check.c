/* SPDX-License-Identifier: MIT */
/* hbench check: what on this machine will disturb a measurement, and what to do about it. */
#include <err.h>
#include <fnmatch.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "hbench.h"
#include "lock.h"
#include "machine/cpus.h"
#include "machine/environment.h"
#include "process.h"
#include "util/file.h"
#include "util/home.h"
#include "util/opt.h"
#include "util/table.h"
#include "util/xalloc.h"

static struct {
	bool json, csv;
	const char *directory;
} set = { .directory = "." };

static const struct opt options[] = {
	{ 'D', "directory", OPT_STRING, &set.directory, "DIR",
	  .help = "directory for test files: choose the file system to measure (.)" },
	{ 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
	{ 0, "csv", OPT_FLAG, &set.csv, .help = "print CSV" },
	{ 0 }
};

static const struct opt_usage usage = {
	"hbench check",
	NULL,
	"Says what on this machine will disturb a measurement: green is fine, yellow\n"
	"affects results, red should be changed first.  The exit status is 1 when anything is red.",
	"hbench check || echo not now",
};

enum light { GREEN, YELLOW, RED };

/* What is looked at: a number between two limits, or a word. */
struct check {
	const char *name;
	double (*number)(void); /* NaN: not known; NULL: a word */
	const char *format;	/* of the number; of a bad word, NULL: the word itself */
	const char *good;	/* what a good word is shown as, NULL: the word itself */
	/* Up to this number it is green, from that on red; where the first is greater, down to. */
	double green, red;
	/* "FACT=WORD,WORD FACT=": the first fact that is known decides; the words (shell patterns)
	 * are good ones, behind a '!' bad ones. */
	const char *facts;
	const char *unknown; /* what is shown when nothing is known, and the light */
	enum light unknown_light, bad_light;
	const char *advice; /* printed unless green */
};

static struct environment env;

/* -- numbers ----------------------------------------------------------------------------------- */

/* The number that a fact begins with; NaN when it is not known. */
static double fact_number(const char *key)
{
	const char *value = environment_find(&env, key);
	char *end;
	double v = value ? strtod(value, &end) : NAN;

	return value && end != value ? v : NAN;
}

static double programs(void)
{
	char *directory = home_find(HOME_BENCH, NULL, NULL);
	struct names found = { 0 };

	if (directory)
		process_programs(directory, &found, NULL);
	double n = (double)found.n;
	names_free(&found);
	free(directory);
	return n;
}

static double others(void)
{
	int locked = lock_machine(NULL);

	return locked < 0 ? NAN : locked;
}

static double load(void)
{
	return fact_number("load.average") / fact_number("cpu.count");
}

/* Seconds since boot, and those in which CPUs were idle, in all. */
static bool read_uptime(double out[2])
{
	char line[64];

	return file_first_line("/proc/uptime", line, sizeof(line)) &&
	       sscanf(line, "%lf %lf", out, out + 1) == 2 && out[1] > 0;
}

/* Percent of half a second in which CPUs were busy, and in which the hypervisor took them. */
static double busy_share = NAN, stolen_share = NAN;

static void sample_cpus(void)
{
	const struct timespec half = { .tv_nsec = 500000000 };
	double a[2], b[2], stolen = cpus_steal(-1);
	double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN);

	if (!read_uptime(a) || nanosleep(&half, NULL) || !read_uptime(b) || b[0] <= a[0])
		return;
	double all = (b[0] - a[0]) * cpus;
	busy_share = 100 * fmax(0, 1 - (b[1] - a[1]) / all);
	stolen_share = 100 * (cpus_steal(-1) - stolen) / all;
}

static double busy(void)
{
	return busy_share;
}

static double stolen(void)
{
	return stolen_share;
}

static double cpus(void)
{
	int allowed[CPU_SETSIZE];

	return (double)cpus_allowed(allowed);
}

static double memory(void)
{
	return fact_number("memory.available") / (1 << 20); /* of kB: GB */
}

static double pressure(void)
{
	char line[128];
	double share;

	return file_first_line("/proc/pressure/memory", line, sizeof(line)) &&
		       sscanf(line, "some avg10=%lf", &share) == 1
		   ? share
		   : NAN;
}

/* How many files match the pattern (word NULL), begin with the word, or what they add up to. */
static double count_files(const char *pattern, const char *word, bool sum)
{
	glob_t files = { 0 };
	double n = 0;
	char line[32];

	if (!glob(pattern, 0, NULL, &files))
		for (size_t i = 0; i < files.gl_pathc; i++) {
			bool read = file_first_line(files.gl_pathv[i], line, sizeof(line));

			n += sum ? strtod(line, NULL) : !word || (read && !strcmp(line, word));
		}
	globfree(&files);
	return n;
}

static double batteries(void)
{
	return count_files("/sys/class/power_supply/*/status", "Discharging", false);
}

static double throttled(void)
{
	return count_files("/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count",
			   NULL, true);
}

static double counters(void)
{
	return count_files("/sys/bus/event_source/devices/cpu*", NULL, false) +
	       count_files("/sys/bus/event_source/devices/armv*", NULL, false);
}

static double space(void)
{
	struct statvfs fs;

	if (statvfs(set.directory, &fs))
		err(1, "%s", set.directory);
	return (double)fs.f_bavail * (double)fs.f_frsize / 1e9;
}

/* -- the checks -------------------------------------------------------------------------------- */

#define NUMBER(function, fmt, from, to) \
	.number = function, .format = fmt, .green = from, .red = to, .unknown = "unknown"
#define WORD(words, what, light) .facts = words, .unknown = what, .bad_light = light

static const struct check checks[] = {
	{ "programs", NUMBER(programs, "%.0f", 1, 0),
	  .advice = "build them (make benchmarks) or set $OSVEC_LIBEXEC" },
	{ "other hbench", NUMBER(others, "%.0f", 0, 1), .advice = "wait for it or stop it" },
	{ "load average", NUMBER(load, "%.2f per CPU", 0.3, 1), .unknown_light = YELLOW,
	  .advice = "stop other work and wait a minute" },
	{ "busy now", NUMBER(busy, "%.0f %% of all CPUs", 5, 30), .unknown_light = YELLOW,
	  .advice = "stop other work (top shows it); --cpu keeps off a CPU" },
	{ "stolen time", NUMBER(stolen, "%.1f %%", 0.99, 1), .unknown_light = YELLOW,
	  .advice = "the host is overcommitted: measure at a quieter hour" },
	{ "hypervisor", WORD("hypervisor.signature= hypervisor.type=", "none seen", YELLOW),
	  .advice = "a virtual machine: neighbours disturb, look at DRIFT" },
	{ "clock source", WORD("clock.source=tsc,arch_sys_counter", "unknown", YELLOW),
	  .unknown_light = YELLOW,
	  .advice = "not the processor's counter: lat_clock will be slow" },
	{ "governor", WORD("cpu.governor=performance", "not ours to set", YELLOW),
	  .advice = "cpupower frequency-set -g performance" },
	{ "turbo", WORD("cpu.no_turbo=1 cpu.boost=0", "not ours to set", YELLOW), .good = "off",
	  .format = "on",
	  .advice = "short runs turbo more than long ones: switch it off to compare" },
	{ "SMT", WORD("cpu.smt_active=0", "no siblings", YELLOW), .good = "no siblings",
	  .format = "siblings share cores",
	  .advice = "leave siblings idle: --cpu with one CPU per core" },
	{ "CPUs", NUMBER(cpus, "%.0f allowed", 2, 0),
	  .advice = "entries between CPUs will be skipped" },
	{ "CPU quota", WORD("cgroup.cpu_max= cgroup.cpu_quota_us=", "none", RED),
	  .advice = "the control group freezes us: lift cpu.max" },
	{ "memory", NUMBER(memory, "%.1f GB free", 1, 0.25), .unknown_light = YELLOW,
	  .advice = "large entries will be skipped: free some" },
	{ "memory pressure", NUMBER(pressure, "%.1f %% waiting", 1, INFINITY),
	  .advice = "processes wait for memory: free some" },
	{ "power", NUMBER(batteries, "%.0f batteries in use", 0, 1),
	  .advice = "connect the mains" },
	{ "throttled by heat", NUMBER(throttled, "%.0f times since boot", 0, INFINITY),
	  .advice = "watch whether it grows during the run" },
	{ "ASLR", WORD("security.aslr=1,2", "unknown", YELLOW), .good = "on", .format = "off",
	  .advice = "layouts are not sampled: sysctl kernel.randomize_va_space=2" },
	{ "seccomp", WORD("security.seccomp=0", "no filter", YELLOW), .good = "no filter",
	  .format = "filters every call",
	  .advice = "calls cost more: trace under the same filter" },
	{ "file system",
	  WORD("filesystem.type=!tmpfs*,nfs*,cifs*,fuse*,9p*,ceph*", "unknown", YELLOW),
	  .unknown_light = YELLOW, .advice = "file entries measure this one: choose with -D" },
	{ "journal", WORD("filesystem.journal=!none", "unknown", YELLOW),
	  .format = "ext4 without one",
	  .advice = "files are slow to make for minutes after others were deleted" },
	{ "space", NUMBER(space, "%.1f GB free", 1, 0.2),
	  .advice = "file entries need about 200 MB: choose with -D" },
	{ "hardware counters", NUMBER(counters, "%.0f units", 1, -1),
	  .advice = "benchmark option -E cannot count events" },
};

static enum light judge_number(const struct check *c, double v)
{
	double sign = c->green < c->red ? 1 : -1;

	return sign * v <= sign * c->green ? GREEN : sign * v >= sign * c->red ? RED : YELLOW;
}

/* Whether one of the patterns, between commas, fits. */
static bool fits(char *patterns, const char *word)
{
	char *state;

	for (char *p = strtok_r(patterns, ",", &state); p; p = strtok_r(NULL, ",", &state))
		if (!fnmatch(p, word, 0))
			return true;
	return false;
}

/* Sets *word to the first fact that is known, and *good to whether it is. */
static bool find_word(const struct check *c, const char **word, bool *good)
{
	char *facts = xstrdup(c->facts), *state;

	*word = NULL;
	for (char *f = strtok_r(facts, " ", &state); f && !*word; f = strtok_r(NULL, " ", &state)) {
		char *patterns = strchr(f, '=');

		*patterns++ = '\0';
		*word = environment_find(&env, f);
		if (*word)
			*good =
			    *patterns == '!' ? !fits(patterns + 1, *word) : fits(patterns, *word);
	}
	free(facts);
	return *word != NULL;
}

/* What was found, for the caller to free, and its light. */
static char *look(const struct check *c, enum light *light)
{
	const char *word;
	double v = c->number ? c->number() : NAN;
	bool good;

	if (!isnan(v)) {
		*light = judge_number(c, v);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		return xasprintf(c->format, v);
#pragma GCC diagnostic pop
	}
	if (!c->number && find_word(c, &word, &good)) {
		const char *shown = good ? c->good : c->format;

		*light = good ? GREEN : c->bad_light;
		return xstrdup(shown ? shown : word);
	}
	*light = c->unknown_light;
	return xstrdup(c->unknown);
}

int check_command(int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "light", NULL, TABLE_LEFT },
		{ "what", NULL, TABLE_LEFT },
		{ "found", NULL, TABLE_LEFT },
		{ "to do", "to_do", TABLE_LIST },
	};
	static const char *const lights[] = { "green", "yellow", "red" };
	struct table *t = table_of(columns);
	bool red = false;

	opt_parse_mixed(argc, argv, &usage, options);
	environment_collect(&env, set.directory);
	sample_cpus();
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		enum light light;
		char *found = look(&checks[i], &light);

		red |= light == RED;
		table_text(t, lights[light]);
		table_text(t, checks[i].name);
		table_text(t, found);
		table_text(t, light == GREEN ? "" : checks[i].advice);
		free(found);
	}
	table_end(t, stdout, table_format(set.json, set.csv));
	environment_free(&env);
	return red ? 1 : 0;
}
