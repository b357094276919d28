/* SPDX-License-Identifier: MIT */
/* ktranal time - what a command and all its children use when nothing records their calls. */
#include "ktranal.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callshare.h"
#include "machine/environment.h"
#include "measure.h"
#include "measure/look.h"
#include "record/program.h"
#include "../common/signals.h"
#include "util/file.h"
#include "util/map.h"
#include "util/opt.h"
#include "util/shell.h"
#include "util/table.h"
#include "util/timestamp.h"
#include "util/xalloc.h"
#include "vector/timefile.h"

static struct {
	const char *file, *backend;
	struct opt_list pids, only;
	uint64_t runs;
	double length, patience;
	bool quiet, calls;
} set = { .runs = 1, .length = INFINITY, .patience = 5 };

static const struct opt options[] = {
	{ 'o', "output", OPT_STRING, &set.file, "FILE", 0, 0,
	  "file to write (default: name of the program, .time)" },
	{ 'p', "pid", OPT_LIST, &set.pids, "PID", 0, 0,
	  "measure this running process and its children (several: more -p)" },
	{ 0, "for", OPT_DURATION, &set.length, "TIME", 0, 1e9,
	  "with -p: for this long (default: until interrupted)" },
	{ 'O', "only", OPT_LIST, &set.only, "NAME", 0, 0,
	  "count only processes of this program (several: more -O)" },
	{ 'r', "runs", OPT_COUNT, &set.runs, "N", 1, 10000, "run the command N times" },
	{ 'c', "count-calls", OPT_FLAG, &set.calls, NULL, 0, 0,
	  "run it once more and count its system calls in the kernel (BPF; root)" },
	{ 'b', "backend", OPT_STRING, &set.backend, "NAME", 0, 0,
	  "bpf, ptrace or wait (default: the first that works)" },
	{ 'w', "wait", OPT_DURATION, &set.patience, "TIME", 0, 1e9,
	  "wait this long for processes that outlive the command (default 5s)" },
	{ 'q', "quiet", OPT_FLAG, &set.quiet, NULL, 0, 0, "do not print what was measured" },
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "ktranal time",
	.operands = "[-- COMMAND [ARGUMENT...]]",
	.summary = "Measure CPU time, context switches and page faults of a command and of all "
		   "its children.",
	.example = "ktranal time -r 5 -o make.time -- make -j2",
};

static char *fact(const struct environment *env, const char *key)
{
	const char *value = environment_find(env, key);

	return xstrdup(value ? value : "");
}

static struct timefile *new_file(char **argv, const pid_t *pids)
{
	struct timefile *t = xcalloc(1, sizeof(*t));
	struct environment env = { 0 };

	environment_identify(&env);
	t->command = *argv ? shell_words((const char *const *)argv, -1) : program_command(*pids);
	t->created = timestamp_now();
	t->host = fact(&env, "host.name");
	t->kernel = fact(&env, "kernel.release");
	t->host_id = fact(&env, "host.identity");
	t->cpu = fact(&env, "cpu.model");
	environment_free(&env);
	if (set.only.n)
		t->only = shell_words(set.only.v, (int)set.only.n);
	t->runs = xcalloc(set.runs, sizeof(*t->runs));
	return t;
}

/* ---- the printed result ---- */

static void print_programs(const struct time_run *r)
{
	static const struct table_column columns[] = {
		{ "PROGRAM", NULL, TABLE_LEFT },      { "PROCESSES", NULL, TABLE_RIGHT },
		{ "THREADS", NULL, TABLE_RIGHT },     { "USER", NULL, TABLE_RIGHT },
		{ "SYSTEM", NULL, TABLE_RIGHT },      { "VOLUNTARY", NULL, TABLE_RIGHT },
		{ "INVOLUNTARY", NULL, TABLE_RIGHT }, { "MINOR", NULL, TABLE_RIGHT },
		{ "MAJOR", NULL, TABLE_RIGHT },
	};
	struct names names = { 0 };
	struct time_program *sums = xcalloc(r->nprograms, sizeof(*sums));
	struct table *t = table_of(columns);

	for (size_t i = 0; i < r->nprograms; i++) {
		const struct time_program *p = &r->programs[i];
		struct time_program *sum = &sums[names_add(&names, p->program)];

		sum->pid++; /* here: the number of processes */
		sum->threads += p->threads;
		time_usage_add(&sum->usage, &p->usage);
	}
	for (size_t i = 0; i < names.n; i++) {
		const struct time_usage *u = &sums[i].usage;
		const double values[] = { sums[i].pid,	   sums[i].threads, u->user,
					  u->system,	   u->voluntary,    u->involuntary,
					  u->minor_faults, u->major_faults };

		table_text(t, names.v[i]);
		for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++)
			table_number(t, values[k], k == 2 || k == 3 ? "%.6f" : "%.0f");
	}
	table_end(t, stderr, TABLE_TEXT);
	names_free(&names);
	free(sums);
}

static void print_run(const struct time_run *r)
{
	const struct time_usage *u = &r->usage;

	if (set.quiet)
		return;
	if (r->nprograms > 1 && !set.only.n)
		print_programs(r);
	fprintf(stderr,
		"ktranal: user %.6f s, system %.6f s, wall %.6f s; switches: %.0f voluntary, "
		"%.0f involuntary; faults: %.0f minor, %.0f major; %.0f process%s, %.0f thread%s\n",
		u->user, u->system, r->wall, u->voluntary, u->involuntary, u->minor_faults,
		u->major_faults, r->processes, r->processes == 1 ? "" : "es", r->threads,
		r->threads == 1 ? "" : "s");
	if (!r->complete)
		warnx("incomplete: some processes outlived the command (more --wait?) or could not "
		      "be read");
}

/* ---- measuring ---- */

static void set_status(struct time_run *r, int status)
{
	r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* One more run, of which only the counts are used, since counting slows it a little.  An exit
 * status. */
static int run_counted(const struct measure *m, struct timefile *t, int *status)
{
	struct error e;

	t->calls = xcalloc(1, sizeof(*t->calls));
	int failed = measure_calls(m, t->calls, status, &e);
	int result = !failed ? 0 : errno == ENOSYS ? 3 : 1;
	if (failed)
		warnx("--count-calls: %s", e.text);
	set_status(t->calls, *status);
	bool stopped = signals_asked() && WIFSIGNALED(*status);
	if (stopped)
		warnx("asked to stop: no calls counted");
	else if (!result && !t->calls->complete)
		warnx("--count-calls: incomplete: calls of processes that outlived the command are "
		      "missing (more --wait?)");
	if (result || stopped) {
		time_run_free(t->calls);
		free(t->calls);
		t->calls = NULL;
	}
	return result;
}

/* Best first.  Running processes, and programs to count, are for what measures each process. */
static const struct method {
	const char *name;
	bool for_pids, for_only;
	const char *loss; /* of this one, against those before it; NULL: none worth a word */
	int (*measure)(const struct measure *m, struct time_run *r, int *status, struct error *e);
} methods[] = {
	{ "bpf", false, true, NULL, measure_by_bpf },
	{ "ptrace", true, true, NULL, measure_by_ptrace },
	{ "wait", false, false, "children that nobody waits for are missing", measure_by_wait },
};

enum { NMETHODS = sizeof(methods) / sizeof(*methods) };

/* The next of them that can measure t, from at on; NULL: none. */
static const struct method *method_for(const struct record_target *t, const struct method *at)
{
	for (; at < methods + NMETHODS; at++)
		if ((!set.backend || !strcmp(at->name, set.backend)) && (t->path || at->for_pids) &&
		    (!t->nonly || at->for_only))
			return at;
	return NULL;
}

/* One run by *method, or by a later one that works here; an exit status of our own, 0 when it was
 * measured. */
static int run(const struct measure *m, const struct method **method, struct timefile *t,
	       int *status)
{
	struct time_run *r = &t->runs[t->nruns];
	const struct method *next;
	struct error e;
	int failed;

	while ((failed = (*method)->measure(m, r, status, &e)) && errno != EIO &&
	       (next = method_for(&m->target, *method + 1))) {
		if (next->loss) {
			warnx("%s", e.text);
			warnx("measuring by %s instead: %s", next->name, next->loss);
		}
		*method = next;
	}
	if (failed) {
		int result = errno == ENOSYS ? 3 : 1;

		warnx("%s", e.text);
		return result;
	}
	if (!r->processes && set.only.n) {
		warnx("no process ran a program named by --only");
		time_run_free(r);
		return 1;
	}
	t->nruns++;
	set_status(r, *status);
	print_run(r);
	return 0;
}

/* A request to stop is for all runs; the current one, which it may have cut short, is dropped. */
static void stop_early(struct timefile *t, int status)
{
	if (t->nruns > 1 && WIFSIGNALED(status))
		time_run_free(&t->runs[--t->nruns]);
	if (t->nruns < set.runs || set.calls)
		warnx("asked to stop: %zu of %" PRIu64 " runs%s", t->nruns, set.runs,
		      set.calls ? ", and no calls counted" : "");
}

/* Seconds to measure the part of calls that ticks count as user time. */
static const double longest_share = 1;

/* CPU seconds of all runs. */
static double used(const struct timefile *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->nruns; i++)
		sum += t->runs[i].usage.user + t->runs[i].usage.system;
	return sum;
}

/* The one that was asked for must be there, and fit. */
static void check_backend(void)
{
	const struct record_target t = { .path = set.pids.n ? NULL : "", .nonly = set.only.n };
	bool known = !set.backend;

	for (size_t i = 0; i < NMETHODS && !known; i++)
		known = !strcmp(methods[i].name, set.backend);
	if (!known)
		opt_bad_usage(&usage, "-b %s: no such backend (bpf, ptrace, wait)", set.backend);
	if (!method_for(&t, methods))
		opt_bad_usage(&usage, "-b %s does not measure %s", set.backend,
			      set.pids.n ? "processes that run already (-p)"
					 : "programs by name (--only)");
}

static pid_t *check_usage(const char *command)
{
	pid_t *pids = ktranal_pids(&usage, command, &set.pids);

	if (!set.pids.n && isfinite(set.length))
		opt_bad_usage(&usage, "--for needs -p");
	if (set.pids.n && (set.runs > 1 || set.calls))
		opt_bad_usage(&usage, "%s needs a command", set.calls ? "-c" : "-r");
	check_backend();
	return pids;
}

/* Whether the calls can be counted and the result written: before anything runs.  An exit status.
 */
static int check_first(void)
{
	struct error e;
	int result = 0;

	if (file_may_write(set.file, &e)) {
		warnx("%s", e.text);
		return 1;
	}
	if (set.calls && bpf_backend.probe(&e)) {
		result = errno == ENOSYS ? 3 : 1;
		warnx("--count-calls: %s", e.text);
	}
	return result;
}

/* Looks at the state of the host, before the first run or after one. */
static void look(struct looks *l, struct loops *mean)
{
	struct look now;

	look_take(&now);
	looks_add(l, &now);
	if (l->n > 1)
		*mean = (struct loops){ l->mean[CANARY_CODE], l->mean[CANARY_CALL] };
}

/* All runs.  The exit status of the worst, unless ktranal itself failed. */
static int measure_all(const struct measure *m, struct timefile *t)
{
	struct error e;
	const struct method *method = method_for(&m->target, methods);
	int status = 0, result = 0, worst = 0;
	struct looks looks = { .n = 0 };

	t->loops = (struct loops){ NAN, NAN };
	/* One that runs already would be taken for others. */
	if (m->target.path)
		look(&looks, &t->loops);
	while (t->nruns < set.runs && !result && !signals_asked()) {
		result = run(m, &method, t, &status);
		if (looks.n && !result && !signals_asked())
			look(&looks, &t->loops);
		worst = status ? status : worst;
	}
	if (m->target.path && signals_asked())
		stop_early(t, status);
	else if (set.calls && !result) {
		result = run_counted(m, t, &status);
		worst = status ? status : worst;
	}
	t->method = xstrdup(method->name);
	t->call_user = callshare_measure(fmin(used(t), longest_share));
	if (t->nruns && timefile_write(t, set.file, &e)) {
		warnx("%s", e.text);
		result = 1;
	}
	return result ? result : signals_end_like(worst);
}

int command_time(int argc, char **argv)
{
	struct error e;
	char *path = NULL, *file = NULL;

	argv += opt_parse(argc, argv, &usage, options);
	pid_t *pids = check_usage(*argv);
	if (*argv && !(path = program_find(*argv, &e))) {
		warnx("%s", e.text);
		return 1;
	}
	if (!set.file)
		set.file = file = program_file(*argv ? 0 : *pids, *argv, ".time");
	ktranal_spare(&usage, set.file, path, pids, set.pids.n);
	int result = check_first();
	if (!result) {
		struct timefile *t = new_file(argv, pids);
		const struct measure m = {
			.target = {
				.path = path,
				.argv = argv,
				.pids = pids,
				.npids = set.pids.n,
				.only = set.only.v,
				.nonly = set.only.n,
			},
			.length = set.length,
			.patience = set.patience,
		};

		result = measure_all(&m, t);
		timefile_free(t);
	}
	free(pids);
	free(file);
	free(path);
	return result;
}
