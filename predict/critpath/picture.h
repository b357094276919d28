/* SPDX-License-Identifier: MIT */
/* picture.h - a path for viewers: Perfetto and Chrome, Graphviz. */
#ifndef PICTURE_H
#define PICTURE_H

#include "graph/path.h"

/* Trace Event Format on stdout: begin, each step, end.  The path is a track of its own, and each
 * step is on the track of its thread, too. */
void perfetto_begin(const struct graph *g);
void perfetto_take(void *graph, const struct path_step *step);
void perfetto_end(void);

/* The states of the path as a graph for dot(1): how long it was in each, and how often it went from
 * one to the other.  Zeroed, but for graph, is valid and empty. */
struct dot {
	const struct graph *graph;
	uint64_t last; /* key of the step before, which is later in time; 0: none */
	struct map states, edges;
	int64_t ns;
};

void dot_take(void *dot, const struct path_step *step);
void dot_print(struct dot *d);

#endif
