/* SPDX-License-Identifier: MIT */
/* cpistack record: count the events of a stack in turns while a command or processes run. */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/signals.h"
#include "commands.h"
#include "counters/event.h"
#include "input.h"
#include "record/child.h"
#include "record/program.h"
#include "util/file.h"
#include "util/monotonic.h"
#include "util/number.h"
#include "util/shell.h"

static struct {
	const char *output, *stack, *formulas, *mode;
	struct opt_list pids;
	double slice, length;
	uint64_t most;
} set = { .slice = 0.01, .length = INFINITY };

static const struct opt options[] = {
	{ 'o', "output", OPT_STRING, &set.output, "FILE",
	  .help = "output file (default: name of the program with .counts appended)" },
	{ 'p', "pid", OPT_LIST, &set.pids, "PID",
	  .help = "count this running process and those that it starts (may be repeated)" },
	{ 0, "for", OPT_DURATION, &set.length, "TIME", 0, 1e9,
	  "with -p: stop after this time (default: when interrupted)" },
	{ 's', "stack", OPT_STRING, &set.stack, "NAME",
	  .help = "use the formulas of this processor (default: the one of this machine)" },
	{ 0, "formulas", OPT_STRING, &set.formulas, "FILE",
	  .help = "read the formulas from FILE instead of conf/cpi.conf" },
	{ 'm', "mode", OPT_STRING, &set.mode, "WORD",
	  .help = "all (default where permitted), user, kernel, or both (alternating)" },
	{ 0, "slice", OPT_DURATION, &set.slice, "TIME", 1e-4, 10,
	  "how long a group of events is counted at a time (default 10ms)" },
	{ 0, "counters", OPT_COUNT, &set.most, "N", 3, 64,
	  "events per group, including cycles and instructions (default: as many as fit)" },
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "cpistack record",
	.operands = "[-- COMMAND [ARGUMENT...]]",
	.summary =
	    "Count the events that the formulas of this processor need while a command runs.",
	.example = "cpistack record -o app.counts -- ./app",
};

/* Who is counted in which mode. */
struct target {
	char *unit;
	pid_t pid;
	struct groups groups[COUNTS_MODES];
};

static struct {
	struct formula_file file;
	const struct formulas *stack;
	const char **names; /* of the events, for libpfm4 */
	struct group_options options[COUNTS_MODES];
	bool used[COUNTS_MODES];
	size_t turns; /* groups, in all modes */
	VEC(struct target) targets;
	FILE *out;
} rec;

/* ---- what to count ---- */

static void choose_stack(void)
{
	struct error e;

	input_formulas(&rec.file, set.formulas);
	rec.stack = set.stack ? formulas_find(&rec.file, set.stack, &e) : formulas_here(&rec.file);
	if (!rec.stack)
		errx(1, "%s", e.text);
	if (!set.formulas && event_possible("", &e))
		errx(3, "%s", e.text);
	rec.names = formulas_names(rec.stack, NULL);
}

/* Whether events of that mode can be counted, with what fits into a group. */
static int try_mode(enum counts_mode mode, struct error *e)
{
	rec.options[mode] = (struct group_options){ .carriers = 2,
						    .most = set.most,
						    .user = mode == COUNTS_USER,
						    .kernel = mode == COUNTS_KERNEL };
	return groups_try(rec.names, rec.stack->events.n, &rec.options[mode], e);
}

static void choose_modes(void)
{
	struct error e;
	enum counts_mode only = set.mode ? counts_mode_of(set.mode) : COUNTS_ALL;

	if (only == COUNTS_MODES && strcmp(set.mode, "both") != 0)
		opt_bad_usage(&usage, "--mode %s: not all, user, kernel or both", set.mode);
	for (int mode = 0; mode < COUNTS_MODES; mode++) {
		if (only == COUNTS_MODES ? mode == COUNTS_ALL : (int)only != mode)
			continue;
		int status = try_mode((enum counts_mode)mode, &e);
		if (status && !set.mode && (errno == EACCES || errno == EPERM)) {
			struct error why = e;

			status = try_mode(COUNTS_USER, &e);
			rec.used[COUNTS_USER] = !status;
			if (!status)
				warnx("user mode alone: %s", why.text);
		} else {
			rec.used[mode] = !status;
		}
		if (status)
			errx(status == EVENT_UNSUPPORTED ? 3 : 1, "%s", e.text);
		if (rec.options[mode].most != set.most && event_watchdog(""))
			warnx("the kernel's NMI watchdog occupies a counter; without it (sysctl "
			      "kernel.nmi_watchdog=0) fewer groups of events would be needed");
	}
}

/* ---- whom ---- */

static void add_target(pid_t pid, const char *name)
{
	struct target t = { .unit = xasprintf("%s-%d", name, (int)pid), .pid = pid };
	struct error e;

	for (char *p = t.unit; *p; p++)
		*p = *p == ',' || *p == '\n' ? '_' : *p;
	rec.turns = 0;
	for (int mode = 0; mode < COUNTS_MODES; mode++) {
		if (!rec.used[mode])
			continue;
		rec.options[mode].pid = pid;
		if (groups_open(&t.groups[mode], rec.names, rec.stack->events.n, &rec.options[mode],
				&e))
			errx(1, "%s: %s", t.unit, e.text);
		rec.turns += t.groups[mode].n;
	}
	vec_push(&rec.targets, t);
}

static void add_processes(void)
{
	for (size_t i = 0; i < set.pids.n; i++) {
		struct program p;
		uint64_t pid;
		struct error e;

		if (!number_parse_u64(set.pids.v[i], &pid) || !pid || pid > 1 << 22)
			opt_bad_usage(&usage, "-p %s: not a process number", set.pids.v[i]);
		if (program_is_alive((pid_t)pid, &e))
			errx(1, "%s", e.text);
		program_of((pid_t)pid, &p);
		add_target((pid_t)pid, p.name);
	}
}

/* ---- counting ---- */

/* The mode of a turn, and the group in it. */
static size_t group_of(size_t turn, enum counts_mode *mode)
{
	for (int m = 0; m < COUNTS_MODES; m++) {
		size_t n = rec.targets.v[0].groups[m].n;

		*mode = (enum counts_mode)m;
		if (turn < n)
			break;
		turn -= n;
	}
	return turn;
}

static void enable(size_t turn, bool on)
{
	enum counts_mode mode;
	size_t group = group_of(turn, &mode);

	for (size_t i = 0; i < rec.targets.n; i++)
		groups_enable(&rec.targets.v[i].groups[mode], group, on);
}

static void write_turn(size_t turn, double seconds, struct group_slice *s)
{
	enum counts_mode mode;
	size_t group = group_of(turn, &mode);

	for (size_t i = 0; i < rec.targets.n; i++) {
		groups_read(&rec.targets.v[i].groups[mode], group, s);
		counts_write(rec.out, seconds, rec.targets.v[i].unit, mode,
			     (const char *const *)rec.stack->events.v, s);
	}
}

/* False when the command or all processes have ended, or a signal or the time asks to end. */
static bool wait_slice(pid_t command, int *status, double until)
{
	bool alive = true;

	while (alive && monotonic_seconds() < until) {
		double rest = fmax(until - monotonic_seconds(), 0);
		double part = fmin(rest, 0.005); /* a command may end */
		struct timespec t = { (time_t)part, (long)((part - floor(part)) * 1e9) };

		nanosleep(&t, NULL);
		alive = command && waitpid(command, status, WNOHANG) == 0;
		for (size_t i = 0; i < rec.targets.n && !command; i++)
			alive |= kill(rec.targets.v[i].pid, 0) == 0 || errno == EPERM;
		if (signals_end_watch(alive ? command : 0, !alive))
			return false;
	}
	return alive;
}

/* Two turns follow each other at once, since what comes between them is counted by neither; a group
 * that goes on is not stopped. */
static void count(struct held_child *child, int *status)
{
	size_t n = rec.stack->events.n;
	struct group_slice s = { .events = xcalloc(n, sizeof(*s.events)),
				 .counts = xcalloc(n, sizeof(*s.counts)) };
	struct rotation turns;

	rotation_init(&turns, rec.turns, random_fresh_seed());
	double start = monotonic_seconds(), end = start + set.length;
	size_t turn = rotation_next(&turns), next;
	enable(turn, true);
	if (child)
		child_release(child);
	for (bool more = true; more; turn = next) {
		double until = fmin(monotonic_seconds() + set.slice, end);

		more =
		    wait_slice(child ? child->pid : 0, status, until) && monotonic_seconds() < end;
		double seconds = monotonic_seconds() - start;
		next = rotation_next(&turns);
		if (more && next != turn) {
			enable(turn, false);
			enable(next, true);
		}
		write_turn(turn, seconds, &s);
	}
	rotation_done(&turns);
	free(s.events);
	free(s.counts);
}

/* Also writes the first lines, for those words of the command. */
static void open_output(const char *command, const char *words)
{
	char *name = set.output
			 ? xstrdup(set.output)
			 : program_file(set.pids.n ? rec.targets.v[0].pid : 0, command, ".counts");
	struct error e;

	if (file_may_write(name, &e))
		errx(1, "%s", e.text);
	rec.out = fopen(name, "we");
	if (!rec.out)
		err(1, "%s", name);
	counts_write_head(rec.out, rec.stack->name, words);
	free(name);
}

/* Returns the status of wait(2). */
static int run_command(char **argv)
{
	struct held_child child;
	struct error e;
	int status = 0;
	char *path = program_find(argv[0], &e), *words = shell_words((const char *const *)argv, -1);

	if (!path)
		errx(1, "%s", e.text);
	if (set.output && file_is_same(set.output, path))
		opt_bad_usage(&usage, "-o %s: that is the program to run", set.output);
	open_output(argv[0], words);
	signals_hold();
	if (child_start(&child, path, argv, &e))
		errx(1, "%s", e.text);
	const char *slash = strrchr(argv[0], '/');
	add_target(child.pid, slash ? slash + 1 : argv[0]);
	signals_catch();
	count(&child, &status);
	if (child_failed(&child, &e))
		errx(1, "%s", e.text);
	child_close(&child);
	free(path);
	free(words);
	return status;
}

static int run_processes(void)
{
	int status = 0;

	signals_hold();
	add_processes();
	char *words = program_command(rec.targets.v[0].pid);
	open_output(NULL, words);
	free(words);
	signals_catch();
	count(NULL, &status);
	return 0;
}

int command_record(int argc, char **argv)
{
	int first = opt_parse(argc, argv, &usage, options);

	if ((first == argc) == (set.pids.n == 0))
		opt_bad_usage(&usage, "either a command or -p PID is needed");
	if (isfinite(set.length) && !set.pids.n)
		opt_bad_usage(&usage, "--for goes with -p; timeout(1) ends a command");
	choose_stack();
	choose_modes();
	int status = first < argc ? run_command(argv + first) : run_processes();
	if (fclose(rec.out))
		err(1, "%s", set.output ? set.output : "the file of counts");
	return signals_end_like(status);
}
