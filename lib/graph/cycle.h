/* SPDX-License-Identifier: MIT */
/*
 * cycle.h - the maximum cycle ratio of a marked graph.
 *
 * A node happens again and again.  An edge says that a node happens `delay` after one of `tokens`
 * rounds before.  In the long run a round takes as long as the largest ratio of delays to tokens
 * of all cycles (F. Baccelli, G. Cohen, G. J. Olsder, J.-P. Quadrat: Synchronization and Linearity,
 * 1992).
 */
#ifndef CYCLE_H
#define CYCLE_H

#include <stddef.h>
#include <stdint.h>

struct cycle_edge {
	uint32_t from, to; /* nodes */
	double delay;	   /* 0 or more */
	double tokens;	   /* of any sign, but positive in sum over a cycle that takes time */
};

/*
 * The largest ratio of all cycles: 0 if none takes time, INFINITY if one has no positive sum of
 * tokens.  cycle[], room for n numbers of edges, is one that has it, *length edges long, each going
 * on from the one before; none if the ratio is 0.
 */
double cycle_ratio(uint32_t nodes, const struct cycle_edge *edges, size_t n, uint32_t *cycle,
		   size_t *length);

#endif
