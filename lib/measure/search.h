/* SPDX-License-Identifier: MIT */
/* search.h - how many operations make a batch: doubles them until they last long enough. */
#ifndef MEASURE_SEARCH_H
#define MEASURE_SEARCH_H

#include <stdint.h>

#include "measure/batch.h"
#include "measure/bench.h"
#include "util/error.h"

/* A batch with its hooks may last this many targets; with longer hooks batches become shorter. */
enum { SEARCH_HOOKS = 4 };

struct search {
	const struct bench *bench;
	double target; /* the length of a batch in seconds */
	double tick;   /* seconds */
	double idle;   /* the least account_idle_share of a timing; at first INFINITY */
	const struct eviction *eviction; /* before each timing; or NULL */
};

/* How long n operations take. */
struct timing {
	uint64_t n;
	double ticks; /* roughly, of one copy */
	double wall;  /* seconds with hooks, roughly */
};

/* Times n operations.  0, or -1 and *e. */
int search_time(struct search *s, uint64_t n, struct timing *t, struct error *e);
/* Lowers s->idle to that of b, if b is long enough to tell. */
void search_note_idle(struct search *s, const struct batch *b);
/*
 * Doubles the operations until they last for the target (or for less, when hooks are long), and
 * checks on the way that more operations take longer.  Doubles as the warm-up.  0 and the timing of
 * one batch, or -1 and *e: a batch failed, or more operations took no longer than fewer.
 */
int search_find(struct search *s, struct timing *t, struct error *e);

#endif
