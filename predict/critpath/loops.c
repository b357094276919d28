/* SPDX-License-Identifier: MIT */
/* critpath loops: queues whose size limits the run, and what more room would give. */
#include "graph/loops.h"

#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "graph/replay.h"
#include "load.h"

static struct {
	struct load load;
	uint64_t top;
} set = { .load = LOAD_DEFAULT, .top = 10 };

static const struct opt options[] = { { 0, "top", OPT_COUNT, &set.top, "N", 1, 1000,
					"queues to print (default 10)" },
				      LOAD_OPTIONS(set.load),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "critpath loops",
	.operands = "TRACE",
	.summary =
	    "Print the queues in which the critical path waits for room, the throughput that "
	    "their size allows, and what more room would give.",
	.example = "critpath loops app.ktr",
};

static const struct table_column columns[] = {
	{ "QUEUE", "queue", TABLE_LEFT },
	{ "FROM", "from", TABLE_NAME },
	{ "TO", "to", TABLE_NAME },
	{ "LAPS", "laps", TABLE_RIGHT },
	{ "OF", "lap_seconds", TABLE_RIGHT },
	{ "ROOM", "capacity", TABLE_RIGHT },
	{ "ROOM/LAP", "bound_per_second", TABLE_RIGHT },
	{ "OBSERVED/s", "observed_per_second", TABLE_RIGHT },
	{ "UNBOUNDED", "unbounded_seconds", TABLE_RIGHT },
	{ "GIVES", "gives", TABLE_RIGHT },
};

/* The run time with room for anything in that queue. */
static double unbounded(uint32_t queue)
{
	struct graph *g = &set.load.graph;
	double *capacity = xcalloc(g->queues.n, sizeof(*capacity)), ns;

	for (size_t q = 0; q < g->queues.n; q++)
		capacity[q] = q == queue ? INFINITY : NAN;
	replay(g, &(struct hypothesis){ .capacity = capacity }, 1, &ns);
	free(capacity);
	return ns;
}

static void put_row(struct table *t, const struct loop *l)
{
	const struct graph *g = &set.load.graph;
	const struct graph_queue *q = &g->queues.v[l->queue];
	double elapsed = (double)(g->end - g->begin), ns = unbounded(l->queue);
	double lap = l->laps > 1 ? (double)(l->last - l->first) / (double)(l->laps - 1) : NAN;
	uint64_t room = q->capacity ? q->capacity : q->most;
	char shown[32];

	table_text(t, g->queue_names.v[q->name]);
	table_text(t, g->programs.v[q->from]);
	table_text(t, g->programs.v[q->to]);
	table_count(t, l->laps);
	table_seconds(t, lap * 1e-9);
	table_count(t, room);
	table_number(t, (double)room / lap * 1e9, "%.4g");
	table_number(t, (double)q->put / elapsed * 1e9, "%.4g");
	table_seconds(t, ns * 1e-9);
	snprintf(shown, sizeof(shown), "%+.1f%%", 100 * (ns / elapsed - 1));
	table_shown(t, ns / elapsed - 1, shown);
}

static int more_laps(const void *a, const void *b)
{
	const struct loop *x = a, *y = b;

	return x->laps != y->laps ? (x->laps < y->laps) - (x->laps > y->laps)
				  : (x->queue > y->queue) - (x->queue < y->queue);
}

int command_loops(int argc, char **argv)
{
	struct graph *g = &set.load.graph;

	load_trace(&set.load, argc, argv, &usage, options);
	struct loop *v = xcalloc(g->queues.n + 1, sizeof(*v));
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	loops(g, v);
	qsort(v, g->queues.n, sizeof(*v), more_laps);
	for (size_t i = 0; i < g->queues.n && i < set.top && v[i].laps; i++)
		put_row(t, &v[i]);
	table_print(t, stdout, load_format(&set.load));
	if (load_format(&set.load) == TABLE_TEXT && (!g->queues.n || !v[0].laps))
		printf("the critical path waits for room in no queue\n");
	load_warn(&set.load);
	table_free(t);
	free(v);
	load_free(&set.load);
	return 0;
}
