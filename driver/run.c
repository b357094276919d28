/* SPDX-License-Identifier: MIT */
/* hbench run: measures the entries of a suite in randomized interleaved rounds. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "commands.h"
#include "lock.h"
#include "meta.h"
#include "process.h"
#include "reduce.h"
#include "rounds.h"
#include "machine/cpus.h"
#include "stats/random.h"
#include "suite.h"
#include "summary.h"
#include "util/home.h"
#include "util/opt.h"
#include "util/xalloc.h"

static struct {
	const char *suite, *results, *machine, *cpus, *directory;
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
	{ 0, "precision", OPT_NUMBER, &set.precision, "PERCENT", 0.01, 100,
	  "half-width of the interval to reach (the suite's)" },
	{ 0, "resume", OPT_FLAG, &set.resume,
	  .help = "go on with the newest unfinished run in DIR" },
	{ 0, "cpu", OPT_STRING, &set.cpus, "LIST", .help = "CPUs to use, such as 1,3-5 (all)" },
	{ 0, "seed", OPT_COUNT, &set.seed, "N", 0, 1.8e19, "of the random order (a fresh one)" },
	{ 'D', "directory", OPT_STRING, &set.directory, "DIR",
	  .help = "on the file system to measure (.)" },
	{ 'q', "quiet", OPT_FLAG, &set.quiet, .help = "no progress" },
	{ 0 }
};

static const struct opt_usage usage = {
	"hbench run",
	"[PATTERN...]",
	"Measures what this machine's operating system primitives cost.  PATTERN chooses among\n"
	"the entries of the suite, by entry or by program.",
	"hbench run -S quick 'lat_*'",
};

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

/* The suite's own counts unless one is given. */
static void apply_budget(struct run *run)
{
	if (set.budget > 0)
		run->suite->settings.budget = set.budget;
}

/* A new run from the options. */
static int begin(struct run *run, char **argv, char *const *patterns, size_t npatterns,
		 struct error *e)
{
	char *machine = set.machine ? xstrdup(set.machine) : default_machine();
	const char *directory = set.directory ? set.directory : ".";

	check_machine_name(machine);
	run->suite = suite_find_and_read(set.suite ? set.suite : "default", e);
	if (!run->suite || suite_select(run->suite, patterns, npatterns, e))
		return -1;
	if (!isnan(set.precision))
		run->suite->settings.precision = set.precision / 100;
	apply_budget(run);
	char *programs = home_find(HOME_BENCH, NULL, e);
	if (!programs)
		return -1;
	run->plan.programs = realpath(programs, NULL);
	free(programs);
	run->plan.directory = realpath(directory, NULL);
	if (!run->plan.directory)
		return error_set(e, "%s: no such directory", directory);
	run->plan.ncpus = cpus_allowed(run->plan.cpus);
	if (set.cpus && cpus_parse(set.cpus, run->plan.cpus, &run->plan.ncpus, e))
		return -1;
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
	run->suite = run->meta ? meta_suite(run->meta, e) : NULL;
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

	progress_end(&run->progress);
	meta_end(run->meta, status);
	if (results_write_meta(&run->results, run->meta, &e))
		errx(1, "%s", e.text);
	struct reduction *r = reduce(run->results.path, ESTIMATE_HODGES_LEHMANN, &e);
	if (!r || summary_write(r, &e) || reduce_write_vector(r, NULL, &e))
		errx(1, "%s", e.text);
	summary_brief(r, stdout);
	bool measured = r->n > 0;
	reduce_free(r);
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
	free(run->failures);
	free(run->involuntary);
	free(run->plan.programs);
	free(run->plan.directory);
}

int run_command(int argc, char **argv)
{
	struct run run = { 0 };
	struct error e;
	const char *status;
	int first = opt_parse_mixed(argc, argv, &usage, options, NULL);

	if (set.resume && (set.suite || set.machine || set.cpus || set.directory ||
			   !isnan(set.precision) || set.seed != UINT64_MAX || first < argc))
		opt_bad_usage(&usage, "--resume takes all but -o, --budget and -q from the run");
	if (lock_take(&e))
		errx(1, "%s", e.text);
	process_catch_signals();
	int failed = set.resume ? resume(&run, &e)
				: begin(&run, argv, argv + first, (size_t)(argc - first), &e);
	if (failed)
		errx(1, "%s", e.text);
	rounds_prepare(&run, set.quiet);
	struct history *before = history_read(run.results.path, &e);
	if (!before || rounds_recall(&run, before, &e) ||
	    results_write_meta(&run.results, run.meta, &e))
		errx(1, "%s", e.text);
	if (rounds_measure(&run, before, &status, &e)) {
		progress_end(&run.progress);
		errx(1, "%s; what was measured is in %s and 'hbench run --resume' goes on", e.text,
		     run.results.path);
	}
	history_free(before);
	int exit_status = end(&run, status);
	finish(&run);
	return exit_status;
}
