/* SPDX-License-Identifier: MIT */
/* critpath slack: finds states near the critical path, which would become critical next. */
#include "graph/slack.h"

#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "graph/near.h"
#include "../common/load.h"
#include "shares.h"

static struct {
	struct load load;
	uint64_t top, paths;
} set = { .load = LOAD_DEFAULT };

static const struct opt options[] = {
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6, "rows to print (default 20)" },
	{ 0, "paths", OPT_COUNT, &set.paths, "N", 1, 10000, "print the N longest chains instead" },
	LOAD_OPTIONS(set.load),
	{ 0 }
};

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
	int64_t enter = piece_enter(p);

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
	struct table *t = table_of(columns);

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
	table_end(t, stdout, load_format(&set.load));
	if (load_format(&set.load) == TABLE_TEXT)
		printf("\nSLACK: smallest slack of the state; CHAIN: longest chain through it; "
		       "CRITICAL: time without slack;\nWITHIN: time with a slack of at most that "
		       "share of the elapsed time\n");
}

/* ---- the longest chains ---- */

enum { STATES_OF_PATH = 3 }; /* the longest ones are printed */

static const struct table_column path_columns[] = {
	{ "PATH", "path", TABLE_RIGHT },	   { "SLACK", "slack_seconds", TABLE_RIGHT },
	{ "CHAIN", "chain_seconds", TABLE_RIGHT }, { "SHARE", "share", TABLE_RIGHT },
	{ "TIME", "seconds", TABLE_RIGHT },	   { "STEPS", "steps", TABLE_RIGHT },
	{ "PROGRAM", "program", TABLE_NAME },	   { "STATE", "state", TABLE_LEFT },
};

struct paths {
	struct table *table;
	struct shares shares;
	uint64_t n;
	int64_t slack;
};

static void begin_path(void *arg, int64_t slack)
{
	struct paths *p = arg;

	p->n++;
	p->slack = slack;
	p->shares = (struct shares){ .graph = &set.load.graph };
	shares_by(&p->shares, "state");
}

static void take_step(void *arg, const struct path_step *step)
{
	shares_take(&((struct paths *)arg)->shares, step);
}

static void end_path(void *arg)
{
	struct paths *p = arg;
	const struct graph *g = &set.load.graph;
	double length = (double)(g->end - g->begin - p->slack);

	shares_sort(&p->shares);
	for (size_t i = 0; i < p->shares.n && i < STATES_OF_PATH; i++) {
		const struct share *s = &p->shares.v[i];

		table_count(p->table, p->n);
		table_seconds(p->table, (double)p->slack * 1e-9);
		table_seconds(p->table, length * 1e-9);
		table_percent(p->table, (double)s->ns / length, "%.1f%%");
		table_seconds(p->table, (double)s->ns * 1e-9);
		table_count(p->table, s->steps);
		table_text(p->table, s->program);
		table_text(p->table, s->state);
	}
	shares_free(&p->shares);
}

static void print_paths(void)
{
	struct paths p = { .table = table_of(path_columns) };

	near_paths(&set.load.graph, set.paths,
		   &(struct near_taker){ begin_path, take_step, end_path, &p });
	table_end(p.table, stdout, load_format(&set.load));
	if (load_format(&set.load) == TABLE_TEXT)
		printf(
		    "\nSLACK: how much shorter than the run the chain is; of each, the %d states "
		    "with most time\n",
		    STATES_OF_PATH);
}

int command_slack(int argc, char **argv)
{
	struct graph *g = &set.load.graph;

	load_parse(&set.load, argc, argv, &usage, options);
	if (set.paths && set.top)
		opt_bad_usage(&usage, "--top is of the table of states: give --paths alone");
	set.top = set.top ? set.top : 20;
	load_read(&set.load);
	if (set.paths) {
		print_paths();
		load_end(&set.load);
		return 0;
	}
	rows = xcalloc(g->states.n + 1, sizeof(*rows));
	for (size_t i = 0; i < g->states.n; i++)
		rows[i].state = (uint16_t)i;
	slack(g, take, NULL);
	qsort(rows, g->states.n, sizeof(*rows), nearer);
	print_table();
	free(rows);
	load_end(&set.load);
	return 0;
}
