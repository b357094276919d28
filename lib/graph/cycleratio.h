/* SPDX-License-Identifier: MIT */
/*
 * cycleratio.h - the maximum cycle ratio of a marked graph (timed event graph).
 *
 * Each node is an event that occurs again and again.  An edge says that the k-th occurrence of `to`
 * is at least `delay` after occurrence k - tokens of `from`.  In the long run a round takes as long
 * as the largest ratio, over all cycles, of the sum of delays to the sum of tokens (F. Baccelli, G.
 * Cohen, G. J. Olsder, J.-P. Quadrat: Synchronization and Linearity, 1992).
 */
#ifndef GRAPH_CYCLERATIO_H
#define GRAPH_CYCLERATIO_H

#include <stddef.h>
#include <stdint.h>

struct cycle_edge {
	uint32_t from, to; /* nodes, below `nodes` */
	double delay;	   /* >= 0, in any unit */
	double tokens; /* of either sign; the sum over a cycle that takes time must be positive */
};

/*
 * Returns the largest ratio of delay to tokens of all cycles, in the unit of `delay`: 0 if no cycle
 * takes time, INFINITY if one that does has no positive sum of tokens. cycle[], with room for n
 * numbers, gets the edges of a cycle with that ratio in order, and *length their number, which is 0
 * if the ratio is 0.
 */
double cycle_ratio(uint32_t nodes, const struct cycle_edge *edges, size_t n, uint32_t *cycle,
		   size_t *length);

#endif
