/* SPDX-License-Identifier: MIT */
/* limits.h - what limits a run: its first bottleneck, and the full queues that block its path. */
#ifndef CRITPATH_LIMITS_H
#define CRITPATH_LIMITS_H

#include <jansson.h>

#include "graph/loops.h"

enum { LIMITS_LOOPS = 16 };

struct limits {
	struct graph *graph;
	size_t state; /* whose removal saves most; SIZE_MAX: no removal saves anything */
	double ns;    /* that the run takes without it */
	struct loop loops[LIMITS_LOOPS]; /* those by which the path was blocked */
	size_t n;
};

/* Finds the limits of the whole run. */
struct limits limits_find(struct graph *g);
/* Prints them in words. */
void limits_print(const struct limits *l);
/* Return the bottleneck (null: none) and the loops, for the caller to drop. */
json_t *limits_bottleneck(const struct limits *l);
json_t *limits_loops(const struct limits *l);

#endif
