/* SPDX-License-Identifier: MIT */
#include "measure/bench.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/account.h"
#include "measure/canary.h"
#include "measure/clock.h"
#include "measure/copies.h"
#include "measure/engine.h"
#include "measure/parameter.h"
#include "measure/placement.h"
#include "measure/pmu.h"
#include "measure/report.h"
#include "measure/watchdog.h"
#include "machine/caches.h"
#include "machine/cpus.h"
#include "util/opt.h"
#include "util/vec.h"
#include "util/xalloc.h"

static struct {
	double target;
	uint64_t batches, iterations, footprint, copies;
	bool cold, threaded, shared, bare, json, list;
	const char *placement, *peer, *clock, *events, *directory;
} set = { .footprint = CACHES_ALL, .copies = 1, .directory = "." };

static const struct opt options[] = {
	{ 'T', NULL, OPT_DURATION, &set.target, "TIME", 1e-6, 1000, "length of a batch (1ms)" },
	{ 'B', NULL, OPT_COUNT, &set.batches, "N", 1, 1e5, "batches (5)" },
	{ 'N', NULL, OPT_COUNT, &set.iterations, "N", 1, 1e15, "operations per batch (found)" },
	{ '1', NULL, OPT_FLAG, &set.cold, .help = "one operation with cold caches (batches: 1)" },
	{ 'F', NULL, OPT_SIZE, &set.footprint, "SIZE", 0, CACHES_DATA,
	  "single operations after SIZE of other data and code" },
	{ 'M', NULL, OPT_FLAG, &set.threaded,
	  .help = "a second, idle thread in the process; with -X, copies are threads" },
	{ 'X', NULL, OPT_COUNT, &set.copies, "N", 1, BENCH_COPIES,
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
static struct placed placed;

static int cpus[CPU_SETSIZE]; /* that this process may use, in the order of bench_place */
static size_t ncpus;

static VEC(pid_t) children; /* of bench_fork, still there */

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
	return placed.placement == PLACEMENT_REMOTE ? set.peer : NULL;
}

/* Copies have CPUs that others of them may want, too. */
static void watch_cpu(int cpu)
{
	if (set.copies == 1)
		account_add_cpu(cpu);
}

static void place(int cpu)
{
	pid_t thread = (pid_t)syscall(SYS_gettid);
	struct error e;

	if (thread != getpid()) {
		account_add_thread(thread, cpu != placed.cpu);
		watch_cpu(cpu);
	}
	if (cpus_pin(cpu, &e))
		errx(1, "%s", e.text);
}

void bench_place_peer(void)
{
	place(placed.peer);
}

/* Before this process is pinned. */
static void find_cpus(void)
{
	int allowed[CPU_SETSIZE];
	size_t n = cpus_allowed(allowed);

	if (placed.cpu >= 0)
		cpus[ncpus++] = placed.cpu;
	for (int near = 0; near < 2; near++)
		for (size_t i = 0; i < n; i++)
			if (allowed[i] != placed.cpu &&
			    (placed.cpu >= 0 &&
			     cpus_relation(allowed[i], placed.cpu) == CPUS_SIBLINGS) == near)
				cpus[ncpus++] = allowed[i];
	if (!ncpus) /* no list was to be had */
		cpus[ncpus++] = placed.cpu;
}

size_t bench_cpus(void)
{
	return set.copies > 1 ? 1 : ncpus;
}

size_t bench_copies(void)
{
	return set.copies;
}

size_t bench_copy(void)
{
	return copies_index();
}

bool bench_is_shared(void)
{
	return set.shared;
}

bool bench_is_threaded(void)
{
	return set.threaded;
}

void bench_place(size_t i)
{
	if (placed.cpu >= 0)
		place(cpus[i]);
}

bool bench_is_apart(void)
{
	return placed.peer != placed.cpu;
}

static void *idle(void *unused)
{
	while (pause())
		;
	return unused;
}

/* Gives this process a second thread, which sleeps and leaves all signals to the first. */
static void start_idle_thread(void)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = pthread_create(&thread, NULL, idle, NULL);
	if (errno)
		err(1, "thread");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int bench_fork(void)
{
	pid_t parent = getpid();

	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL))
			err(1, "prctl");
		if (getppid() != parent)
			_exit(1);
		bench_place_peer();
		if (set.threaded)
			start_idle_thread();
		return 0;
	}
	vec_push(&children, pid);
	account_add_process(pid);
	return pid;
}

void bench_reap(int pid)
{
	account_remove(pid);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	for (size_t i = 0; i < children.n; i++)
		if (children.v[i] == pid)
			children.v[i--] = children.v[--children.n];
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
	if (placed.placement != PLACEMENT_FREE && placed.placement != PLACEMENT_REMOTE &&
	    placed.placement != usual_placement(bench))
		return "copies have a CPU each, or with -P free any";
	const char *reason = copies_reason(bench, set.threaded, set.shared);
	if (reason)
		return reason;
	if (set.copies > ncpus)
		bench_flag("CROWDED");
	copies_open(set.copies, cpus, placed.cpu < 0 ? 0 : ncpus);
	if (set.threaded || set.shared)
		return NULL;
	copies_fork();
	size_t i = copies_index(), next = placed.placement == PLACEMENT_APART;
	if (i && placed.cpu >= 0)
		placed =
		    (struct placed){ placed.placement, cpus[i % ncpus], cpus[(i + next) % ncpus] };
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
	if (placed.placement == PLACEMENT_REMOTE && !bench->remote)
		return "nothing of this benchmark can be done by a peer on another machine";
	if (placed.placement == PLACEMENT_REMOTE && !set.peer)
		return "no peer on another machine was given: --peer HOST:PORT";
	if (choose_clock(bench, &e) || placement_resolve(&placed, &e))
		return e.text;
	if (placed.placement == PLACEMENT_APART &&
	    cpus_relation(placed.cpu, placed.peer) == CPUS_SIBLINGS)
		bench_flag("SIBLING");
	find_cpus();
	const char *reason = set.copies > 1 ? prepare_copies(bench) : NULL;
	if (reason)
		return reason;
	if (cpus_pin(placed.cpu, &e))
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

/* Seconds stolen so far from the CPUs of both parties, or NaN. */
static double stolen(void)
{
	double steal = cpus_steal(placed.cpu);

	return placed.peer == placed.cpu ? steal : steal + cpus_steal(placed.peer);
}

static enum account_scope scope(const struct bench *bench)
{
	if (set.copies > 1 && set.threaded)
		return ACCOUNT_THREAD;
	if (bench->parties == BENCH_APART)
		return ACCOUNT_CALLER;
	if (bench->parties == BENCH_ONE || placed.peer == placed.cpu)
		return placed.cpu < 0 && bench->parties == BENCH_TWO ? ACCOUNT_FREE
								     : ACCOUNT_TOGETHER;
	return ACCOUNT_APART;
}

/* Those on which all that runs of this benchmark is on the account. */
static void watch_cpus(const struct bench *bench)
{
	if (scope(bench) != ACCOUNT_CALLER || bench_is_apart())
		watch_cpu(placed.cpu);
	if (scope(bench) == ACCOUNT_APART)
		watch_cpu(placed.peer);
}

/* The others join the first, which waits for them.  NULL, or why one cannot. */
static const char *join_copies(const struct bench *bench)
{
	if (set.copies == 1)
		return NULL;
	if (set.threaded)
		copies_start_threads(bench, set.shared);
	else if (set.shared)
		copies_fork();
	copies_settle(scope(bench));
	return copies_index() ? NULL : copies_await();
}

static void reap_all(void)
{
	while (children.n)
		bench_reap(children.v[0]);
}

/* Seconds that a batch lasts unless -T says.  Copies that share a CPU take turns of milliseconds,
 * so that theirs are long. */
static double usual_target(void)
{
	const double turns = 0.1;

	return set.copies > ncpus ? turns * (double)(set.copies / ncpus) : 1e-3;
}

static int measure(const struct invocation *subject, uint64_t start)
{
	const struct bench *bench = subject->bench;
	const int parties[] = { placed.cpu, placed.peer };
	const struct chill chill = { set.footprint, set.cold ? parties : NULL };
	bool single = set.cold || subject->footprint;
	const struct engine_plan plan = {
		.target = set.target > 0 ? set.target : usual_target(),
		.batches = set.batches,
		.iterations = set.iterations,
		.chill = single ? &chill : NULL,
		.bare = set.bare,
	};
	struct measurement m;
	struct error e;

	if (set.events && set.copies > 1)
		warnx("-E: not measured: events are not counted of copies (-X)");
	else if (set.events && pmu_open(set.events, &e))
		warnx("-E: not measured: %s", e.text);
	account_open(scope(bench));
	watch_cpus(bench);
	double steal = stolen(), throttled = cpus_throttled();
	if (set.threaded && set.copies == 1)
		start_idle_thread();
	if (!plan.bare)
		canaries_prepare();
	if (bench->setup)
		bench->setup();
	const char *reason = join_copies(bench);
	if (reason)
		return refuse(subject, reason);
	if (copies_index()) {
		copies_follow(bench);
		reap_all();
		return 0;
	}
	if (!set.iterations)
		watchdog_start(patience + patience * plan.target);
	if (engine_measure(&m, bench, &plan, &e))
		errx(1, "%s", e.text);
	steal = stolen() - steal;
	throttled = cpus_throttled() - throttled;
	reap_all();
	copies_finish();
	double wall = (double)(clock_nanoseconds() - start) * 1e-9;
	if (steal - cpus_tick() > stolen_most * wall || throttled > stolen_most * wall)
		m.flags |= FLAG_DISTURBED;
	if (single && !caches_run_code())
		bench_flag("NOCODE");
	if (scope(bench) == ACCOUNT_FREE)
		bench_flag("UNSEEN");
	if (set.json)
		report_json(stdout, subject, &m, steal, wall);
	else
		report_line(stdout, &m);
	measurement_free(&m);
	return opt_finish(0);
}

/* Reads the command line into set, values and placed. */
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
	if (placement_parse(set.placement, &placed, &e))
		opt_bad_usage(&usage, "-P: %s", e.text);
	if (set.peer && placed.placement != PLACEMENT_REMOTE)
		opt_bad_usage(&usage, "--peer goes with -P remote only");
	if (bench->parties == BENCH_ONE && placed.placement != PLACEMENT_SAME &&
	    placed.placement != PLACEMENT_FREE && placed.placement != PLACEMENT_REMOTE)
		opt_bad_usage(&usage, "-P %s: this benchmark has one party only", set.placement);
	if ((set.json || !set.list) &&
	    parameter_parse(parameters, argv + first, (size_t)(argc - first), &values, &e))
		opt_bad_usage(&usage, "%s", e.text);
	bool after = set.footprint != CACHES_ALL;
	if (set.cold && after)
		opt_bad_usage(&usage, "-1 empties the caches: it goes without -F");
	if ((set.cold || after) && set.iterations)
		opt_bad_usage(&usage, "-1 and -F measure single operations: without -N");
	if (set.shared && set.copies == 1)
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
		.placed = placed,
		.usual = usual_placement(bench),
		.threaded = set.threaded,
		.shared = set.shared,
		.copies = set.copies,
		.cold = set.cold,
		.footprint = set.footprint == CACHES_ALL ? NULL : &set.footprint,
	};
	if (set.list) {
		report_entry(stdout, &subject);
		return opt_finish(0);
	}
	const char *reason = find_unsupported(bench);
	subject.placed = placed;
	return reason ? refuse(&subject, reason) : measure(&subject, start);
}
