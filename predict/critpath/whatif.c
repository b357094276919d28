/* SPDX-License-Identifier: MIT */
/* critpath whatif: how long it would take if states, waits or queues were others. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "hypotheses.h"
#include "load.h"

static struct {
	struct load load;
	struct opt_list scale, remove, capacity;
	const char *curve;
} set = { .load = LOAD_DEFAULT };

static const struct opt options[] = {
	{ 0, "scale", OPT_LIST, &set.scale, "STATE=FACTOR", 0, 0,
	  "what if this state took FACTOR times as long: 'gzip user=0.5', 'disk=0.1', 'gzip *=2'" },
	{ 0, "remove", OPT_LIST, &set.remove, "STATE", 0, 0,
	  "... if it took no time, and nobody waited in it: lock, 'gzip write pipe'" },
	{ 0, "capacity", OPT_LIST, &set.capacity, "QUEUE=N", 0, 0,
	  "... if these queues (pipe, tcp, a mark's name) held N units, or inf" },
	{ 0, "curve", OPT_STRING, &set.curve, "STATE", 0, 0,
	  "for this state at 0, 1/16 ... 2 times what it takes" },
	LOAD_OPTIONS(set.load),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "critpath whatif",
	.operands = "TRACE",
	.summary = "Print how long the run would take after each change, and after all of them.",
	.example = "critpath whatif --scale 'gzip user=0.5' --capacity pipe=inf app.ktr",
};

/* The first hypotheses. */
enum { NOTHING, ALL };

typedef int change(struct hypotheses *h, const struct graph *g, size_t number, const char *words,
		   struct error *e);

static struct hypotheses hypotheses;
static VEC(char *) names; /* of the hypotheses */

/* Each of the list as a hypothesis of its own, and in the one for all. */
static void add_each(const struct opt_list *list, const char *option, change *f)
{
	const struct graph *g = &set.load.graph;
	struct error e;

	for (size_t i = 0; i < list->n; i++) {
		if (f(&hypotheses, g, hypotheses_add(&hypotheses, g), list->v[i], &e) ||
		    f(&hypotheses, g, ALL, list->v[i], &e))
			errx(1, "%s", e.text);
		vec_push(&names, xasprintf("%s %s", option, list->v[i]));
	}
}

static void add_curve(void)
{
	const struct graph *g = &set.load.graph;
	struct error e;

	for (int i = 0; set.curve && i <= 30; i++) {
		char *words = xasprintf("%s=%g", set.curve, i / 16.0);

		if (hypotheses_scale(&hypotheses, g, hypotheses_add(&hypotheses, g), words, &e))
			errx(1, "%s", e.text);
		vec_push(&names, words);
	}
}

static const struct table_column columns[] = {
	{ "CHANGE", "change", TABLE_LEFT },
	{ "TIME", "seconds", TABLE_RIGHT },
	{ "CHANGED BY", "changed_by", TABLE_RIGHT },
	{ "SPEED-UP", "speed_up", TABLE_RIGHT },
};

static void print_table(const double *ns, double observed)
{
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	char shown[32];

	for (size_t i = 0; i < hypotheses.n; i++) {
		/* Of one change it would be the same. */
		if (i == ALL && set.scale.n + set.remove.n + set.capacity.n < 2)
			continue;
		double by = ns[i] / observed - 1;

		table_text(t, names.v[i]);
		table_seconds(t, ns[i] * 1e-9);
		snprintf(shown, sizeof(shown), "%+.1f%%", 100 * by);
		table_shown(t, by, shown);
		table_number(t, ns[i] > 0 ? observed / ns[i] : NAN, "%.2f");
	}
	table_print(t, stdout, load_format(&set.load));
	table_free(t);
}

int command_whatif(int argc, char **argv)
{
	struct graph *g = &set.load.graph;

	load_trace(&set.load, argc, argv, &usage, options);
	if (!set.scale.n && !set.remove.n && !set.capacity.n && !set.curve)
		opt_bad_usage(&usage, "what if what? (--scale, --remove, --capacity, --curve)");
	double observed = (double)(g->end - g->begin);
	hypotheses_add(&hypotheses, g);
	hypotheses_add(&hypotheses, g);
	vec_push(&names, xstrdup("nothing"));
	vec_push(&names, xstrdup("all changes"));
	add_each(&set.scale, "--scale", hypotheses_scale);
	add_each(&set.remove, "--remove", hypotheses_remove_edge);
	add_each(&set.capacity, "--capacity", hypotheses_capacity);
	add_curve();
	double *ns = xcalloc(hypotheses.n, sizeof(*ns));
	hypotheses_replay(&hypotheses, g, ns);
	print_table(ns, observed);
	if (ns[NOTHING] != observed)
		warnx("nothing changed, the replay takes %.9f s and not %.9f: edges are missing",
		      ns[NOTHING] * 1e-9, observed * 1e-9);
	if (load_format(&set.load) == TABLE_TEXT)
		printf("\nin the frozen order: who waits for whom, and in which order queues and "
		       "CPUs serve, stays as it was\n");
	load_warn(&set.load);
	free(ns);
	for (size_t i = 0; i < names.n; i++)
		free(names.v[i]);
	vec_free(&names);
	hypotheses_free(&hypotheses);
	load_free(&set.load);
	return 0;
}
