/* SPDX-License-Identifier: MIT */
/* graph_walked.h - for tests of graphs: one graph of a program in some states, and its path. */
#ifndef UNIT_GRAPH_WALKED_H
#define UNIT_GRAPH_WALKED_H

#include <string.h>

#include "graph/path.h"

enum { STATES = 4 };

static struct graph graph;
static uint16_t states[STATES];

/* A new graph, of a thread that begins at 0; its first piece, plus 1. */
static uint64_t graph_begin(void)
{
	static const char *const words[STATES] = { "a", "b", "c", "d" };

	graph_free(&graph);
	graph = (struct graph){ 0 };
	graph_thread(&graph, 1, 1, 0, 0);
	for (int s = 0; s < STATES; s++)
		states[s] =
		    graph_state(&graph, 0, (uint32_t)names_add(&graph.words, words[s]), RUNS_USER);
	return graph_run(&graph, 0, 0, states[0], 0, states[0]);
}

/* What the last path was made of. */
static struct {
	int64_t sum, at, unknown;
	int64_t by_state[STATES];
	bool gaps;
} walked;

static void take(void *arg, const struct path_step *s)
{
	(void)arg;
	walked.gaps |= s->to != walked.at || s->from >= s->to;
	walked.at = s->from;
	walked.sum += s->to - s->from;
	if (s->kind == STEP_UNKNOWN)
		walked.unknown += s->to - s->from;
	for (int i = 0; i < STATES; i++)
		if (s->kind != STEP_UNKNOWN && s->state == states[i])
			walked.by_state[i] += s->to - s->from;
}

/* Whether the global path tiles all of the time, and what it is made of is known. */
static bool is_path(void)
{
	int64_t sum;

	memset(&walked, 0, sizeof(walked));
	walked.at = graph.end;
	sum = path_global(&graph, graph.last, 0, take, NULL);
	return sum == graph.end && walked.sum == sum && walked.at == 0 && !walked.gaps &&
	       !walked.unknown;
}

#endif
