/* SPDX-License-Identifier: MIT */
/* events.h - what states would take if events of the CPU were rarer, or cost less. */
#ifndef CRITPATH_EVENTS_H
#define CRITPATH_EVENTS_H

#include "../common/hypotheses.h"
#include "../common/load.h"

/* Returns 0 if the words have one of the forms below; otherwise sets *e and returns -1. */
int events_check(const char *words, struct error *e);
/*
 * "PART=FACTOR": that part of the stack of cpistack(1) takes FACTOR times as long in every state;
 * the formulas are read from a file, or conf/cpi.conf.  "EVENT=FACTOR@TIME": an event, each of
 * which costs TIME.  Scales the states of *c and returns what it is of the time in which threads
 * ran, 0 to 1; or -1, and sets *e, if the trace has no such counter, the formulas no such part, or
 * the time would be more than threads ran.
 */
double events_change(struct hypothesis *c, struct load *l, const char *formulas, const char *words,
		     struct error *e);

#endif
