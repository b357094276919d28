/* SPDX-License-Identifier: MIT */
/* placement.h - on which CPUs the parties of a benchmark run. */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include <stdbool.h>

#include "util/error.h"

enum placement {
	PLACEMENT_SAME,	   /* both on one CPU */
	PLACEMENT_OTHER,   /* the peer on another CPU of the same package */
	PLACEMENT_PACKAGE, /* the peer on a CPU of another package */
	PLACEMENT_APART,   /* other, else package, else same */
	PLACEMENT_FREE,	   /* nothing is pinned */
};

struct placed {
	enum placement placement;
	int cpu, peer; /* -1: not pinned */
};

/* Parses "same", "other", "package", "apart", "free", or the CPU numbers of both parties, "2" or
 * "2,5".  0, or -1 and *e. */
int placement_parse(const char *s, struct placed *p, struct error *e);
/*
 * Chooses CPUs for a placement given by name: of those this process may use the first that is not
 * CPU 0, which takes most interrupts, and a peer on another core if possible.  0, or -1 and *e when
 * no pair of allowed CPUs fits.
 */
int placement_resolve(struct placed *p, struct error *e);
/* Pins the calling thread to a CPU; does nothing if cpu is -1.  0, or -1 and *e. */
int placement_pin(int cpu, struct error *e);
/* Returns "same", "other", "package", "apart" or "free". */
const char *placement_name(enum placement placement);

#endif
