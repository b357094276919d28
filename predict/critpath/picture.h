/* SPDX-License-Identifier: MIT */
/* picture.h - writes a path for dot(1), and as SVG. */
#ifndef CRITPATH_PICTURE_H
#define CRITPATH_PICTURE_H

#include "graph/path.h"

/*
 * A state machine for each program, with the time that its threads spent in each state and the
 * number of transitions, and in bold the states and transitions of the path.  All states of a
 * program that took less than a thousandth of the run are drawn as one.  Valid and empty if all
 * members except `graph` are zero.
 */
struct picture {
	struct graph *graph;
	uint16_t *drawn;	  /* by state: itself, or the rare one that stands for it */
	uint64_t last;		  /* key of the previous step, which is later in time; 0: none */
	struct map states, edges; /* of the path: ns; number of transitions */
	struct map rooms;	  /* of those, how many lead to a thread that had waited for room */
	struct map guesses;	  /* and how many to a wait whose end is a guess */
	int64_t ns;
};

/* Adds a step of the path; to be used as a path_take. */
void picture_take(void *picture, const struct path_step *step);
/* Prints it as a graph for dot(1), and frees the memory. */
void picture_dot(struct picture *d);
/* Prints it as SVG, and frees the memory. */
void picture_svg(struct picture *d);

#endif
