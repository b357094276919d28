/* SPDX-License-Identifier: MIT */
/* hbench run: measures the entries of a suite in randomized interleaved rounds. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "hbench.h"
#include "history.h"
#include "levels.h"
#include "machine/cpus.h"
#include "measure/pmu.h"
#include "meta.h"
#include "outcome.h"
#include "process.h"
#include "reduce.h"
#include "results.h"
#include "schedule.h"
#include "stats/random.h"
#include "suite.h"
#include "util/home.h"
#include "util/monotonic.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/progress.h"
#include "util/xalloc.h"

static struct {
	const char *suite, *results, *machine, *cpus, *directory, *copies, *events, *peer, *secret;
	double budget, precision;
	uint64_t seed;
	bool resume, quiet;
} set = { .results = "results", .precision = NAN, .seed = UINT64_MAX };

static const struct opt options[] = {
	{ 'S', "suite", OPT_STRING, &set.suite, "SUITE",
	  .help = "what to measure: quick, default, full, thesis or a file (default)" },
	{ 'o', "output", OPT_STRING, &set.results, "DIR",
	  .help = "where results are stored (results)" },
	{ 'm', "machine", OPT_STRING, &set.machine, "NAME",
	  .help = "of the platform (host name, kernel and architecture)" },
	{ 0, "budget", OPT_DURATION, &set.budget, "TIME", 0.001, 1e7,
	  "begin no round that would end later" },
	{ 0, "precision", OPT_PERCENT, &set.precision, "PERCENT", 0.01, 100,
	  "half-width of the interval to reach (the suite's)" },
	{ 0, "resume", OPT_FLAG, &set.resume,
	  .help = "go on with the newest unfinished run in DIR" },
	{ 0, "cpu", OPT_STRING, &set.cpus, "LIST", .help = "CPUs to use, such as 1,3-5 (all)" },
	{ 0, "copies", OPT_STRING, &set.copies, "N|all",
	  .help = "measure so many copies of each entry in parallel, all: one per CPU" },
	{ 0, "peer", OPT_STRING, &set.peer, "HOST:PORT",
	  .help = "of an `hbench peer`, for entries that are @remote" },
	{ 0, "secret", OPT_STRING, &set.secret, "FILE",
	  .help = "whose first line that peer knows, too ($OSVEC_SECRET)" },
	{ 0, "events", OPT_STRING, &set.events, "EVENT,...",
	  .help = "count these per operation, too, such as instructions,cycles" },
	{ 0, "seed", OPT_COUNT, &set.seed, "N", 0, 1.8e19, "of the random order (a fresh one)" },
	{ 'D', "directory", OPT_STRING, &set.directory, "DIR",
	  .help = "on the file system to measure (.)" },
	{ 'q', "quiet", OPT_FLAG, &set.quiet, .help = "no progress" },
	{ 0 }
};

static const struct opt_usage usage = {
	"hbench run",
	"[LINE... | SUITE | PATTERN...]",
	"Measures what this machine's operating system primitives cost: LINEs such as\n"
	"'lat_roundtrip pipe 8k', or a SUITE, or the entries of a suite that a PATTERN chooses.",
	"hbench run 'lat_roundtrip pipe 8k' 'lat_syscall getppid'",
};

struct attempts {
	unsigned failures; /* in a row */
	size_t processes, repeated;
};

struct run {
	struct suite *suite;
	struct plan plan;
	struct results results;
	json_t *meta;
	struct schedule *schedule;
	struct progress progress;
	struct attempts *attempts; /* by entry */
	double started;		   /* CLOCK_MONOTONIC */
	uint64_t round;		   /* the next one */
};

/* Failures in a row before an entry is given up: once it has values it may fail through a round. */
enum { FAILURES_AT_FIRST = 2, FAILURES_LATER = 4 };

/* At most this share of an entry's processes is repeated: what is always disturbed is measured as
 * it is. */
static const double repeat_share = 0.3;

/* -- one entry in one round -------------------------------------------------------------------- */

static int give_up(struct run *run, size_t i, const char *reason, struct error *e)
{
	schedule_give_up(run->schedule, i);
	progress_line(&run->progress, "%s: %s", run->suite->entries[i].name, reason);
	if (run->schedule->entries[i].n)
		return 0; /* it ends as numbers, fewer than wanted */
	return results_add_skipped(&run->results, run->suite->entries[i].name, reason, e);
}

static int count(struct run *run, size_t i, const struct outcome *o, struct error *e)
{
	run->attempts[i].failures = 0;
	schedule_add(run->schedule, i, o->seconds, o->wall);
	return results_add_value(&run->results, run->suite->entries[i].name, o->seconds, e);
}

/* Books an outcome; *again: the process is to be repeated. */
static int book(struct run *run, size_t i, struct outcome *o, bool *again, struct error *e)
{
	struct attempts *a = &run->attempts[i];
	bool first = !*again;

	*again = false;
	a->processes++;
	if (o->verdict == HISTORY_DISTURBED &&
	    (!first || (double)a->repeated > repeat_share * (double)a->processes))
		outcome_accept(o);
	if (results_add_run(&run->results, o->run, e))
		return -1;
	if (o->verdict == HISTORY_COUNTED)
		return count(run, i, o, e);
	schedule_add(run->schedule, i, NAN, o->wall);
	if (o->verdict == HISTORY_DISTURBED) {
		a->repeated++;
		*again = true;
		return 0;
	}
	unsigned limit = run->schedule->entries[i].n ? FAILURES_LATER : FAILURES_AT_FIRST;
	if (o->verdict == HISTORY_UNSUPPORTED || o->hopeless || ++a->failures >= limit)
		return give_up(run, i, o->reason, e);
	*again = first;
	return 0;
}

static int measure(struct run *run, size_t i, struct error *e)
{
	bool again = false;
	int failed;

	do {
		struct outcome o;

		outcome_take(&o, &run->plan, &run->suite->entries[i], run->round);
		failed = process_interrupted() ? 0 : book(run, i, &o, &again, e);
		outcome_done(&o);
	} while (again && !failed && !process_interrupted());
	return failed;
}

/* -- rounds ------------------------------------------------------------------------------------ */

static double time_left(const struct run *run)
{
	double left = schedule_time_left(run->schedule), budget = run->suite->settings.budget;

	return budget > 0 ? fmin(left, fmax(0, budget - (monotonic_seconds() - run->started)))
			  : left;
}

/* "412/1680 processes, 3/112 entries" */
static const char *describe_state(const struct run *run, char *out, size_t n)
{
	size_t done = 0, finished = 0;

	for (size_t i = 0; i < run->schedule->n; i++) {
		done += run->schedule->entries[i].n;
		finished += run->schedule->entries[i].finished;
	}
	snprintf(out, n, "%zu/%.0f processes, %zu/%zu entries", done,
		 (double)done + schedule_processes_left(run->schedule), finished, run->schedule->n);
	return out;
}

static void show(struct run *run, const char *entry)
{
	double gone = monotonic_seconds() - run->started, left = time_left(run);
	char state[100], note[200];

	snprintf(note, sizeof(note), "%s  %s", describe_state(run, state, sizeof(state)), entry);
	progress_show(&run->progress, gone / (gone + left + 1e-9), left, note);
}

static void report_round(struct run *run)
{
	char state[100], left[NUMBER_MAX];

	if (!run->progress.terminal)
		progress_line(&run->progress, "round %" PRIu64 ": %s, about %s left",
			      run->round + 1, describe_state(run, state, sizeof(state)),
			      number_format_duration(left, round(time_left(run))));
}

/* Whether entry i already has its value of this round: a resumed run. */
static bool has_value(const struct history *before, const struct run *run, size_t i)
{
	const struct history_entry *x = history_find(before, run->suite->entries[i].name);

	return x && x->n && x->runs[x->n - 1].round == run->round;
}

static int run_round(struct run *run, const struct history *before, size_t *order, size_t n,
		     struct error *e)
{
	for (size_t i = 0; i < n && !process_interrupted(); i++) {
		if (has_value(before, run, order[i]))
			continue;
		show(run, run->suite->entries[order[i]].name);
		if (measure(run, order[i], e))
			return -1;
	}
	if (process_interrupted())
		return 0;
	for (size_t i = 0; i < run->schedule->n; i++)
		schedule_check(run->schedule, i);
	report_round(run);
	return results_sync(&run->results, e);
}

static int measure_rounds(struct run *run, const struct history *before, const char **status,
			  struct error *e)
{
	size_t *order = xcalloc(run->schedule->n, sizeof(*order)), n;
	uint64_t first = run->round;
	int failed = 0;

	*status = "complete";
	while (!failed && (n = schedule_round(run->schedule, run->round, order)) > 0) {
		double gone = monotonic_seconds() - run->started;

		if (run->suite->settings.budget > 0 && run->round > first &&
		    gone + schedule_round_time(run->schedule) > run->suite->settings.budget) {
			*status = "budget";
			break;
		}
		failed = run_round(run, before, order, n, e);
		if (process_interrupted()) {
			*status = "interrupted";
			break;
		}
		run->round++;
	}
	free(order);
	return failed;
}

/* -- before the first -------------------------------------------------------------------------- */

static void prepare(struct run *run, bool quiet)
{
	const struct suite *suite = run->suite;
	const struct settings *s = &suite->settings;

	run->plan.batch = s->batch;
	run->plan.batches = (uint64_t)s->batches;
	run->plan.timeout = s->timeout;
	run->schedule = schedule_new(suite->n, run->plan.seed, (size_t)s->processes_min,
				     (size_t)s->processes_max, s->precision);
	run->attempts = xcalloc(suite->n, sizeof(*run->attempts));
	for (size_t i = 0; i < suite->n; i++)
		run->schedule->entries[i].always = suite->entries[i].role == SUITE_CANARY;
	progress_start(&run->progress, "measuring", quiet);
	run->started = monotonic_seconds();
}

/* Finds out what the levels of the memory hierarchy that the suite names are here, unless the run
 * knows; entries of a level that is not there are skipped. */
static int resolve_levels(struct run *run, struct error *e)
{
	json_t *facts = json_object_get(run->meta, "environment");

	if (!levels_wanted(run->suite))
		return 0;
	if (!json_object_get(facts, "level.source")) {
		progress_show(&run->progress, 0, NAN, "finding the levels of the memory hierarchy");
		levels_find(facts, &run->plan);
	}
	levels_apply(run->suite, facts);
	for (size_t i = 0; i < run->suite->n; i++) {
		char reason[80];

		if (!run->suite->entries[i].lacks || run->schedule->entries[i].finished)
			continue;
		snprintf(reason, sizeof(reason), "no %s: this machine has fewer levels of caches",
			 run->suite->entries[i].lacks);
		if (give_up(run, i, reason, e))
			return -1;
	}
	return 0;
}

/* Gives the schedule the values that entry i has; x is its log, or NULL. */
static int recall_entry(struct run *run, size_t i, const struct history_entry *x, struct error *e)
{
	const char *name = run->suite->entries[i].name;
	size_t n;
	double *values;

	if (!results_has_entry(run->results.path, name))
		return 0;
	if (results_read_values(run->results.path, name, &values, &n, e))
		return -1;
	for (size_t j = 0; j < n; j++) {
		schedule_add(run->schedule, i, values[j],
			     x && x->processes ? x->wall / (double)x->processes : 0);
		schedule_check(run->schedule, i); /* as it was judged then */
	}
	free(values);
	return 0;
}

static int recall(struct run *run, const struct history *before, struct error *e)
{
	struct skipped *skipped;
	size_t nskipped;
	int failed = 0;

	if (results_read_skipped(run->results.path, &skipped, &nskipped, e))
		return -1;
	for (size_t i = 0; i < run->suite->n; i++) {
		const struct history_entry *x = history_find(before, run->suite->entries[i].name);

		if (recall_entry(run, i, x, e))
			failed = -1;
		for (size_t j = 0; j < nskipped; j++)
			if (!strcmp(skipped[j].entry, run->suite->entries[i].name))
				schedule_give_up(run->schedule, i);
	}
	results_free_skipped(skipped, nskipped);
	/* The last round may be half done; run_round leaves out the entries that have their value.
	 */
	run->round = before->rounds ? before->rounds - 1 : 0;
	return failed;
}

/* -- beginning and end ------------------------------------------------------------------------- */

/* "vm-6.1.0-amd64-x86_64": a name that is fit for a directory. */
static char *default_machine(void)
{
	struct utsname u;

	if (uname(&u))
		err(1, "uname");
	char *name = xasprintf("%s-%s-%s", u.nodename, u.release, u.machine);
	for (char *p = name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
			    *p))
			*p = '-';
	return name;
}

static void check_machine_name(const char *name)
{
	if (!*name || *name == '.' || strchr(name, '/'))
		opt_bad_usage(&usage, "--machine %s: not a name of a directory", name);
}

/* --budget overrides the suite's. */
static void apply_budget(struct run *run)
{
	if (set.budget > 0)
		run->suite->settings.budget = set.budget;
}

static int apply_copies(struct run *run, struct error *e)
{
	uint64_t n = run->plan.ncpus;

	if (set.copies && strcmp(set.copies, "all") &&
	    (!number_parse_u64(set.copies, &n) || n < 1 || n > SUITE_COPIES_MAX))
		opt_bad_usage(&usage, "--copies %s: not all or a number from 1 to %d", set.copies,
			      SUITE_COPIES_MAX);
	if (set.copies)
		suite_set_copies(run->suite, (unsigned)n);
	return run->suite->n ? 0
			     : error_set(e, "--copies: every line of %s asks for copies itself",
					 run->suite->name);
}

/* A new run from the options. */
static int begin(struct run *run, char **argv, char *const *operands, size_t n, struct error *e)
{
	char *machine = set.machine ? xstrdup(set.machine) : default_machine();
	const char *directory = set.directory ? set.directory : ".";
	struct stat st;

	check_machine_name(machine);
	char *programs = home_find(HOME_BENCH, NULL, e);
	if (!programs)
		return -1;
	run->plan.programs = realpath(programs, NULL);
	free(programs);
	const char *suite = set.peer && !n && !set.suite ? "remote" : set.suite;
	run->suite = suite_from_operands(suite, operands, n, run->plan.programs, e);
	if (!run->suite)
		return -1;
	if (set.peer && (partner_check_suite(run->suite, e) ||
			 partner_find(&run->plan.partner, set.peer, set.secret, e)))
		return -1;
	if (!isnan(set.precision))
		run->suite->settings.precision = set.precision / 100;
	apply_budget(run);
	run->plan.directory = realpath(directory, NULL);
	if (!run->plan.directory || stat(run->plan.directory, &st))
		return error_set(e, "%s: no such directory", directory);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, "%s: not a directory", directory);
	run->plan.ncpus = cpus_allowed(run->plan.cpus);
	if (set.cpus && cpus_parse(set.cpus, run->plan.cpus, &run->plan.ncpus, e)) {
		if (errno == EINVAL)
			opt_bad_usage(&usage, "--cpu %s", e->text);
		return -1;
	}
	if (apply_copies(run, e))
		return -1;
	if (set.events && pmu_open(set.events, e))
		warnx("--events: not measured: %s", e->text);
	pmu_close();
	run->plan.events = set.events ? xstrdup(set.events) : NULL;
	run->plan.seed = set.seed != UINT64_MAX ? set.seed : random_fresh_seed();
	if (results_create(&run->results, set.results, machine, e))
		return -1;
	free(machine);
	run->meta = meta_new(&run->results, run->suite, &run->plan, argv);
	return 0;
}

/* An old run from its directory. */
static int resume(struct run *run, struct error *e)
{
	char *path = results_locate(set.results, true, e);

	if (!path || results_resume(&run->results, path, e))
		return -1;
	run->meta = results_read_meta(path, e);
	if (!run->meta)
		return -1;
	char *peer = meta_peer(run->meta);
	if (peer && partner_find(&run->plan.partner, peer, set.secret, e))
		return -1;
	free(peer);
	run->suite = meta_suite(run->meta, e);
	if (!run->suite || meta_plan(run->meta, &run->plan, e))
		return error_prefix(e, "%s", path);
	apply_budget(run);
	meta_resume(run->meta);
	free(path);
	return 0;
}

/* Reduces what there is and closes the description.  Returns the exit status. */
static int end(struct run *run, const char *status)
{
	struct error e;
	int signal = process_interrupted();
	char *vector = xasprintf("%s/osvec.json", run->results.path);

	progress_end(&run->progress);
	meta_end(run->meta, status);
	if (results_write_meta(&run->results, run->meta, &e))
		errx(1, "%s", e.text);
	struct measured m;
	if (measured_read(&m, run->results.path, ESTIMATE_HODGES_LEHMANN, &e) ||
	    summary_write(&m, &e) || osvec_write(m.vector, vector, &e))
		errx(1, "%s", e.text);
	summary_print(&m, stdout);
	bool measured = m.run->n > 0;
	measured_free(&m);
	free(vector);
	if (signal)
		warnx("interrupted: 'hbench run --resume -o %s' goes on", run->results.path);
	return signal ? 128 + signal : measured ? 0 : 1;
}

static void finish(struct run *run)
{
	schedule_free(run->schedule);
	suite_free(run->suite);
	results_close(&run->results);
	json_decref(run->meta);
	free(run->attempts);
	free(run->plan.programs);
	free(run->plan.directory);
	free(run->plan.events);
	partner_free(&run->plan.partner);
}

int run_command(int argc, char **argv)
{
	struct run run = { 0 };
	struct error e;
	const char *status;
	int first = opt_parse_mixed(argc, argv, &usage, options);

	if (set.resume &&
	    (set.suite || set.machine || set.cpus || set.directory || !isnan(set.precision) ||
	     set.copies || set.events || set.peer || set.seed != UINT64_MAX || first < argc))
		opt_bad_usage(&usage,
			      "--resume takes all but -o, --budget, --secret and -q from the run");
	for (int i = first; i < argc; i++)
		if (!*argv[i])
			opt_bad_usage(&usage, "an empty operand: of a variable that is not set?");
	if (process_lock(&e))
		errx(1, "%s", e.text);
	process_catch_signals();
	int failed = set.resume ? resume(&run, &e)
				: begin(&run, argv, argv + first, (size_t)(argc - first), &e);
	if (failed)
		errx(1, "%s", e.text);
	prepare(&run, set.quiet);
	size_t leftovers = process_remove_leftovers(run.plan.directory);
	if (leftovers)
		progress_line(&run.progress,
			      "removed %zu director%s that killed benchmarks left in %s", leftovers,
			      leftovers == 1 ? "y" : "ies", run.plan.directory);
	struct history *before = history_read(run.results.path, &e);
	if (!before || recall(&run, before, &e) || resolve_levels(&run, &e) ||
	    results_write_meta(&run.results, run.meta, &e))
		errx(1, "%s", e.text);
	if (measure_rounds(&run, before, &status, &e)) {
		progress_end(&run.progress);
		errx(1, "%s; what was measured is kept: 'hbench run --resume -o %s' goes on",
		     e.text, run.results.path);
	}
	history_free(before);
	int exit_status = end(&run, status);
	finish(&run);
	return exit_status;
}
