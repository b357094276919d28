/* SPDX-License-Identifier: MIT */
/* placement.h - where the parties run: which of the allowed CPUs, and how far apart. */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include <stdbool.h>

#include "util/error.h"

enum placement {
	PLACEMENT_SAME,	   /* both on one CPU */
	PLACEMENT_OTHER,   /* the peer on another CPU of the same package */
	PLACEMENT_PACKAGE, /* the peer on a CPU of another package */
	PLACEMENT_APART,   /* the first of other, package and same that there is */
	PLACEMENT_FREE,	   /* nobody is pinned */
};

struct placed {
	enum placement placement;
	int cpu, peer; /* -1: not pinned */
};

/*
 * Parses "same", "other", "package", "apart", "free" or CPU numbers "2" or "2,5" (own and the peer's).  0, or
 * -1 and *e for what is none of them.
 */
int placement_parse(const char *s, struct placed *p, struct error *e);
/*
 * Fills in the CPUs that p leaves open from those this process may use: the first one that is not
 * CPU 0, which takes most interrupts, and a peer without shared core where there is one.  0, or
 * -1 and *e when the machine (or the allowed set) has no such pair.
 */
int placement_resolve(struct placed *p, struct error *e);
/* Pins the calling thread; -1: leaves it alone.  0, or -1 and *e. */
int placement_pin(int cpu, struct error *e);
/* "same", "other", "package", "apart" or "free". */
const char *placement_name(enum placement placement);

#endif
