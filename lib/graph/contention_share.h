/* SPDX-License-Identifier: MIT */
/*
 * contention_share.h - splits the time of resources that a trace does not show in detail: while n
 * use a disk or link, each is assumed to get an n-th of it, served in parallel or in turns
 * (processor sharing: L. Kleinrock, Time-shared Systems: A Theoretical Treatment, J. ACM 1967).
 */
#ifndef GRAPH_CONTENTION_SHARE_H
#define GRAPH_CONTENTION_SHARE_H

#include "graph/contention.h"

struct open_use;

/* One resource.  Uses come in the reverse order of their ends, so that at each moment all that
 * include it are known. */
struct share {
	struct graph *graph;
	contention_take *take;
	void *arg;
	/* Private: */
	struct open_use *open;
	size_t n;
	int64_t now;
};

/* Returns an empty share, whose uses take() receives with arg; share_free() frees it. */
struct share share_begin(struct graph *g, contention_take *take, void *arg);
/* Adds a use from use->from to use->until; what is before a gap in the trace is unknown. */
void share_use(struct share *s, const struct contention *use);
/* Reports the uses that are left.  The share is empty and usable again. */
void share_flush(struct share *s);
/* Frees the share, after share_flush(). */
void share_free(struct share *s);

/* Reports the waits for a disk, as contention() does. */
void contention_disk(struct graph *g, contention_take *take, void *arg);
/* Reports the messages on links, as contention() does. */
void contention_link(struct graph *g, contention_take *take, void *arg);

#endif
