/* SPDX-License-Identifier: MIT */
/*
 * wakecost.h - how much longer a call that puts something into a queue takes when somebody sleeps
 * who waits for that: it has to wake the sleeper.
 */
#ifndef GRAPH_WAKECOST_H
#define GRAPH_WAKECOST_H

#include "graph/graph.h"

/* What a thread has done since the call began that it is in. */
struct waking {
	int64_t ns; /* of CPU time */
	bool woke;  /* another thread, in the trace */
	bool wakes; /* another thread, as simulated; set by simulate.c */
};

/* Takes the thread's next piece.  The call ends with a PUT; the caller zeroes *w after that. */
void waking_take(struct waking *w, const struct piece *p);
/*
 * Returns ns by word of the state of such a call, as many as there are words: the mean time of the
 * calls that woke somebody less that of the others; 0 where the trace has fewer than 16 of either
 * kind or the others took longer.  The caller frees it.
 */
double *wakecost_find(struct graph *g);

#endif
