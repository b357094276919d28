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

/*
 * What threads did as a graph for dot(1): a state machine for each program, with how long its
 * threads were in each state and how often they went from one to another, and on top of it, in
 * bold, the same of the path.  Zeroed, but for graph, is valid and empty.
 */
struct dot {
	struct graph *graph;
	uint64_t last;		  /* key of the step before, which is later in time; 0: none */
	struct map states, edges; /* of the path: ns, times */
	int64_t ns;
};

void dot_take(void *dot, const struct path_step *step);
/* Prints it, and returns the memory. */
void dot_print(struct dot *d);

#endif
