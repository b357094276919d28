/* SPDX-License-Identifier: MIT */
/* picture.h - writes a path for dot(1), and as SVG. */
#ifndef CRITPATH_PICTURE_H
#define CRITPATH_PICTURE_H

#include "graph/path.h"

/*
 * Writes what the threads did as a graph for dot(1): a state machine for each program, with the
 * time in each state and the number of transitions, and in bold the states and transitions of the
 * path.  All states of a program that took less than a thousandth of the run are drawn as one.
 * Valid and empty if all members except `graph` are zero.
 */
struct dot {
	struct graph *graph;
	uint16_t *drawn;	  /* by state: itself, or the rare one that stands for it */
	uint64_t last;		  /* key of the previous step, which is later in time; 0: none */
	struct map states, edges; /* of the path: ns; number of transitions */
	struct map rooms;	  /* of those, how many lead to a thread that had waited for room */
	struct map guesses;	  /* and how many to a wait whose end is a guess */
	int64_t ns;
};

void dot_take(void *dot, const struct path_step *step);
/* Prints the graph and frees the memory. */
void dot_print(struct dot *d);
/* Prints the graph as a picture and frees the memory. */
void svg_print(struct dot *d);

#endif
