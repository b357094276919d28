/* SPDX-License-Identifier: MIT */
/*
 * recount.h - for ktranal vector: how often an untraced run made each call.
 *
 * Tracing changes how often some calls are made: a traced server is slow, finds more to do each
 * time it asks what is ready, and so asks less often.  Sizes, kinds and results come from the
 * trace, the numbers of calls from the untraced run, if its calls were counted.
 */
#ifndef RECOUNT_H
#define RECOUNT_H

#include <stdio.h>

#include "trace/event.h"
#include "util/vec.h"
#include "vector/profile.h"
#include "vector/timefile.h"
#include "view/selection.h"

/* Zeroed: no calls were counted. */
struct recount {
	bool known;
	VEC(struct recounted_call) calls; /* by id */
};

/* Takes the counts of that run, of the programs that are selected. */
void recount_make(struct recount *r, const struct time_run *run, const struct selection *s);
/* A trace begins, and has that event. */
void recount_begin(struct recount *r);
void recount_take(struct recount *r, const struct event *e);
/* From now on a call of the trace counts in p as many as the untraced run made for it. */
void recount_weigh(const struct recount *r, struct profile *p);
/* Adds the calls that the trace lacks, of which nothing but their number is known. */
void recount_add_unseen(const struct recount *r, struct profile *p);
/* A table of the calls whose number tracing changed much, if there are any. */
void recount_print(const struct recount *r, FILE *f);
/* Returns the memory. */
void recount_free(struct recount *r);

#endif
