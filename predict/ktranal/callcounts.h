/* SPDX-License-Identifier: MIT */
/*
 * callcounts.h - for ktranal vector: how often an untraced run made each call.
 *
 * Tracing changes how often some calls are made: a traced server is slow, finds more to do each
 * time it asks what is ready, and so asks less often.  Sizes, kinds and results come from the
 * trace, the numbers of calls from the untraced run, if its calls were counted.
 */
#ifndef KTRANAL_CALLCOUNTS_H
#define KTRANAL_CALLCOUNTS_H

#include <stdio.h>

#include "trace/event.h"
#include "util/vec.h"
#include "vector/profile.h"
#include "vector/timefile.h"
#include "view/selection.h"

/* Zeroed: no calls were counted. */
struct callcounts {
	bool known;
	VEC(struct callcount) calls; /* by id */
};

/* Takes the counts of that run, of the programs that are selected. */
void callcounts_make(struct callcounts *r, const struct time_run *run, const struct selection *s);
/* Begins a trace: forgets the calls of the one before. */
void callcounts_begin(struct callcounts *r);
/* Counts an event of the trace, if it is a call. */
void callcounts_take(struct callcounts *r, const struct event *e);
/* Makes each call of the trace count in *p, from now on, for as many as the untraced run made. */
void callcounts_weigh(const struct callcounts *r, struct profile *p);
/* Adds the calls that the trace lacks, of which nothing but their number is known. */
void callcounts_add_unseen(const struct callcounts *r, struct profile *p);
/* Prints a table of the calls whose number tracing changed much, if there are any. */
void callcounts_print(const struct callcounts *r, FILE *f);
/* Frees everything. */
void callcounts_free(struct callcounts *r);

#endif
