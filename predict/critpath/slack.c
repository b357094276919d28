/* SPDX-License-Identifier: MIT */
/* critpath slack: finds states near the critical path, which would become critical next. */
#include "graph/slack.h"

#include <stdlib.h>

#include "commands.h"
#include "../common/load.h"

static struct {
	struct load load;
	uint64_t top;
} set = { .load = LOAD_DEFAULT, .top = 20 };

static const struct opt options[] = { { 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6,
					"rows to print (default 20)" },
				      LOAD_OPTIONS(set.load),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "critpath slack",
	.operands = "TRACE",
	.summary = "Prints by how much each state could take longer before the run does, and how "
		   "long the longest chain through it is.",
	.example = "critpath slack app.ktr",
};

/* shares of the elapsed time: limits of slack for the last columns of the table */
static const double near[] = { 0, 0.01, 0.1 };
enum { NEAR = sizeof(near) / sizeof(*near) };

struct row {
	uint16_t state;
	int64_t least, ns, within[NEAR]; /* ns */
};

static struct row *rows; /* by state */

static void add(uint16_t state, int64_t ns, int64_t margin)
{
	const struct graph *g = &set.load.graph;
	struct row *r = &rows[state];

	if (ns <= 0)
		return;
	if (!r->ns || margin < r->least)
		r->least = margin;
	r->ns += ns;
	for (int i = 0; i < NEAR; i++)
		if ((double)margin <= near[i] * (double)(g->end - g->begin))
			r->within[i] += ns;
}

static void take(void *arg, const struct piece *p, int64_t margin)
{
	int64_t enter = p->kind == PIECE_RUN ? p->enter : p->start;

	(void)arg;
	if (p->kind == PIECE_WAIT)
		return;
	add(p->before, enter - p->start, margin);
	add(p->state, p->end - enter, margin);
}

static int nearer(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (!x->ns != !y->ns)
		return !x->ns - !y->ns;
	if (x->least != y->least)
		return (x->least > y->least) - (x->least < y->least);
	if (x->within[0] != y->within[0])
		return (x->within[0] < y->within[0]) - (x->within[0] > y->within[0]);
	return (x->ns < y->ns) - (x->ns > y->ns);
}

static const struct table_column columns[] = {
	{ "PROGRAM", "program", TABLE_NAME },
	{ "STATE", "state", TABLE_LEFT },
	{ "SLACK", "slack_seconds", TABLE_RIGHT },
	{ "CHAIN", "chain_seconds", TABLE_RIGHT },
	{ "TIME", "seconds", TABLE_RIGHT },
	{ "CRITICAL", "critical_seconds", TABLE_RIGHT },
	{ "WITHIN 1%", "within_1_seconds", TABLE_RIGHT },
	{ "WITHIN 10%", "within_10_seconds", TABLE_RIGHT },
};

static void print_table(void)
{
	const struct graph *g = &set.load.graph;
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < g->states.n && i < set.top && rows[i].ns; i++) {
		const struct graph_state *s = &g->states.v[rows[i].state];

		table_text(t, g->programs.v[s->program]);
		table_text(t, g->words.v[s->word]);
		table_seconds(t, (double)rows[i].least * 1e-9);
		table_seconds(t, (double)(g->end - g->begin - rows[i].least) * 1e-9);
		table_seconds(t, (double)rows[i].ns * 1e-9);
		for (int n = 0; n < NEAR; n++)
			table_seconds(t, (double)rows[i].within[n] * 1e-9);
	}
	table_print(t, stdout, load_format(&set.load));
	table_free(t);
	if (load_format(&set.load) == TABLE_TEXT)
		printf("\nSLACK: smallest slack of the state; CHAIN: longest chain through it; "
		       "CRITICAL: time without slack;\nWITHIN: time with a slack of at most that "
		       "share of the elapsed time\n");
}

int command_slack(int argc, char **argv)
{
	struct graph *g = &set.load.graph;

	load_trace(&set.load, argc, argv, &usage, options);
	rows = xcalloc(g->states.n + 1, sizeof(*rows));
	for (size_t i = 0; i < g->states.n; i++)
		rows[i].state = (uint16_t)i;
	slack(g, take, NULL);
	qsort(rows, g->states.n, sizeof(*rows), nearer);
	print_table();
	load_warn(&set.load);
	free(rows);
	load_free(&set.load);
	return 0;
}
