/* SPDX-License-Identifier: MIT */
/*
 * slack.h - by how much each piece could end later before the whole run takes longer.
 *
 * A piece without slack is on a critical path.  The longest chain through a piece takes the elapsed
 * time less its slack, so that small slacks show near-critical paths.
 */
#ifndef SLACK_H
#define SLACK_H

#include "graph/graph.h"

/* Gets the pieces, the last first, and their slack in ns; valid during the call. */
typedef void slack_take(void *arg, const struct piece *p, int64_t slack);

/* One backward pass over the tape; memory depends on threads and messages. */
void slack(struct graph *g, slack_take *take, void *arg);

#endif
