/* SPDX-License-Identifier: MIT */
#include "limits.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../common/hypotheses.h"
#include "json/json.h"
#include "util/number.h"
#include "util/text.h"
#include "util/wrap.h"

static double length(const struct graph *g)
{
	return (double)(g->end - g->begin);
}

struct limits limits_find(struct graph *g)
{
	struct limits l = { .graph = g, .ns = length(g) };
	struct hypotheses base = { 0 };
	bool *states = hypotheses_candidates(g, 0.01);
	size_t n = loops(g, l.loops, LIMITS_LOOPS);

	hypotheses_add(&base, g);
	l.state = hypotheses_best(g, &base, states, &l.ns);
	if (l.ns >= length(g))
		l.state = SIZE_MAX;
	free(states);
	hypotheses_free(&base);
	for (size_t i = 0; i < n; i++)
		if (l.loops[i].laps)
			l.loops[l.n++] = l.loops[i];
	return l;
}

static void print_bottleneck(const struct limits *l)
{
	char *name = graph_state_name(l->graph, (uint16_t)l->state), a[NUMBER_MAX];
	bool waits = l->graph->states.v[l->state].activity == RUNNABLE;

	printf("\nfirst bottleneck: %s%s\n"
	       "if it took no time, the run would take %s, %.1f %% less "
	       "(the next ones: critpath chain)\n",
	       text_make_printable(name), waits ? " (waiting for a CPU)" : "",
	       number_format_duration(a, l->ns * 1e-9), 100 * (1 - l->ns / length(l->graph)));
	free(name);
}

void limits_print(const struct limits *l)
{
	const struct graph *g = l->graph;
	char *all = NULL;

	if (l->state != SIZE_MAX)
		print_bottleneck(l);
	for (size_t i = 0; i < l->n; i++) {
		const struct loop *loop = &l->loops[i];
		const struct graph_queue *q = &g->queues.v[loop->queue];

		all = xappend(all, "%s %" PRIu64 " time%s by a full %s from %s to %s",
			      all ? "," : "loops: the path is blocked", loop->laps,
			      loop->laps == 1 ? "" : "s", g->queue_names.v[q->name],
			      g->programs.v[q->from], g->programs.v[q->to]);
	}
	if (all)
		wrap_print(stdout, text_make_printable(all), 7);
	else
		printf("no queue limits the run by its size\n");
	free(all);
}

json_t *limits_bottleneck(const struct limits *l)
{
	const struct graph *g = l->graph;

	if (l->state == SIZE_MAX)
		return json_null();
	const struct graph_state *s = &g->states.v[l->state];
	return json_pack("{s:o, s:o, s:f, s:f}", "program", json_text(g->programs.v[s->program]),
			 "state", json_text(g->words.v[s->word]), "seconds", l->ns * 1e-9, "saves",
			 1 - l->ns / length(g));
}

json_t *limits_loops(const struct limits *l)
{
	const struct graph *g = l->graph;
	json_t *all = json_array();

	for (size_t i = 0; i < l->n; i++) {
		const struct graph_queue *q = &g->queues.v[l->loops[i].queue];

		json_array_append_new(all, json_pack("{s:o, s:o, s:o, s:I}", "queue",
						     json_text(g->queue_names.v[q->name]), "from",
						     json_text(g->programs.v[q->from]), "to",
						     json_text(g->programs.v[q->to]), "laps",
						     (json_int_t)l->loops[i].laps));
	}
	return all;
}
