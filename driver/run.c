/* SPDX-License-Identifier: MIT */
/* hbench run: measures the entries of a suite in randomized interleaved rounds. */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "counters/event.h"
#include "hbench.h"
#include "lock.h"
#include "machine/cpus.h"
#include "measure/pmu.h"
#include "meta.h"
#include "process.h"
#include "reduction.h"
#include "rounds.h"
#include "stats/random.h"
#include "util/home.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/xalloc.h"

static struct {
	const char *suite, *results, *machine, *cpus, *directory, *copies, *events, *peer, *secret;
	double budget, precision;
	uint64_t seed;
	bool resume, quiet;
} set = { .results = "results", .precision = NAN, .seed = UINT64_MAX };

static const struct opt options[] = {
	{ 'S', "suite", OPT_STRING, &set.suite, "SUITE",
	  .help = "suite: " SUITE_NAMES " (default)" },
	{ 'o', "output", OPT_STRING, &set.results, "DIR",
	  .help = "directory of results (results)" },
	{ 'm', "machine", OPT_STRING, &set.machine, "NAME",
	  .help = "name of the platform (host name, kernel and architecture)" },
	{ 0, "budget", OPT_DURATION, &set.budget, "TIME", 0.001, 1e7,
	  "begin no round that would end later than this" },
	{ 0, "precision", OPT_PERCENT, &set.precision, "PERCENT", 0.01, 100,
	  "half-width of the 95 % interval to reach (the suite's)" },
	{ 0, "resume", OPT_FLAG, &set.resume, .help = "continue the newest unfinished run in DIR" },
	{ 0, "cpu", OPT_STRING, &set.cpus, "LIST", .help = "CPUs to use, such as 1,3-5 (all)" },
	{ 0, "copies", OPT_STRING, &set.copies, "N|all",
	  .help = "measure N copies of each entry at once, too; all: one for each CPU" },
	{ 0, "peer", OPT_STRING, &set.peer, "HOST:PORT",
	  .help = "address of an `hbench peer`, for entries that are @remote" },
	{ 0, "secret", OPT_STRING, &set.secret, "FILE",
	  .help = "file whose first line is the secret shared with the peer ($OSVEC_SECRET)" },
	{ 0, "events", OPT_STRING, &set.events, "EVENT,...",
	  .help = "also count these events per operation, such as instructions,cycles" },
	{ 0, "seed", OPT_COUNT, &set.seed, "N", 0, 1.8e19, "seed of the random order (a new one)" },
	{ 'D', "directory", OPT_STRING, &set.directory, "DIR",
	  .help = "directory for test files: choose the file system to measure (.)" },
	{ 'q', "quiet", OPT_FLAG, &set.quiet, .help = "print no progress" },
	{ 0 }
};

static const struct opt_usage usage = {
	"hbench run",
	"[LINE... | SUITE | PATTERN...]",
	"Measures what this machine's operating system primitives cost: LINEs such as\n"
	"'lat_roundtrip pipe 8k', or a SUITE, or the entries of a suite that a PATTERN chooses.",
	"hbench run 'lat_roundtrip pipe 8k' 'lat_syscall getppid'",
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

/* --budget overrides the suite's. */
static void apply_budget(struct run *run)
{
	if (set.budget > 0)
		run->suite->settings.budget = set.budget;
}

static void apply_copies(struct run *run)
{
	uint64_t n = run->plan.ncpus;

	if (set.copies && strcmp(set.copies, "all") &&
	    (!number_parse_u64(set.copies, &n) || n < 1 || n > SUITE_COPIES_MAX))
		opt_bad_usage(&usage, "--copies %s: not all or a number from 1 to %d", set.copies,
			      SUITE_COPIES_MAX);
	if (set.copies)
		suite_add_copies(run->suite, (unsigned)n);
}

/* This process keeps to the CPUs of the run, too, so that the suite knows how many there are. */
static int choose_cpus(struct plan *plan, struct error *e)
{
	cpu_set_t allowed;

	plan->ncpus = cpus_allowed(plan->cpus);
	if (!set.cpus)
		return 0;
	if (cpus_parse(set.cpus, plan->cpus, &plan->ncpus, e)) {
		if (errno == EINVAL)
			opt_bad_usage(&usage, "--cpu %s", e->text);
		return -1;
	}
	CPU_ZERO(&allowed);
	for (size_t i = 0; i < plan->ncpus; i++)
		CPU_SET(plan->cpus[i], &allowed);
	return sched_setaffinity(0, sizeof(allowed), &allowed)
		   ? error_set(e, "--cpu %s: %s", set.cpus, strerror(errno))
		   : 0;
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
	if (choose_cpus(&run->plan, e))
		return -1;
	const char *suite = set.peer && !n && !set.suite ? "remote" : set.suite;
	run->suite = suite_from_operands(suite, operands, n, run->plan.programs, e);
	if (!run->suite && errno == EINVAL) /* bad usage */
		errx(2, "%s", e->text);
	if (!run->suite)
		return -1;
	if (set.peer && (peer_check_suite(run->suite, e) ||
			 peer_find(&run->plan.peer, set.peer, set.secret, e)))
		return -1;
	if (!isnan(set.precision))
		run->suite->settings.precision = set.precision / 100;
	apply_budget(run);
	run->plan.directory = realpath(directory, NULL);
	if (!run->plan.directory || stat(run->plan.directory, &st))
		return error_set(e, "%s: %s: choose a directory by -D", directory, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return error_set(e, "%s: not a directory", directory);
	apply_copies(run);
	run->plan.events = set.events ? xstrdup(set.events) : NULL;
	run->plan.seed = set.seed != UINT64_MAX ? set.seed : random_fresh_seed();
	if (lock_machine(e) || results_create(&run->results, set.results, machine, e))
		return -1;
	free(machine);
	run->meta = meta_new(&run->results, run->suite, &run->plan, argv);
	return 0;
}

/* An old run from its directory. */
static int resume(struct run *run, struct error *e)
{
	char *path = results_locate(set.results, true, e);

	if (!path || lock_machine(e) || results_resume(&run->results, path, e))
		return -1;
	run->meta = results_read_meta(path, e);
	if (!run->meta)
		return -1;
	char *peer = meta_peer(run->meta);
	if (peer && peer_find(&run->plan.peer, peer, set.secret, e))
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

/* Ends a run that could not go on, on a full disk as a rule. */
_Noreturn static void stop_with(const struct run *run, const struct error *e)
{
	errx(1, "%s; what was measured is kept: 'hbench run --resume -o %s' goes on", e->text,
	     run->results.path);
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
		stop_with(run, &e);
	struct operand m;
	if (operand_read(&m, run->results.path, ESTIMATE_HODGES_LEHMANN, &e) ||
	    summary_write(&m, &e) || osvec_write(m.vector, vector, &e))
		stop_with(run, &e);
	summary_print(&m, stdout);
	bool measured = m.run->n > 0;
	operand_free(&m);
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
	peer_free(&run->plan.peer);
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
	int counted = set.events ? pmu_open(set.events, &e) : 0;
	if (counted == EVENT_UNSUPPORTED)
		warnx("--events: not measured: %s", e.text);
	else if (counted)
		opt_bad_usage(&usage, "--events: %s", e.text);
	pmu_close();
	process_catch_signals();
	int failed = set.resume ? resume(&run, &e)
				: begin(&run, argv, argv + first, (size_t)(argc - first), &e);
	if (failed)
		errx(1, "%s", e.text);
	rounds_prepare(&run, set.quiet);
	size_t leftovers = process_remove_leftovers(run.plan.directory);
	if (leftovers)
		progress_line(&run.progress,
			      "removed %zu director%s that killed benchmarks left in %s", leftovers,
			      leftovers == 1 ? "y" : "ies", run.plan.directory);
	struct history *before = history_read(run.results.path, &e);
	if (!before || rounds_recall(&run, before, &e) || rounds_resolve_levels(&run, &e) ||
	    results_write_meta(&run.results, run.meta, &e))
		errx(1, "%s", e.text);
	if (rounds_measure(&run, before, &status, &e)) {
		progress_end(&run.progress);
		stop_with(&run, &e);
	}
	history_free(before);
	int exit_status = end(&run, status);
	finish(&run);
	return exit_status;
}
