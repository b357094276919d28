/* SPDX-License-Identifier: MIT */
/*
 * breakdown.h - what time went to in each interval of a trace, in all, by CPU, process or thread:
 * user, calls by class or name, waiting.
 */
#ifndef BREAKDOWN_H
#define BREAKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"
#include "util/vec.h"
#include "view/idle.h"

enum breakdown_by { BREAKDOWN_ALL, BREAKDOWN_CPU, BREAKDOWN_PROCESS, BREAKDOWN_THREAD };

/* Zeroed is valid and empty. */
struct breakdown {
	/* To be set before. */
	enum breakdown_by by;
	bool names;	  /* calls by name, not by class */
	int64_t interval; /* ns; 0: grows with the trace: at most BREAKDOWN_INTERVALS */
	bool (*wants)(const struct idle_piece *piece); /* others do not count; NULL: all do */

	/* To be read after. */
	struct names classes; /* "user", "waiting", "runnable", and those of calls */
	VEC(struct breakdown_unit {
		size_t process; /* its number; SIZE_MAX: a CPU, or all */
		uint32_t id;	/* CPU, or thread */
	})
	units;
	int64_t first, last; /* intervals: from first * interval on */
	int64_t from, to;    /* ns: of all pieces; from == to: there are none */
	struct map cpus;     /* those on which something ran */
	bool too_fine;	     /* there would be more than BREAKDOWN_MOST: nothing was counted */

	/* Private. */
	bool grows, begun;
	struct map unit_numbers, cells;
	VEC(size_t) of_call; /* class plus one, by id */
};

enum { BREAKDOWN_INTERVALS = 40, BREAKDOWN_MOST = 1 << 20 };
/* The first classes. */
enum { BREAKDOWN_USER, BREAKDOWN_WAITING, BREAKDOWN_RUNNABLE, BREAKDOWN_CALLS };

/* For idle.h: counts a piece; breakdown is a struct breakdown. */
void breakdown_take(void *breakdown, const struct idle_piece *piece);
/* How much of an interval is within from and to: ns. */
int64_t breakdown_length(const struct breakdown *b, int64_t interval);
/* The ns of a unit for a class in an interval. */
int64_t breakdown_ns(const struct breakdown *b, int64_t interval, size_t unit, size_t class);
/* Returns the memory. */
void breakdown_free(struct breakdown *b);

#endif
