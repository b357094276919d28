/* SPDX-License-Identifier: MIT */
/*
 * forward.h - reads the tape forward; each piece meets what was kept at the end of its cause.
 * Memory depends on the number of pieces whose effect is still to come.
 */
#ifndef GRAPH_FORWARD_H
#define GRAPH_FORWARD_H

#include "graph/graph.h"

struct visit {
	const struct piece *piece;
	uint64_t number;
	const void *cause; /* what was kept of it; NULL: none, or the temporary file is damaged */
	bool last;	   /* no later piece has this cause */
	void *keep;	   /* to fill if later pieces have this one as their cause, else NULL */
	bool ends;	   /* it is the last piece of its thread */
};

/* Takes a piece; must not read the tape. */
typedef void forward_take(void *arg, const struct visit *v);

/* Visits all pieces; `size` bytes can be kept of each. */
void forward(struct graph *g, size_t size, forward_take *take, void *arg);

#endif
