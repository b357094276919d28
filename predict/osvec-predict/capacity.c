/* SPDX-License-Identifier: MIT */
/* osvec-predict capacity - how many units of work a machine can do in a second, and how long each
 * takes at a given load. */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "commands.h"
#include "intervals.h"
#include "util/vec.h"
#include "vector/aggregate.h"

static struct query common;
static struct intervals intervals = INTERVALS_DEFAULT;
static struct {
	double rate;
	uint64_t cpus;
	uint64_t level; /* of the last application */
} set = { .rate = NAN, .cpus = 1 };

static const double busy = 0.8; /* above it, response time is waiting for others */

static const struct opt options[] = {
	{ 'a', "application", OPT_LIST, &common.applications, "FILE", 0, 0,
	  "an application vector; repeated: a unit of each, on the same machine" },
	{ 0, "rate", OPT_NUMBER, &set.rate, "UNITS", 1e-9, 1e12,
	  "units that arrive in a second: utilization and response time" },
	{ 0, "cpus", OPT_COUNT, &set.cpus, "N", 1, 1024, "CPUs that share the work (default 1)" },
	QUERY_LEVEL(common),
	QUERY_STATE(common),
	INTERVALS_OPTIONS(intervals),
	QUERY_FORMATS(common),
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict capacity",
	"[MACHINE...]",
	"Predicts how many requests a machine can serve in a second, by their CPU time; with "
	"--rate,\n"
	"how busy it is and how long a request takes.",
	"osvec-predict capacity -a server.json -a client.json --rate 20000 --cpus 2 results/*",
};

/* What a unit of every application costs on one of the query's machines. */
struct load {
	double cpu, wait; /* seconds */
	double *samples;  /* of cpu */
};

/* Predicts one application and adds it to load[machines]. */
static void add_application(const char *path, struct load *load)
{
	struct query q = query_about(&common, path);

	q.without_quota = true;
	query_read(&q);
	query_answer(&q);
	set.level = q.level;
	for (size_t i = 0; i < q.machines.n; i++) {
		load[i].wait += query_time(&q, q.predictions[i]->wait);
		/* The doubt in it is none of the CPU time. */
		prediction_scale(q.predictions[i], 1, 1, 0);
		load[i].cpu += query_time(&q, q.predictions[i]->total);
	}
	struct samples d = intervals_sample(&intervals, &q);
	for (size_t i = 0; i < q.machines.n; i++)
		for (size_t k = 0; k < d.n; k++)
			load[i].samples[k] += query_time(&q, d.full[k * d.m + i]);
	samples_free(&d);
	for (size_t i = 0; i < q.notes.n; i++)
		query_note(&common, "%s: %s", q.application->name, q.notes.v[i]);
	query_free(&q);
}

/*
 * Appends the vector of each of the n machines on which as many copies work as there are CPUs,
 * where that was measured, and returns its number, else that of the machine.  Its costs are 1 /
 * CPUs, so that 1 / CPU time is what all of them can do together.
 */
static size_t *add_copies(size_t n)
{
	size_t *copies = xcalloc(n, sizeof(*copies));
	char *without = NULL, *smaller = NULL;
	struct error e;

	for (size_t i = 0; i < n; i++) {
		const struct machine *m = &common.machines.v[i];
		const bool measured =
		    set.cpus > 1 && osvec_has_copies(m->vector, (unsigned)set.cpus);
		struct osvec *v =
		    measured ? osvec_of_copies(m->vector, (unsigned)set.cpus, &e) : NULL;

		if (measured && !v)
			errx(1, "%s: %s", m->vector->path, e.text);
		copies[i] = v ? common.machines.n : i;
		if (!v)
			answer_join(&without, m->label);
		else
			vec_push(&common.machines, (struct machine){ v, xstrdup(v->machine) });
		if (!v && osvec_cpus(m->vector) < (double)set.cpus)
			answer_join(&smaller, m->label);
	}
	if (without && set.cpus > 1)
		query_note(&common,
			   "no entry of %" PRIu64 " copies ('hbench run --copies %" PRIu64
			   "') on %s: that many times one CPU is the most it can do",
			   set.cpus, set.cpus, without);
	if (smaller)
		query_note(&common,
			   "as if these machines, which have fewer, had %" PRIu64 " CPU%s: %s",
			   set.cpus, set.cpus > 1 ? "s" : "", smaller);
	free(without);
	free(smaller);
	return copies;
}

/*
 * The probability that all n servers are busy (Erlang 1917, formula C), each with the share
 * utilization of its time; for one it is that share.
 */
static double probability_to_wait(uint64_t n, double utilization)
{
	double offered = utilization * (double)n, blocked = 1;

	for (uint64_t k = 1; k <= n; k++)
		blocked = offered * blocked / ((double)k + offered * blocked);
	return blocked / (1 - utilization * (1 - blocked));
}

/* The mean response time when units arrive at random; NaN when the machine is too busy to say. */
static double response_time(double cpu, double wait, double utilization)
{
	double queue =
	    probability_to_wait(set.cpus, utilization) / ((double)set.cpus * (1 - utilization));

	return utilization <= busy ? wait + cpu * (1 + queue) : NAN;
}

static void put_row(struct table *t, const struct machine *m, const struct load *one,
		    const struct load *all, double share, char **too_busy)
{
	struct samples d = { .n = intervals.samples, .m = 1 };
	struct samples_interval in = samples_interval(&d, all->samples, 0, intervals.level);
	double most = 1 / (all->cpu * share), utilization = set.rate / most;

	table_text(t, m->label);
	table_seconds(t, one->cpu);
	table_seconds(t, one->wait);
	table_number(t, most, "%.4g");
	table_number(t, 1 / (in.high * share), "%.4g");
	table_number(t, 1 / (in.low * share), "%.4g");
	if (isnan(set.rate))
		return;
	table_percent(t, utilization, "%.1f %%");
	table_seconds(t,
		      response_time((double)set.cpus * all->cpu * share, one->wait, utilization));
	if (utilization > busy)
		answer_join(too_busy, m->label);
}

static void print_loads(const struct load *load, size_t n, const size_t *copies)
{
	static const struct table_column columns[] = {
		{ "machine", "machine", TABLE_NAME },
		{ "CPU time", "cpu", TABLE_RIGHT },
		{ "wait", "wait", TABLE_RIGHT },
		{ "units/s", "rate", TABLE_RIGHT },
		{ "from", "rate_low", TABLE_RIGHT },
		{ "to", "rate_high", TABLE_RIGHT },
		{ "utilization", "utilization", TABLE_RIGHT },
		{ "response", "response", TABLE_RIGHT },
	};
	struct table *t = table_new(columns, isnan(set.rate) ? 6 : 8);

	char *too_busy = NULL;

	for (size_t i = 0; i < n; i++)
		put_row(t, &common.machines.v[i], &load[i], &load[copies[i]],
			copies[i] == i ? 1 / (double)set.cpus : 1, &too_busy);
	answer_table(&common, "machines", t, true);
	if (too_busy)
		query_note(
		    &common,
		    "no response time above 80 %% utilization, where most of it is waiting for "
		    "others: %s",
		    too_busy);
	free(too_busy);
}

static void parse(int argc, char **argv)
{
	query_parse_many(&common, argc, argv, &usage, options);
	if (common.level == 1)
		opt_bad_usage(&usage, "level 0 or 2, not 1");
}

int command_capacity(int argc, char **argv)
{
	parse(argc, argv);
	query_read_machines(&common);
	size_t n = common.machines.n, *copies = add_copies(n);
	struct load *load = xcalloc(common.machines.n, sizeof(*load));

	for (size_t i = 0; i < common.machines.n; i++)
		load[i].samples = xcalloc(intervals.samples, sizeof(double));
	for (size_t i = 0; i < common.applications.n; i++)
		add_application(common.applications.v[i], load);
	common.level = set.level;
	intervals_note(&intervals, &common, NAN, NAN);
	if (common.json)
		printf("{\n");
	answer_number(&common, "cpus", (double)set.cpus);
	answer_number(&common, "rate_wanted", set.rate);
	answer_say(&common, "what %" PRIu64 " CPU%s can do, by the CPU time of a unit%s", set.cpus,
		   set.cpus == 1 ? "" : "s",
		   common.applications.n > 1 ? " of each application" : "");
	answer_say(&common, "%s", "");
	print_loads(load, n, copies);
	answer_say(
	    &common,
	    "units/s: at which %s busy all the time and the machine saturates, from - to: its "
	    "interval of probability %.2g; above 80 %% of it, responses wait for each other",
	    set.cpus == 1 ? "the CPU is" : "these CPUs are", intervals.level);
	answer_end(&common);
	for (size_t i = 0; i < common.machines.n; i++)
		free(load[i].samples);
	free(load);
	free(copies);
	query_free(&common);
	return 0;
}
