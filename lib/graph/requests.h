/* SPDX-License-Identifier: MIT */
/*
 * requests.h - what the time of each request goes into: the critical path from the first read of a
 * request on a connection to the first write of its answer on the same one, whichever threads work
 * at it in between.
 *
 * All of them are found in one backward pass over the tape; memory depends on the threads and on
 * the requests that are open at the same time.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "graph/path.h"

struct request {
	uint32_t thread;     /* that answered */
	uint32_t queue;	     /* of the graph, into which it put the answer */
	int64_t from, until; /* ns */
	int64_t others;	     /* ns of its path that led to answers on other connections */
};

struct request_taker {
	/* A request; the last comes first.  What it returns is passed to take and end. */
	void *(*begin)(void *arg, const struct request *r);
	path_take *take; /* its steps, the last first; several requests take turns */
	/* Its path is complete, and r->others set. */
	void (*end)(void *arg, void *one, const struct request *r);
	void *arg;
};

/* Finds all requests.  Returns how many were left out because more than 4096 were open at a time.
 */
uint64_t requests(struct graph *g, const struct request_taker *taker);

#endif
