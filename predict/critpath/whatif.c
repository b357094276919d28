/* SPDX-License-Identifier: MIT */
/* critpath whatif: forecasts how long the run would take if states, waits, queues or CPUs were
 * different. */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "../common/hypotheses.h"
#include "caveat.h"
#include "events.h"
#include "../common/load.h"
#include "machine.h"
#include "util/number.h"

static struct {
	struct load load;
	struct opt_list scale, remove, capacity, workers, event;
	const char *curve, *cpus, *formulas;
	uint64_t ncpus; /* in --cpus */
	struct machine_question machine;
	double unchanged; /* ns that the simulation of the unchanged run takes; NaN: unknown */
} set = { .load = LOAD_DEFAULT };

static const struct opt options[] = {
	{ 0, "scale", OPT_LIST, &set.scale, "STATE=FACTOR", 0, 0,
	  "this state takes FACTOR times as long: 'gzip user=0.5', 'gzip *=2'" },
	{ 0, "remove", OPT_LIST, &set.remove, "STATE", 0, 0,
	  "this state takes no time and is not waited for: 'gzip write pipe'" },
	{ 0, "capacity", OPT_LIST, &set.capacity, "QUEUE=N", 0, 0,
	  "these queues (pipe, tcp, a mark's) have room for N, Nx or inf units" },
	{ 0, "workers", OPT_LIST, &set.workers, "PROGRAM=N", 0, 0,
	  "N threads share the connections of each of its threads" },
	{ 0, "cpus", OPT_STRING, &set.cpus, "N|+N", 0, 0, "there are N CPUs, or N more" },
	{ 0, "event", OPT_LIST, &set.event, "PART=FACTOR|EVENT=FACTOR@TIME", 0, 0,
	  "this part of the stack of cpistack takes FACTOR times as long" },
	{ 0, "formulas", OPT_STRING, &set.formulas, "FILE", 0, 0,
	  "with --event: formulas from there, not conf/cpi.conf" },
	{ 0, "curve", OPT_STRING, &set.curve, "STATE", 0, 0,
	  "the run time with this state at 0, 1/16 ... 2 times its length" },
	{ 0, "machine", OPT_LIST, &set.machine.machines, "FROM=TO", 0, 0,
	  "on another machine: OS vectors of the traced one and of the other" },
	{ 0, "recorder", OPT_DURATION, &set.machine.recorder, "TIME", 0, 1,
	  "with --machine: user time that recording added to each call" },
	LOAD_OPTIONS(set.load),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "critpath whatif",
	.operands = "TRACE",
	.summary =
	    "Forecasts how long the run would take after each change, and after all of them.",
	.example = "critpath whatif --scale 'gzip user=0.5' --capacity pipe=inf app.ktr",
};

/* The first two hypotheses. */
enum { NOTHING, ALL };

enum { CPUS_MOST = 10000 };

static const struct {
	const struct opt_list *list;
	const char *option;
	int (*change)(struct hypotheses *h, const struct graph *g, size_t number, const char *words,
		      struct error *e);
} kinds[] = {
	{ &set.scale, "--scale", hypotheses_scale },
	{ &set.remove, "--remove", hypotheses_remove_state },
	{ &set.capacity, "--capacity", hypotheses_capacity },
	{ &set.workers, "--workers", hypotheses_workers },
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static struct hypotheses hypotheses;
static VEC(char *) names; /* of the hypotheses */

/* Returns how many changes are asked for, without those of --cpus and --curve. */
static size_t changes(void)
{
	return set.scale.n + set.remove.n + set.capacity.n + set.workers.n + set.event.n;
}

static void check_options(void)
{
	bool machines = set.machine.machines.n > 0, others = changes() || set.curve;

	if (machines && others)
		opt_bad_usage(&usage, "--machine can be combined with --cpus only");
	if (!machines && !others && !set.cpus)
		opt_bad_usage(&usage,
			      "no change given: use --scale, --remove, --capacity, --workers, "
			      "--event, --cpus, --curve or --machine");
	if (set.machine.recorder > 0 && !machines)
		opt_bad_usage(&usage, "--recorder is of --machine");
	if (set.formulas && !set.event.n)
		opt_bad_usage(&usage, "--formulas is of --event");
}

/* Refuses words of another form before the trace is read, which may take long. */
static void check_words(void)
{
	const struct graph none = { 0 };
	struct hypotheses h = { 0 };
	struct error e;

	hypotheses_add(&h, &none);
	for (size_t k = 0; k < KINDS; k++)
		for (size_t i = 0; i < kinds[k].list->n; i++)
			if (kinds[k].change(&h, &none, 0, kinds[k].list->v[i], &e) ==
			    HYPOTHESIS_MALFORMED)
				opt_bad_usage(&usage, "%s", e.text);
	hypotheses_free(&h);
	for (size_t i = 0; i < set.event.n; i++)
		if (events_check(set.event.v[i], &e))
			opt_bad_usage(&usage, "%s", e.text);
	if (set.cpus && (!number_parse_u64(set.cpus + (*set.cpus == '+'), &set.ncpus) ||
			 set.ncpus > CPUS_MOST || (*set.cpus != '+' && !set.ncpus)))
		opt_bad_usage(&usage, "--cpus %s: not N or +N, with at most %d", set.cpus,
			      CPUS_MOST);
	for (size_t i = 0; i < set.machine.machines.n; i++) {
		const char *words = set.machine.machines.v[i], *equals = strchr(words, '=');

		if (!equals || equals == words || !equals[1])
			opt_bad_usage(&usage, "--machine %s: not FROM=TO, with two OS vectors",
				      words);
	}
}

/* Adds each change as a hypothesis of its own and to the one for all changes. */
static void add_changes(void)
{
	const struct graph *g = &set.load.graph;
	struct error e;

	for (size_t k = 0; k < KINDS; k++)
		for (size_t i = 0; i < kinds[k].list->n; i++) {
			const char *words = kinds[k].list->v[i];
			size_t number = hypotheses_add(&hypotheses, g);

			if (kinds[k].change(&hypotheses, g, number, words, &e) ||
			    kinds[k].change(&hypotheses, g, ALL, words, &e))
				errx(1, "%s", e.text);
			vec_push(&names, xasprintf("%s %s", kinds[k].option, words));
		}
}

static void add_events(void)
{
	struct error e;

	for (size_t i = 0; i < set.event.n; i++) {
		size_t number = hypotheses_add(&hypotheses, &set.load.graph);
		const char *words = set.event.v[i];
		double share =
		    events_change(&hypotheses.v[number], &set.load, set.formulas, words, &e);

		if (share < 0 ||
		    events_change(&hypotheses.v[ALL], &set.load, set.formulas, words, &e) < 0)
			errx(1, "%s", e.text);
		vec_push(&names,
			 xasprintf("--event %s (%.1f %% of the time on CPUs)", words, 100 * share));
	}
}

static void add_curve(void)
{
	const struct graph *g = &set.load.graph;
	struct error e;

	for (int i = 0; set.curve && i <= 32; i++) {
		char *words = xasprintf("%s=%g", set.curve, i / 16.0);

		if (hypotheses_scale(&hypotheses, g, hypotheses_add(&hypotheses, g), words, &e)) {
			hypotheses_no_state(g, "--curve", set.curve, &e);
			errx(1, "%s", e.text);
		}
		vec_push(&names, words);
	}
}

/* Returns the number of CPUs that --cpus asks for; 0: the trace's. */
static unsigned wanted_cpus(void)
{
	if (!set.cpus)
		return 0;
	if (!set.load.graph.cpus)
		errx(1, "%s: contains no context switches: how many CPUs it used is unknown",
		     set.load.path);
	return (unsigned)set.ncpus + (*set.cpus == '+' ? set.load.graph.cpus : 0);
}

/* With only one change, all changes would be the same. */
static bool is_asked(size_t i)
{
	return i != ALL || changes() + !!set.cpus > 1;
}

/* The forecasts for one hypothesis. */
struct answer {
	double frozen, simulated; /* ns; NaN: none */
};

/* Whether the order of the trace is not possible under the hypothesis, so that replay() says
 * nothing. */
static bool reorders(const struct graph *g, const struct hypothesis *h)
{
	for (size_t q = 0; h->capacity && q < g->queues.n; q++)
		if (h->capacity[q] < (double)g->queues.v[q].most)
			return true;
	return h->workers;
}

static struct answer *find_answers(double observed)
{
	struct graph *g = &set.load.graph;
	struct answer *v = xcalloc(hypotheses.n + 1, sizeof(*v));
	double *ns = xcalloc(hypotheses.n + 1, sizeof(*ns));
	unsigned wanted = wanted_cpus();

	replay(g, hypotheses.v, hypotheses.n, ns);
	for (size_t i = 0; i < names.n; i++) {
		if (!is_asked(i))
			continue;
		bool cpus = set.cpus && (i == ALL || i == hypotheses.n);
		const struct hypothesis *h = &hypotheses.v[i < hypotheses.n ? i : NOTHING];
		double simulated = set.unchanged;

		if (i != NOTHING) {
			struct simulation s = simulate(g, h, cpus ? wanted : g->cpus);

			caveat_simulation(names.v[i], &s);
			simulated = s.ns < 0 ? NAN : (double)s.ns;
		}
		v[i] = (struct answer){ cpus || reorders(g, h) ? NAN : ns[i],
					simulated / set.unchanged * observed };
	}
	free(ns);
	return v;
}

static const struct table_column columns[] = {
	{ "CHANGE", "change", TABLE_LEFT },    { "FROZEN", "frozen_seconds", TABLE_RIGHT },
	{ "BY", "frozen_by", TABLE_RIGHT },    { "RE-SIMULATED", "simulated_seconds", TABLE_RIGHT },
	{ "BY", "simulated_by", TABLE_RIGHT }, { "ERROR", "simulation_error", TABLE_DATA },
};

static void put_time(struct table *t, double ns, double observed)
{
	table_seconds(t, ns * 1e-9);
	table_percent(t, ns / observed - 1, "%+.1f%%");
}

static void print_table(const struct answer *v, double observed)
{
	struct table *t = table_of(columns);
	double error = set.unchanged / observed - 1;

	for (size_t i = 0; i < names.n; i++) {
		if (!is_asked(i))
			continue;
		table_text(t, names.v[i]);
		put_time(t, v[i].frozen, observed);
		put_time(t, v[i].simulated, observed);
		table_number(t, error, "%g");
	}
	table_end(t, stdout, load_format(&set.load));
	if (load_format(&set.load) != TABLE_TEXT)
		return;
	printf(
	    "\nfrozen: each wait keeps its cause, and queues and CPUs serve in the recorded order\n"
	    "re-simulated: ");
	if (set.load.graph.cpus)
		printf("%u CPU%s", set.load.graph.cpus, set.load.graph.cpus > 1 ? "s" : "");
	else
		printf("one CPU for each thread");
	printf(", queues serve in order of arrival; the result for the unchanged run\ndiffers by "
	       "%+.1f %% from the observed time, and all results are corrected by that\n",
	       100 * error);
}

static void warn_about(const struct answer *unchanged, double observed)
{
	if (unchanged->frozen != observed)
		warnx(
		    "without changes the replay takes %.9f s instead of %.9f s: edges are missing",
		    unchanged->frozen * 1e-9, observed * 1e-9);
	caveat_hosts(&set.load.graph);
}

static void answer_all(void)
{
	const struct graph *g = &set.load.graph;
	double observed = (double)(g->end - g->begin);

	hypotheses_add(&hypotheses, g);
	hypotheses_add(&hypotheses, g);
	vec_push(&names, xstrdup("nothing"));
	vec_push(&names, xstrdup("all changes"));
	add_changes();
	add_events();
	add_curve();
	if (set.cpus)
		vec_push(&names, xasprintf("--cpus %s", set.cpus));
	struct answer *v = find_answers(observed);
	print_table(v, observed);
	warn_about(&v[NOTHING], observed);
	free(v);
	for (size_t i = 0; i < names.n; i++)
		free(names.v[i]);
	vec_free(&names);
	hypotheses_free(&hypotheses);
}

int command_whatif(int argc, char **argv)
{
	machine_listen(&set.load, &set.machine);
	load_parse(&set.load, argc, argv, &usage, options);
	check_options();
	check_words();
	load_read(&set.load);
	set.unchanged = caveat_unchanged(&set.load.graph);
	if (set.machine.machines.n) {
		set.machine.cpus = wanted_cpus();
		machine_answer(&set.load, set.unchanged);
	} else {
		answer_all();
	}
	load_end(&set.load);
	return 0;
}
