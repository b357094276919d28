/* SPDX-License-Identifier: MIT */
/* analysis.h - what hbench analyze found out about machines, as text and as JSON. */
#ifndef DRIVER_ANALYSIS_H
#define DRIVER_ANALYSIS_H

#include <stddef.h>

#include <jansson.h>

#include "decomposition.h"
#include "hierarchy.h"
#include "movement.h"

#define ANALYSIS_CURVE "lat_mem_rd_*_random_4k" /* in which memory's levels are looked for */

/* One machine. */
struct analysis {
	char label[8]; /* "A" for the first; what tables and sentences call it */
	const struct osvec *vector;
	struct findings findings;
	struct hierarchy memory;
	double line; /* bytes in a cache line; 0: not known */
};

/* Prints the n > 0 machines: one with a paragraph per deviation; of several, how they differ from
 * the first.  all: of one, also what cannot be explained, and which entries that needs. */
void analysis_print(const struct analysis *a, size_t n, double margin, bool all);
/* The same as a document (hbench(1)), which the caller drops. */
json_t *analysis_json(const struct analysis *a, size_t n, double margin);

#endif
