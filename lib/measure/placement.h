/* SPDX-License-Identifier: MIT */
/* placement.h - on which CPUs the parties of a benchmark run. */
#ifndef MEASURE_PLACEMENT_H
#define MEASURE_PLACEMENT_H

#include <stdbool.h>

#include "util/error.h"

enum placement {
	/* The peer, as enum cpus_relation says. */
	PLACEMENT_SAME,	   /* on the same CPU */
	PLACEMENT_SIBLING, /* on another hardware thread of the same core */
	PLACEMENT_OTHER,   /* on another core that shares the last level of cache */
	PLACEMENT_FAR,	   /* on another core of the package that does not */
	PLACEMENT_PACKAGE, /* in another package */
	PLACEMENT_APART,   /* on another CPU: other, else far, else package, else sibling */
	PLACEMENT_FREE,	   /* nothing is pinned */
	PLACEMENT_REMOTE,  /* on another machine; this process is placed as by PLACEMENT_SAME */
};

struct placed {
	enum placement placement;
	int cpu, peer; /* -1: not pinned */
};

/* The variable of the environment by which hbench visits another CPU in each round. */
#define PLACEMENT_VARIABLE "OSVEC_CPU"

/* The names of all placements, for messages. */
extern const char placement_names[];

/* Parses the name of a placement, or the CPU numbers of both parties, "2" or "2,5".  0, or -1 and
 * *e. */
int placement_parse(const char *s, struct placed *p, struct error *e);
/*
 * Chooses CPUs for a placement given by name: of those this process may use the one that the
 * environment names, else the first that is not CPU 0, which takes most interrupts; and a peer.  0,
 * or -1 and *e when no pair of allowed CPUs fits.
 */
int placement_resolve(struct placed *p, struct error *e);
/* Returns "same", "sibling" and so on. */
const char *placement_name(enum placement placement);

#endif
