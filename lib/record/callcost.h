/* SPDX-License-Identifier: MIT */
/*
 * callcost.h - measures how much a backend that stops threads adds to the duration of a call.
 *
 * A child makes null calls, which are recorded only for this, in rounds with a rest between them.
 * Whatever else this machine does meanwhile makes calls last longer, often for several milliseconds
 * and so for a whole round; hence the result is the least of the medians of the rounds.
 */
#ifndef RECORD_CALLCOST_H
#define RECORD_CALLCOST_H

#include <stdint.h>

#include "util/error.h"

struct backend;

/*
 * CALLCOST_CALLS calls of getppid in each of CALLCOST_ROUNDS rounds: enough for a median that a few
 * slow calls do not move, and few enough that by ptrace a round lasts some milliseconds.
 */
enum { CALLCOST_ROUNDS = 5, CALLCOST_CALLS = 61 };

/* Returns the ns that recording by b adds to the duration of a call, or 0 if that is unknown.  Sets
 * *e if b could not be started. */
uint64_t callcost_measure(const struct backend *b, struct error *e);

#endif
