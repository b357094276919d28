/* SPDX-License-Identifier: MIT */
/* critpath chain: removes the bottleneck, then the next one, and so on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "../common/hypotheses.h"
#include "../common/load.h"

static struct {
	struct load load;
	uint64_t steps;
	double least; /* percent */
} set = { .load = LOAD_DEFAULT, .steps = 8, .least = 1 };

static const struct opt options[] = {
	{ 0, "steps", OPT_COUNT, &set.steps, "N", 1, 1000, "steps at most (default 8)" },
	{ 0, "least", OPT_PERCENT, &set.least, "PERCENT", 0, 100,
	  "stop when a step saves less than this share of the run time (default 1%)" },
	LOAD_OPTIONS(set.load),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "critpath chain",
	.operands = "TRACE",
	.summary = "Removes the state that saves most time, then the next one, and so on: the "
		   "bottlenecks in the order in which they appear.",
	.example = "critpath chain --steps 4 app.ktr",
};

static const struct table_column columns[] = {
	{ "STEP", "step", TABLE_RIGHT },	 { "REMOVED", "removed", TABLE_LEFT },
	{ "SAVES", "saves", TABLE_RIGHT },	 { "TIME LEFT", "seconds", TABLE_RIGHT },
	{ "SPEED-UP", "speed_up", TABLE_RIGHT },
};

static void put_row(struct table *t, uint64_t step, const char *name, double saved, double left,
		    double whole)
{
	table_count(t, step);
	table_text(t, name);
	table_percent(t, saved / whole, "%.1f%%");
	table_seconds(t, left * 1e-9);
	table_number(t, left > 0 ? whole / left : NAN, "%.2f");
}

int command_chain(int argc, char **argv)
{
	struct graph *g = &set.load.graph;
	struct hypotheses base = { 0 };

	load_parse(&set.load, argc, argv, &usage, options);
	load_read(&set.load);
	double whole = (double)(g->end - g->begin), time = whole;
	bool *left = hypotheses_candidates(g, set.least / 100);
	struct table *t = table_of(columns);
	hypotheses_add(&base, g);
	put_row(t, 0, "nothing", 0, whole, whole);
	for (uint64_t step = 1; step <= set.steps; step++) {
		double ns = time;
		size_t state = hypotheses_best(g, &base, left, &ns);

		if (state == SIZE_MAX || time - ns < set.least / 100 * whole || time <= ns)
			break;
		char *name = graph_state_name(g, (uint16_t)state);
		put_row(t, step, name, time - ns, ns, whole);
		free(name);
		hypotheses_remove(&base, g, 0, (uint16_t)state);
		left[state] = false;
		time = ns;
	}
	table_end(t, stdout, load_format(&set.load));
	if (load_format(&set.load) == TABLE_TEXT)
		printf("\neach step removes one more state; each wait keeps its cause (see whatif: "
		       "frozen)\n");
	free(left);
	hypotheses_free(&base);
	load_end(&set.load);
	return 0;
}
