/* SPDX-License-Identifier: MIT */
/*
 * hierarchy.h - the levels of memory as the steps of a curve: the latency of a load against the
 * size of the buffer stays flat while a level holds the buffer, and rises beyond.
 */
#ifndef DRIVER_HIERARCHY_H
#define DRIVER_HIERARCHY_H

#include <stddef.h>

#include "vector/osvec.h"

struct level {
	double from, to;  /* the smallest and the largest buffer measured in it */
	double next;	  /* the next larger buffer measured, which it does not hold; 0: none */
	double seconds;	  /* of a load: the geometric mean of its points */
	double low, high; /* its fastest and its slowest point */
};

struct hierarchy {
	struct level *v;
	size_t n, cap;
};

/*
 * The levels on a curve of v, the nearest first; none when v lacks it.  A level is two points or
 * more that differ by less than a fourth; neighbours that differ by less than a half are one level:
 * no cache is so slightly faster than the next, the rest are misses of the TLB.
 */
struct hierarchy hierarchy_find(const struct osvec *v, const char *curve);
/* Bytes in a line of the caches: the shortest stride of the entries lat_line_* that takes more than
 * half as long again as the shortest of all; 0: not known. */
double hierarchy_line(const struct osvec *v);
/* Returns the memory. */
void hierarchy_free(struct hierarchy *h);

#endif
