/* SPDX-License-Identifier: MIT */
/*
 * slack.h - computes by how much each piece could end later without making the run longer.
 *
 * A piece without slack is on a critical path.  The longest chain through a piece takes the elapsed
 * time minus its slack, so pieces with little slack are on nearly critical paths (J. E. Kelley, M.
 * R. Walker: Critical-Path Planning and Scheduling, Eastern Joint Computer Conference 1959, where
 * slack is called float).
 */
#ifndef GRAPH_SLACK_H
#define GRAPH_SLACK_H

#include "graph/graph.h"

/* Receives the pieces, the last one first, with their slack in ns; valid during the call only. */
typedef void slack_take(void *arg, const struct piece *p, int64_t slack);

/* Computes the slack of all pieces in one backward pass over the tape; memory depends on the number
 * of threads and of messages in flight. */
void slack(struct graph *g, slack_take *take, void *arg);

#endif
