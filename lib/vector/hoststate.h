/* SPDX-License-Identifier: MIT */
/*
 * hoststate.h - the state of a host while something ran on it: what two works that are always the
 * same (measure/canary.h) took then.  In files a member "canaries": {"code": SECONDS, "call":
 * SECONDS}, which is missing where it is not known.
 */
#ifndef VECTOR_HOSTSTATE_H
#define VECTOR_HOSTSTATE_H

#include "json/json.h"
#include "vector/osvec.h"

/* Seconds per step of each of osvec_canary_names; NaN: not known. */
struct hoststate {
	double seconds[OSVEC_CANARIES];
};

/* Of the object o, which may be NULL. */
struct hoststate hoststate_read(struct fields *f, const json_t *o);
/* Adds it to o, if it is known. */
void hoststate_write(json_t *o, const struct hoststate *s);
/*
 * How much longer than while v was measured CPU time took in state s: in *user that in user mode,
 * by the first canary; in *system that in the kernel, which depends on both as much: by their
 * geometric mean.  1 where one is not known, or has changed by more than a factor of two, which no
 * other user of a host explains.
 */
void hoststate_slower(const struct hoststate *s, const struct osvec *v, double *user,
		      double *system);

#endif
