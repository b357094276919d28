/* SPDX-License-Identifier: MIT */
/* graph_named.h - for tests of graphs: states by their words. */
#ifndef UNIT_GRAPH_NAMED_H
#define UNIT_GRAPH_NAMED_H

#include <string.h>

#include "graph/graph.h"

/* The state of that activity if the word is the name of one; otherwise one in which the thread
 * works. */
static uint16_t graph_named(struct graph *g, uint32_t program, const char *word)
{
	enum activity activity = RUNS_USER;

	for (int a = 0; a < ACTIVITIES; a++)
		if (!strcmp(activity_name((enum activity)a), word))
			activity = (enum activity)a;
	return graph_state(g, program, (uint32_t)names_add(&g->words, word), activity);
}

#endif
