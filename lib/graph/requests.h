/* SPDX-License-Identifier: MIT */
/*
 * requests.h - explains the time of each request: the critical path from the first read of a
 * request on a connection to the first write of its answer on the same connection, through
 * whichever threads work on it.  A wait for a CPU is a step of its own, because who has the CPU
 * meanwhile mostly works for others.  Marks can delimit other requests (derive.h).
 *
 * All requests are analysed in one backward pass over the tape; memory depends on the number of
 * threads and of requests that are open at the same time.
 */
#ifndef GRAPH_REQUESTS_H
#define GRAPH_REQUESTS_H

#include "graph/path.h"

struct request {
	uint32_t thread;     /* that answered */
	uint32_t queue;	     /* of the graph, into which the answer was put */
	int64_t from, until; /* ns */
	int64_t others;	     /* ns of its path that led to answers on other connections */
};

struct request_taker {
	/* Called for each request, the last one first.  What it returns is passed to take (as arg)
	 * and end (as one). */
	void *(*begin)(void *arg, const struct request *r);
	path_take *take; /* receives steps, the last one first; requests take turns */
	/* Called when the path is complete and r->others is set. */
	void (*end)(void *arg, void *one, const struct request *r);
	void *arg;
};

/* Analyses all requests on connections, or, unless `queue` is 0, those that marks delimit in this
 * queue (plus 1), which have no `others`.  Returns how many were left out because more than 4096
 * were open at a time. */
uint64_t requests(struct graph *g, uint32_t queue, const struct request_taker *taker);

#endif
