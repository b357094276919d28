/* SPDX-License-Identifier: MIT */
/* ktranal vector: traces through the basis into an application vector, and how much of them it
 * covers. */
#include "ktranal.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "coverage.h"
#include "cpu_events.h"
#include "callcounts.h"
#include "util/file.h"
#include "util/home.h"
#include "util/number.h"
#include "util/text.h"
#include "util/timestamp.h"
#include "util/vec.h"
#include "vector/appvec.h"
#include "vector/basis.h"
#include "vector/profile.h"
#include "vector/start.h"
#include "vector/timefile.h"
#include "view.h"

static struct {
	struct view view;
	struct opt_list timefiles;
	const char *times; /* the first of them, or NULL */
	const char *output, *unit, *basis, *name, *fewer, *counts, *machine;
	uint64_t units;
	double from, to; /* seconds since the start of the trace */
} set = { .unit = "run", .units = 1, .to = INFINITY };

static const struct opt options[] = {
	{ 'o', "output", OPT_STRING, &set.output, "FILE",
	  .help = "write the vector here (default: print only its coverage)" },
	{ 'n', "units", OPT_COUNT, &set.units, "N", 1, 1e15,
	  "units of work in each run (default 1)" },
	{ 'u', "unit", OPT_STRING, &set.unit, "WORD",
	  .help = "what one unit is: request, insert, ..." },
	{ 't', "times", OPT_LIST, &set.timefiles, "FILE",
	  .help = "user time, switches, faults: of ktranal time (several: more -t)" },
	{ 0, "counts", OPT_STRING, &set.counts, "FILE",
	  .help = "events of an untraced run: a file of perf stat -I -x, or cpistack record" },
	{ 0, "fewer", OPT_STRING, &set.fewer, "VECTOR",
	  .help = "vector of runs with fewer units: tells what each run does once from what each "
		  "unit does" },
	{ 'b', "basis", OPT_STRING, &set.basis, "FILE", .help = "rules (default: basis.conf)" },
	{ 0, "name", OPT_STRING, &set.name, "NAME", .help = "name of the application" },
	{ 0, "machine", OPT_STRING, &set.machine, "NAME",
	  .help = "name of the OS vector of this machine, if there are several of one host" },
	SELECTION_PROCESSES(set.view.selection),
	{ 0, "from", OPT_DURATION, &set.from, "TIME",
	  .help = "leave out what began earlier in a trace" },
	{ 0, "to", OPT_DURATION, &set.to, "TIME",
	  .help = "leave out what began at that time or later" },
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "ktranal vector",
	.operands = "{TRACE... | -- COMMAND [ARGUMENT...]}",
	.summary =
	    "Characterize how an application uses the operating system; each trace is one run.",
	.example = "ktranal vector -n 100000 -u request -t app.time -o app.json app.ktr",
};

/* The application as far as it is known. */
static struct {
	struct appvec *vector;
	struct basis *basis;
	struct timefile *times;		/* NULL: without -t */
	VEC(struct profile *) profiles; /* of the traces */
	struct callcounts callcounts;
	struct formula_file events; /* conf/events.conf */
} app;

static void set_string(char **s, const char *value)
{
	free(*s);
	*s = xstrdup(value);
}

/* ---- traces ---- */

static bool is_selected(const struct event *e)
{
	size_t process = processes_event(&set.view.processes, e);
	double start = (double)e->time * 1e-9;
	bool selected = view_selects(&set.view, process, e);

	return selected && start >= set.from && start < set.to;
}

static void begin_count(void *arg, const struct source_info *info)
{
	(void)arg, (void)info;
	callcounts_begin(&app.callcounts);
}

static void count(void *arg, const struct event *e)
{
	(void)arg;
	if (is_selected(e))
		callcounts_take(&app.callcounts, e);
}

/* Reads a trace for the first of two times, to learn how many calls each call of it stands for. */
static int count_trace(const char *path)
{
	const struct trace_taker counter = { .begin = begin_count, .take = count };
	const struct completeness before = set.view.completeness;
	struct stat st;

	if (!app.callcounts.known)
		return 0;
	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode))) {
		warnx("the counts in %s need the trace twice, and %s can be read once: record "
		      "it to a file first",
		      set.times, strcmp(path, "-") ? path : "a command or a pipe");
		return -1;
	}
	int status = view_read(&set.view, path, &counter, false);
	set.view.completeness = before;
	return status;
}

/* The first trace says where and what the application was. */
static void begin(void *arg, const struct source_info *info)
{
	static const char *const arch[ABIS] = {
		[ABI_X86_64] = "x86_64",
		[ABI_ARM64] = "aarch64",
		[ABI_I386] = "i386",
		[ABI_OTHER] = "",
	};

	(void)arg;
	vec_push(&app.profiles, profile_new(app.basis));
	profile_count_events(app.profiles.v[app.profiles.n - 1], app.events.stacks.v);
	callcounts_weigh(&app.callcounts, app.profiles.v[app.profiles.n - 1]);
	if (app.profiles.n > 1)
		return;
	set_string(&app.vector->command, info->command);
	set_string(&app.vector->host, info->host);
	set_string(&app.vector->kernel, info->kernel);
	set_string(&app.vector->host_id, info->host_id);
	set_string(&app.vector->cpu, info->cpu);
	set_string(&app.vector->arch, arch[info->abi]);
	set_string(&app.vector->recorder, *info->recorder ? info->recorder : info->format);
}

static void take(void *arg, const struct event *e)
{
	(void)arg;
	if (is_selected(e))
		profile_add(app.profiles.v[app.profiles.n - 1], e);
}

static int read_traces(void)
{
	const struct trace_taker taker = {
		.begin = begin,
		.take = take,
		.operations = true,
		.each = set.from > 0 || set.to < INFINITY,
	};

	for (size_t i = 0; i < set.view.traces.n; i++) {
		if (count_trace(set.view.traces.v[i]) < 0)
			return -1;
		int status = view_read(&set.view, set.view.traces.v[i], &taker, false);
		if (status < 0)
			return status;
		callcounts_add_unseen(&app.callcounts, app.profiles.v[i]);
	}
	return view_check(&set.view);
}

/* ---- times ---- */

/* What the programs that -O names used in an untraced run. */
static int sum_programs(const struct time_run *run, struct time_usage *sum)
{
	bool found = false;

	*sum = (struct time_usage){ 0 };
	for (size_t i = 0; i < run->nprograms; i++) {
		const struct time_program *p = &run->programs[i];

		if (!selection_has_program(&set.view.selection, p->program))
			continue;
		found = true;
		time_usage_add(sum, &p->usage);
	}
	if (found)
		return 0;
	warnx("%s: no program of the name that -O gives (-p does not fit: pids differ from run to "
	      "run)",
	      set.times);
	return -1;
}

/*
 * The benchmark cost of a call includes its user-side share already: what the clock tick takes for
 * user time within calls moves from user to system time.
 */
static int use_times(struct appvec_run *run, const struct time_run *times, double calls)
{
	struct time_usage sum = times->usage;

	if (set.view.selection.processes.n && sum_programs(times, &sum) < 0)
		return -1;
	double of_calls = fmin(sum.user, calls * app.times->call_user);
	*run = (struct appvec_run){
		.user = sum.user - of_calls,
		.system = sum.system + of_calls,
		.wall = times->wall,
		.voluntary = sum.voluntary,
		.involuntary = sum.involuntary,
		.minor_faults = sum.minor_faults,
		.major_faults = sum.major_faults,
	};
	return 0;
}

static int make_runs(struct appvec *a)
{
	double calls = 0;

	a->ntraces = app.profiles.n;
	a->traces = xcalloc(a->ntraces, sizeof(*a->traces));
	for (size_t i = 0; i < a->ntraces; i++) {
		struct appvec_trace *t = &a->traces[i];

		profile_trace(app.profiles.v[i], t);
		set_string(&t->trace, set.view.traces.v[i]);
		t->counted = app.callcounts.known;
		calls += t->calls / (double)a->ntraces;
		if (!(t->calls > 0)) {
			warnx("%s: no call is left to characterize", t->trace);
			return -1;
		}
	}
	if (!app.times)
		return 0;
	a->loops = app.times->loops;
	a->nruns = app.times->nruns;
	a->runs = xcalloc(a->nruns, sizeof(*a->runs));
	for (size_t i = 0; i < a->nruns; i++)
		if (use_times(&a->runs[i], &app.times->runs[i], calls) < 0)
			return -1;
	return 0;
}

static void warn_about_run(const struct time_run *run, const char *which, size_t number)
{
	if (!run->complete)
		warnx("%s: %s %zu is incomplete: what it used is more", set.times, which, number);
	if (run->status != 0)
		warnx("%s: %s %zu ended with status %.0f: it may not have done all its work",
		      set.times, which, number, run->status);
}

static void warn_about_times(const struct appvec *a)
{
	for (size_t i = 0; app.times && i < app.times->nruns; i++)
		warn_about_run(&app.times->runs[i], "run", i + 1);
	if (app.callcounts.known)
		warn_about_run(app.times->calls, "counted run", 1);
	if (a->nruns)
		return;
	if (isnan(a->traces[0].run.user))
		warnx("the user time is unknown: give -t with a file of ktranal time");
	else
		warnx(
		    "times and faults are those of the traced run, which tracing distorts: give -t "
		    "with a file of ktranal time");
}

/* ---- the vector ---- */

static int read_basis(void)
{
	struct error e;
	char *path = set.basis ? xstrdup(set.basis) : home_find(HOME_CONF, "basis.conf", &e);

	if (path)
		app.basis = basis_read(path, &e);
	free(path);
	if (app.basis)
		return 0;
	warnx("%s", e.text);
	return -1;
}

static int read_times(void)
{
	struct error e;

	for (size_t i = 0; i < set.timefiles.n; i++) {
		const char *path = set.timefiles.v[i];
		struct timefile *t = timefile_read(path, &e);

		if (!t || (app.times && timefile_append(app.times, t, path, &e))) {
			warnx("%s", e.text);
			timefile_free(t);
			return -1;
		}
		app.times = app.times ? app.times : t;
	}
	if (app.times && app.times->calls)
		callcounts_make(&app.callcounts, app.times->calls, &set.view.selection);
	return 0;
}

/* --name, the program that -O asks for, or that of the first process. */
static const char *application_name(void)
{
	uint64_t pid;

	if (set.name)
		return set.name;
	for (size_t i = 0; i < set.view.selection.processes.n; i++)
		if (!number_parse_u64(set.view.selection.processes.v[i], &pid))
			return set.view.selection.processes.v[i];
	const char *program = set.view.processes.n ? processes_name(&set.view.processes, 0) : "";
	return *program ? program : "application";
}

/* Whether both are known and differ. */
static bool conflict(const char *a, const char *b)
{
	return *a && *b && strcmp(a, b);
}

static void warn_about_command(const char *traced, const char *timed)
{
	char *both[] = { text_make_printable(xstrdup(timed)),
			 text_make_printable(xstrdup(traced)) };

	if (conflict(timed, traced))
		warnx("%s has the times of %s, and the trace is of %s: the vector takes both for "
		      "one program",
		      set.times, both[0], both[1]);
	free(both[0]);
	free(both[1]);
}

/* A log does not know its machine: it ran where it was timed; an old trace does not know all. */
static void describe_machine(struct appvec *a)
{
	const struct timefile *t = app.times;

	if (!t)
		return;
	warn_about_command(a->command, t->command);
	if (conflict(a->host, t->host) || conflict(a->host_id, t->host_id)) {
		warnx("%s was timed on another machine (%s) than it was traced on (%s): "
		      "predictions take both for one",
		      a->name, t->host, a->host);
		return;
	}
	char **const unknown[] = { &a->host, &a->kernel, &a->host_id, &a->cpu };
	const char *const known[] = { t->host, t->kernel, t->host_id, t->cpu };
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!**unknown[i])
			set_string(unknown[i], known[i]);
}

static void describe(struct appvec *a)
{
	const char *slash = set.basis ? strrchr(set.basis, '/') : NULL;
	const struct basis *b = app.basis;

	set_string(&a->name, application_name());
	free(a->created);
	a->created = timestamp_now();
	set_string(&a->unit, set.unit);
	if (set.machine)
		set_string(&a->vector, set.machine);
	set_string(&a->basis, slash ? slash + 1 : set.basis ? set.basis : "basis.conf");
	a->units = (double)set.units;
	a->nuser_entries = b->user_entries.n;
	a->user_entries = xcalloc(a->nuser_entries, sizeof(*a->user_entries));
	for (size_t i = 0; i < a->nuser_entries; i++)
		a->user_entries[i] = xstrdup(b->user_entries.v[i]);
	a->switch_entry = b->switch_entry ? xstrdup(b->switch_entry) : NULL;
	a->fault_entry = b->fault_entry ? xstrdup(b->fault_entry) : NULL;
}

/* Takes the CPU time of f's runs to the state of the host during a's. */
static void take_state(struct appvec *f, const struct appvec *a)
{
	double user, system;

	loops_slower(&f->loops, &a->loops, &user, &system);
	for (size_t i = 0; i < f->nruns; i++) {
		f->runs[i].user /= user;
		f->runs[i].system /= system;
	}
}

/* --fewer: the start is no work of a unit. */
static int split(void)
{
	const double odd_shown = 0.02;
	struct error e;
	struct appvec *fewer = set.fewer ? appvec_read(set.fewer, &e) : NULL;

	if (!set.fewer)
		return 0;
	if (fewer)
		take_state(fewer, app.vector);
	const double odd = fewer ? start_split(app.vector, fewer, &e) : -1;
	if (odd < 0)
		warnx("%s", e.text);
	else if (odd > odd_shown)
		warnx("%s: %.0f %% of its calls are more than all of that kind in %s: runs differ "
		      "in more than their units",
		      set.fewer, 100 * odd, set.view.traces.v[0]);
	appvec_free(fewer);
	return odd < 0 ? -1 : 0;
}

static int make_vector(void)
{
	struct error e;

	app.vector = appvec_new("");
	if (read_basis() < 0 || read_times() < 0 || cpu_events_read(&app.events) < 0)
		return -1;
	int status = read_traces();
	if (status < 0)
		return status;
	describe(app.vector);
	describe_machine(app.vector);
	if (make_runs(app.vector) < 0 ||
	    cpu_events_make(app.vector, &app.events, set.counts, app.profiles.v, app.profiles.n) <
		0 ||
	    split() < 0)
		return -1;
	if (set.output && appvec_write(app.vector, set.output, &e) < 0) {
		warnx("%s", e.text);
		return -1;
	}
	coverage_print(app.vector, stdout);
	callcounts_print(&app.callcounts, stdout);
	cpu_events_print(app.vector);
	view_print_end(&set.view);
	fflush(stdout);
	warn_about_times(app.vector);
	return 0;
}

static void free_all(void)
{
	for (size_t i = 0; i < app.profiles.n; i++)
		profile_free(app.profiles.v[i]);
	vec_free(&app.profiles);
	vec_free(&set.timefiles);
	timefile_free(app.times);
	formulas_free(&app.events);
	callcounts_free(&app.callcounts);
	appvec_free(app.vector);
	basis_free(app.basis);
}

static void keep_input(const char *path, const char *what)
{
	if (path && file_is_same(set.output, path))
		opt_bad_usage(&usage, "-o %s: that is the %s", set.output, what);
}

/* -o with its file forgotten takes the next operand. */
static void check_output(void)
{
	if (!set.output)
		return;
	for (size_t i = 0; i < set.view.traces.n; i++)
		keep_input(set.view.traces.v[i], "trace");
	for (size_t i = 0; i < set.timefiles.n; i++)
		keep_input(set.timefiles.v[i], "file of times");
	keep_input(set.fewer, "vector of fewer units");
	keep_input(set.counts, "file of counts");
	keep_input(set.basis, "file of rules");
}

int command_vector(int argc, char **argv)
{
	view_parse(&set.view, argc, argv, &usage, options, true);
	if (!(set.from < set.to))
		opt_bad_usage(&usage, "--from is not before --to");
	if (!*set.unit)
		opt_bad_usage(&usage, "--unit: a word is needed, such as request");
	set.times = set.timefiles.n ? set.timefiles.v[0] : NULL;
	check_output();
	if (set.times && (set.from > 0 || set.to < INFINITY))
		opt_bad_usage(&usage,
			      "-t is about whole runs: it does not go with --from and --to");
	if (set.times && set.view.selection.roots.n)
		opt_bad_usage(&usage,
			      "-t does not know which process started which: it does not go with "
			      "--subtree");
	int status = make_vector();
	free_all();
	return view_end(&set.view, status);
}
