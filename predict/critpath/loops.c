/* SPDX-License-Identifier: MIT */
/* critpath loops: finds the queues whose size limits the run, and what more room would give. */
#include "graph/loops.h"

#include <math.h>
#include <stdlib.h>

#include "caveat.h"
#include "commands.h"
#include "graph/replay.h"
#include "../common/load.h"

enum { SIMULATED_MOST = 3 }; /* loops; a simulation takes long */

static struct {
	struct load load;
	uint64_t top;
} set = { .load = LOAD_DEFAULT, .top = 10 };

static const struct opt options[] = { { 0, "top", OPT_COUNT, &set.top, "N", 1, 1000,
					"loops to print (default 10)" },
				      LOAD_OPTIONS(set.load),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "critpath loops",
	.operands = "TRACE",
	.summary = "Prints the queues whose size limits the throughput, in the order in which they "
		   "bind, what more room would give, and what binds when all have room.",
	.example = "critpath loops app.ktr",
};

static const struct table_column columns[] = {
	{ "QUEUE", "queue", TABLE_LEFT },
	{ "FROM", "from", TABLE_NAME },
	{ "TO", "to", TABLE_NAME },
	{ "LAPS", "laps", TABLE_RIGHT },
	{ "LAP", "lap_seconds", TABLE_RIGHT },
	{ "ROOM", "room", TABLE_RIGHT },
	{ "ROOM/LAP", "bound_per_second", TABLE_RIGHT },
	{ "OBSERVED/s", "observed_per_second", TABLE_RIGHT },
	{ "BOUND", "bound_seconds", TABLE_RIGHT },
	{ "ENOUGH", "enough", TABLE_RIGHT },
	{ "UNBOUNDED", "unbounded_seconds", TABLE_DATA },
	{ "GIVES", "gives", TABLE_RIGHT },
	{ "RE-SIM.", "gives_simulated", TABLE_RIGHT },
};

/* Unlimited room in one queue, and in the others as in the trace. */
static void give_room(double *room, uint32_t queue)
{
	for (size_t q = 0; q < set.load.graph.queues.n; q++)
		room[q] = q == queue ? INFINITY : NAN;
}

/* Stores in gives[] by what part the run time changes, re-simulated, with unlimited room in the
 * queue of each of the first loops; NaN: unknown. */
static void simulate_unbounded(const struct loop *v, size_t n, double *gives)
{
	struct graph *g = &set.load.graph;
	double *room = xcalloc(g->queues.n, sizeof(*room));
	double unchanged = caveat_unchanged(g);

	for (size_t i = 0; i < n; i++) {
		gives[i] = NAN;
		if (i >= SIMULATED_MOST || v[i].queue == GRAPH_NOBODY)
			continue;
		give_room(room, v[i].queue);
		struct simulation s =
		    simulate(g, &(struct hypothesis){ .capacity = room }, g->cpus);
		gives[i] = s.ns < 0 ? NAN : (double)s.ns / unchanged - 1;
	}
	free(room);
}

/* Stores in ns[] the run time with unlimited room in the queue of each loop that has one. */
static void find_unbounded(const struct loop *v, size_t n, double *ns)
{
	struct graph *g = &set.load.graph;
	/* As many loops at a time as one replay has lanes. */
	size_t most = n < REPLAY_LANES ? n : REPLAY_LANES;
	double *room = xcalloc(most * g->queues.n, sizeof(*room));

	for (size_t from = 0; from < n; from += most) {
		size_t lanes = n - from < most ? n - from : most;
		struct hypothesis h[REPLAY_LANES] = { 0 };

		for (size_t i = 0; i < lanes; i++) {
			h[i].capacity = room + i * g->queues.n;
			give_room(h[i].capacity, v[from + i].queue);
		}
		replay(g, h, lanes, ns + from);
	}
	free(room);
}

/* next: the loop that binds if this one's queue has room; NULL: unknown.  ns and gives: with
 * unlimited room, in the frozen order and re-simulated. */
static void put_row(struct table *t, const struct loop *l, const struct loop *next, double ns,
		    double gives)
{
	const struct graph *g = &set.load.graph;
	const struct graph_queue *q = &g->queues.v[l->queue];
	double elapsed = (double)(g->end - g->begin);

	table_text(t, g->queue_names.v[q->name]);
	table_text(t, g->programs.v[q->from]);
	table_text(t, g->programs.v[q->to]);
	table_count(t, l->laps);
	table_seconds(t, l->lap * 1e-9);
	table_number(t, l->units, "%.0f");
	table_number(t, l->units / l->lap * 1e9, "%.4g");
	table_number(t, (double)q->put / elapsed * 1e9, "%.4g");
	table_seconds(t, l->bound * 1e-9);
	table_number(t, next ? l->units * l->bound / next->bound : NAN, "%.0f");
	table_seconds(t, ns * 1e-9);
	table_percent(t, ns / elapsed - 1, "%+.1f%%");
	table_percent(t, gives, "%+.1f%%");
}

/* The last loop, which contains no full queue. */
static void put_rest(struct table *t, const struct loop *l)
{
	const struct graph *g = &set.load.graph;

	table_text(t, NULL);
	table_text(t, g->programs.v[l->from]);
	table_text(t, g->programs.v[l->to]);
	table_text(t, NULL);
	table_seconds(t, l->lap * 1e-9);
	for (int i = 0; i < 3; i++)
		table_text(t, NULL);
	table_seconds(t, l->bound * 1e-9);
	for (int i = 0; i < 4; i++)
		table_text(t, NULL);
}

int command_loops(int argc, char **argv)
{
	load_parse(&set.load, argc, argv, &usage, options);
	load_read(&set.load);
	struct loop *v = xcalloc(set.top, sizeof(*v));
	double *ns = xcalloc(set.top, sizeof(*ns)), *gives = xcalloc(set.top, sizeof(*gives));
	struct table *t = table_of(columns);
	size_t n = loops(&set.load.graph, v, set.top), queues = 0;
	for (size_t i = 0; i < n; i++)
		queues += v[i].queue != GRAPH_NOBODY;
	if (queues) {
		find_unbounded(v, n, ns);
		simulate_unbounded(v, n, gives);
	}
	for (size_t i = 0; i < n; i++)
		if (v[i].queue == GRAPH_NOBODY)
			put_rest(t, &v[i]);
		else
			put_row(t, &v[i], i + 1 < n && v[i + 1].bound > 0 ? &v[i + 1] : NULL, ns[i],
				gives[i]);
	table_end(t, stdout, load_format(&set.load));
	if (load_format(&set.load) == TABLE_TEXT && !queues)
		printf("no queue limits the run by its size\n");
	free(v);
	free(ns);
	free(gives);
	load_end(&set.load);
	return 0;
}
