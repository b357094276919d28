/* SPDX-License-Identifier: MIT */
/*
 * loops.h - the state of a host while something ran on it: what the reference loops took then
 * (measure/canary.h).  In files a member "canaries": {"code": SECONDS, "call": SECONDS}.
 */
#ifndef VECTOR_LOOPS_H
#define VECTOR_LOOPS_H

#include <stdbool.h>

#include "json/json.h"

/* Seconds of one run of the bytecode, and of one call; NaN: not known. */
struct loops {
	double code, call;
};

/* Of the object o of a file. */
struct loops loops_read(struct fields *f, const json_t *o);
/* Adds them to o; nothing where neither is known. */
void loops_write(json_t *o, const struct loops *l);

/*
 * How many times as long in state a CPU time takes as in state b: in *user that in user mode, by
 * the loop "code"; in *system that in the kernel, by the geometric mean of the ratios of both
 * loops.  Where one of the ratios is above 2 or below 1/2, which is rather another machine than
 * another state, or not known, both are 1.  Whether all are known, and so far apart.
 */
bool loops_slower(const struct loops *a, const struct loops *b, double *user, double *system);

#endif
