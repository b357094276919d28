/* SPDX-License-Identifier: MIT */
#include "measure/bench.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure/account.h"
#include "measure/clock.h"
#include "measure/copies.h"
#include "measure/engine.h"
#include "measure/parameter.h"
#include "measure/parties.h"
#include "measure/placement.h"
#include "measure/pmu.h"
#include "measure/report.h"
#include "measure/watchdog.h"
#include "machine/caches.h"
#include "machine/cpus.h"
#include "util/opt.h"

static struct {
	double target;
	uint64_t batches, iterations, footprint;
	bool cold, shared, bare, json, list;
	const char *placement, *peer, *clock, *events, *directory;
} set = { .footprint = CACHES_ALL, .directory = "." };

static const struct opt options[] = {
	{ 'T', NULL, OPT_DURATION, &set.target, "TIME", 1e-6, 1000,
	  "length of a batch (1ms; of user time: 10ms)" },
	{ 'B', NULL, OPT_COUNT, &set.batches, "N", 1, 1e5, "batches (5)" },
	{ 'N', NULL, OPT_COUNT, &set.iterations, "N", 1, 1e15, "operations per batch (found)" },
	{ '1', NULL, OPT_FLAG, &set.cold, .help = "one operation with cold caches (batches: 1)" },
	{ 'F', NULL, OPT_SIZE, &set.footprint, "SIZE", 0, CACHES_DATA,
	  "single operations after SIZE of other data and code" },
	{ 'M', NULL, OPT_FLAG, &parties.threaded,
	  .help = "a second, idle thread in the process; with -X, copies are threads" },
	{ 'X', NULL, OPT_COUNT, &parties.copies, "N", 1, BENCH_COPIES,
	  "copies at once, each a process or with -M a thread (1)" },
	{ 'S', NULL, OPT_FLAG, &set.shared, .help = "the copies share one object" },
	{ 'P', NULL, OPT_STRING, &set.placement, "WHERE",
	  .help = "CPUs: same|sibling|other|far|package|apart|free|remote or CPU[,CPU]" },
	{ 0, "peer", OPT_STRING, &set.peer, "HOST:PORT",
	  .help = "address of an `hbench peer` on another machine; implies -P remote" },
	{ 'C', NULL, OPT_STRING, &set.clock, "CLOCK",
	  .help = "clock: tsc|clock|pmu|cpu (the best)" },
	{ 'E', NULL, OPT_STRING, &set.events, "EVENT,...", .help = "count events per operation" },
	{ 'D', NULL, OPT_STRING, &set.directory, "DIR", .help = "directory for test files (.)" },
	{ 'G', NULL, OPT_FLAG, &set.bare,
	  .help = "only the batches: no reference loops, none repeated when interrupted" },
	{ 'J', NULL, OPT_FLAG, &set.json, .help = "print all as one JSON object" },
	{ 'L', NULL, OPT_FLAG, &set.list,
	  .help = "describe the program, with -J the entry, as JSON" },
	{ 0 }
};

static const struct bench_parameter *parameters;
static struct parameter_values values;

/* The share of wall time surely taken by the hypervisor, or by a CPU quota, above which a
 * measurement is DISTURBED. */
static const double stolen_most = 0.1;
/* Seconds that a batch may take besides as many times its target. */
static const double patience = 10;

void bench_flag(const char *word)
{
	report_add_flag(word);
}

uint64_t bench_number(size_t i)
{
	return values.v[i].number;
}

size_t bench_choice(size_t i)
{
	return (size_t)values.v[i].number;
}

const char *bench_directory(void)
{
	return set.directory;
}

const char *bench_peer(void)
{
	return parties.placed.placement == PLACEMENT_REMOTE ? set.peer : NULL;
}

size_t bench_copy(void)
{
	return copies_index();
}

bool bench_is_shared(void)
{
	return set.shared;
}

static enum placement usual_placement(const struct bench *bench)
{
	return bench->parties == BENCH_APART ? PLACEMENT_APART : PLACEMENT_SAME;
}

/* The summary and the parameters: what -h shows between synopsis and options. */
static char *summary_text(const struct bench *bench)
{
	const int gap = 29; /* as wide as the options and their arguments below */
	char *text = xasprintf("%s\nOperation: %s.\n", bench->summary, bench->operation);

	if (bench->parties != BENCH_ONE)
		text = xappend(text, "Two parties: -P %s unless another is asked for.\n",
			       placement_name(usual_placement(bench)));
	return parameter_explain(parameters, gap, text);
}

static int choose_clock(const struct bench *bench, struct error *e)
{
	if (set.clock)
		return clock_choose((enum clock_source)clock_find(set.clock), e);
	if (bench->cpu_time && bench->cpu_time())
		return clock_choose(CLOCK_CPU, e);
	clock_choose_best();
	return 0;
}

/* Makes way for copies; those that are processes with objects of their own part here, before they
 * make them.  NULL, or why there cannot be copies as asked for. */
static const char *prepare_copies(const struct bench *bench)
{
	if (set.cold || set.footprint != CACHES_ALL)
		return "copies do no single operations (-1, -F)";
	if (parties.placed.placement != PLACEMENT_FREE &&
	    parties.placed.placement != PLACEMENT_REMOTE &&
	    parties.placed.placement != usual_placement(bench))
		return "copies have a CPU each, or with -P free any";
	const char *reason = copies_reason(bench, parties.threaded, set.shared);
	if (reason)
		return reason;
	if (parties.copies > parties.ncpus)
		bench_flag("CROWDED");
	copies_open(parties.copies, parties.cpus, parties.placed.cpu < 0 ? 0 : parties.ncpus);
	if (parties.threaded || set.shared)
		return NULL;
	copies_fork();
	size_t i = copies_index(), next = parties.placed.placement == PLACEMENT_APART;
	if (i && parties.placed.cpu >= 0)
		parties.placed =
		    (struct placed){ parties.placed.placement, parties.cpus[i % parties.ncpus],
				     parties.cpus[(i + next) % parties.ncpus] };
	return NULL;
}

/* Why this cannot be measured here (valid until the next call), or NULL. */
static const char *find_unsupported(const struct bench *bench)
{
	enum { DESCRIPTORS = 32 }; /* few benchmarks need more, and say so */
	static struct error e;
	struct rlimit files;

	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < DESCRIPTORS)
		return "fewer than 32 files may be open: raise it by ulimit -n";
	if (parties.placed.placement == PLACEMENT_REMOTE && !bench->remote)
		return "nothing of this benchmark can be done by a peer on another machine";
	if (parties.placed.placement == PLACEMENT_REMOTE && !set.peer)
		return "no peer on another machine was given: --peer HOST:PORT";
	if (choose_clock(bench, &e) || placement_resolve(&parties.placed, &e))
		return e.text;
	if (parties.placed.placement == PLACEMENT_APART &&
	    cpus_relation(parties.placed.cpu, parties.placed.peer) == CPUS_SIBLINGS)
		bench_flag("SIBLING");
	parties_find_cpus();
	const char *reason = parties.copies > 1 ? prepare_copies(bench) : NULL;
	if (reason)
		return reason;
	/* The CPU of the other party is tried here, where it can still be refused. */
	if (cpus_pin(parties.placed.peer, &e) || cpus_pin(parties.placed.cpu, &e))
		return e.text;
	if (!clock_runs_in_sleep() && bench->parties == BENCH_TWO)
		return "-C pmu and -C cpu count for one thread, and this benchmark has two parties";
	return bench->supported ? bench->supported() : NULL;
}

static int refuse(const struct invocation *subject, const char *reason)
{
	if (copies_index())
		copies_refuse(reason);
	if (set.json)
		report_unsupported(stdout, subject, reason);
	warnx("not supported here: %s", reason);
	return opt_finish(3);
}

static enum account_scope scope(const struct bench *bench)
{
	if (parties.copies > 1 && parties.threaded)
		return ACCOUNT_THREAD;
	if (bench->parties == BENCH_APART)
		return ACCOUNT_CALLER;
	if (bench->parties == BENCH_ONE || parties.placed.peer == parties.placed.cpu)
		return parties.placed.cpu < 0 && bench->parties == BENCH_TWO ? ACCOUNT_FREE
									     : ACCOUNT_TOGETHER;
	return ACCOUNT_APART;
}

/* Those on which all that runs of this benchmark is on the account. */
static void watch_cpus(const struct bench *bench)
{
	if (scope(bench) != ACCOUNT_CALLER || bench_is_apart())
		parties_watch(parties.placed.cpu);
	if (scope(bench) == ACCOUNT_APART)
		parties_watch(parties.placed.peer);
}

/* The others join the first, which waits for them.  NULL, or why one cannot. */
static const char *join_copies(const struct bench *bench)
{
	if (parties.copies == 1)
		return NULL;
	if (parties.threaded)
		copies_start_threads(bench, set.shared);
	else if (set.shared)
		copies_fork();
	copies_settle(scope(bench));
	return copies_index() ? NULL : copies_await();
}

/* Seconds that a batch lasts unless -T says.  Copies that share a CPU take turns of milliseconds,
 * so that theirs are long.  What makes no calls begins with caches that the calls between batches,
 * or others meanwhile, have left cold, which calls in a loop meet each time. */
static double usual_target(const struct bench *bench)
{
	const double turns = 0.1;

	uint64_t share = parties.copies / parties.ncpus; /* of a CPU's turns */

	if (parties.copies > parties.ncpus)
		return turns * (double)share;
	return bench->computes ? 10e-3 : 1e-3;
}

/* Time that nobody was charged for, or that others had, since a measurement began. */
struct losses {
	double steal, throttled;
};

static struct losses read_losses(void)
{
	return (struct losses){ parties_stolen(), cpus_throttled() };
}

/* The same from then on, and a flag if it was much of wall seconds. */
static struct losses judge_losses(const struct losses *then, double wall, struct measurement *m)
{
	struct losses l = read_losses();

	l.steal -= then->steal;
	l.throttled -= then->throttled;
	if (l.steal - cpus_tick() > stolen_most * wall || l.throttled > stolen_most * wall)
		m->flags |= FLAG_DISTURBED;
	return l;
}

static void open_events(void)
{
	struct error e;

	if (set.events && parties.copies > 1)
		warnx("-E: not measured: events are not counted of copies (-X)");
	else if (set.events && pmu_open(set.events, &e))
		warnx("-E: not measured: %s", e.text);
}

/* What the front end makes before the benchmark's first batch.  NULL, or why it cannot. */
static const char *set_up(const struct bench *bench)
{
	if (parties.threaded && parties.copies == 1)
		parties_start_idle_thread();
	if (bench->setup)
		bench->setup();
	return join_copies(bench);
}

static int follow(const struct bench *bench)
{
	copies_follow(bench);
	parties_reap();
	return 0;
}

static int measure(const struct invocation *subject, uint64_t start)
{
	const struct bench *bench = subject->bench;
	const int both[] = { parties.placed.cpu, parties.placed.peer };
	const struct eviction eviction = { set.footprint, set.cold ? both : NULL };
	bool single = set.cold || subject->footprint;
	const struct engine_plan plan = {
		.target = set.target > 0 ? set.target : usual_target(bench),
		.batches = set.batches,
		.iterations = set.iterations,
		.eviction = single ? &eviction : NULL,
		.bare = set.bare,
	};
	struct measurement m;
	struct error e;

	open_events();
	account_open(scope(bench));
	watch_cpus(bench);
	struct losses losses = read_losses();
	const char *reason = set_up(bench);
	if (reason)
		return refuse(subject, reason);
	if (copies_index())
		return follow(bench);
	if (!set.iterations)
		watchdog_start(patience + patience * plan.target);
	if (engine_measure(&m, bench, &plan, &e))
		errx(1, "%s", e.text);
	double wall = (double)(clock_nanoseconds() - start) * 1e-9;
	losses = judge_losses(&losses, wall, &m);
	parties_reap();
	copies_finish();
	if (single && !caches_run_code())
		bench_flag("NOCODE");
	if (scope(bench) == ACCOUNT_FREE)
		bench_flag("UNSEEN");
	if (set.json)
		report_json(stdout, subject, &m, losses.steal, wall);
	else
		report_line(stdout, &m);
	measurement_free(&m);
	return opt_finish(0);
}

/* Reads the command line into set, values and parties.placed. */
static void parse(int argc, char **argv, const struct bench *bench)
{
	char *operands = parameter_synopsis(parameters), *summary = summary_text(bench);
	const struct opt_usage usage = {
		program_invocation_short_name,
		*operands ? operands : NULL,
		summary,
		NULL,
	};
	struct error e;

	int first = opt_parse_mixed(argc, argv, &usage, options);
	if (!set.placement)
		set.placement =
		    placement_name(set.peer ? PLACEMENT_REMOTE : usual_placement(bench));
	if (placement_parse(set.placement, &parties.placed, &e))
		opt_bad_usage(&usage, "-P: %s", e.text);
	if (set.peer && parties.placed.placement != PLACEMENT_REMOTE)
		opt_bad_usage(&usage, "--peer goes with -P remote only");
	if (bench->parties == BENCH_ONE && parties.placed.placement != PLACEMENT_SAME &&
	    parties.placed.placement != PLACEMENT_FREE &&
	    parties.placed.placement != PLACEMENT_REMOTE)
		opt_bad_usage(&usage, "-P %s: this benchmark has one party only", set.placement);
	if ((set.json || !set.list) &&
	    parameter_parse(parameters, argv + first, (size_t)(argc - first), &values, &e))
		opt_bad_usage(&usage, "%s", e.text);
	bool after = set.footprint != CACHES_ALL;
	if (set.cold && after)
		opt_bad_usage(&usage, "-1 empties the caches: it goes without -F");
	if ((set.cold || after) && set.iterations)
		opt_bad_usage(&usage, "-1 and -F measure single operations: without -N");
	if (set.shared && parties.copies == 1)
		opt_bad_usage(&usage, "-S: a single copy shares with nobody; say how many by -X");
	if (set.clock && clock_find(set.clock) < 0)
		opt_bad_usage(&usage, "-C %s: not tsc, clock, pmu or cpu", set.clock);
	free(operands);
	free(summary);
}

int bench_main(int argc, char **argv, const struct bench *bench)
{
	uint64_t start = clock_nanoseconds();

	parameters = bench->parameters;
	parse(argc, argv, bench);
	if (set.list && !set.json) {
		report_description(stdout, program_invocation_short_name, bench);
		return opt_finish(0);
	}
	struct invocation subject = {
		.program = program_invocation_short_name,
		.bench = bench,
		.values = &values,
		.placed = parties.placed,
		.usual = usual_placement(bench),
		.threaded = parties.threaded,
		.shared = set.shared,
		.copies = parties.copies,
		.cold = set.cold,
		.footprint = set.footprint == CACHES_ALL ? NULL : &set.footprint,
	};
	if (set.list) {
		report_entry(stdout, &subject);
		return opt_finish(0);
	}
	const char *reason = find_unsupported(bench);
	subject.placed = parties.placed;
	return reason ? refuse(&subject, reason) : measure(&subject, start);
}
