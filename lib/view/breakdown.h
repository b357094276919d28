/* SPDX-License-Identifier: MIT */
/* breakdown.h - splits the time of each interval of a trace into user time, calls by class or name,
 * and waiting; in total or by CPU, process or thread. */
#ifndef VIEW_BREAKDOWN_H
#define VIEW_BREAKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"
#include "util/vec.h"
#include "view/idle.h"

enum breakdown_by { BREAKDOWN_ALL, BREAKDOWN_CPU, BREAKDOWN_PROCESS, BREAKDOWN_THREAD };

/* A zeroed struct is valid and empty. */
struct breakdown {
	/* Set by the caller: */
	enum breakdown_by by;
	bool names;	  /* calls by name instead of class */
	int64_t interval; /* ns; 0: grows with the trace (BREAKDOWN_INTERVALS) */
	bool (*wants)(const struct idle_piece *piece); /* which pieces count; NULL: all */

	/* Results: */
	struct names classes; /* "user", "waiting", "runnable", and those of calls */
	VEC(struct breakdown_unit {
		size_t process; /* its number; SIZE_MAX: a CPU, or all processes */
		uint32_t id;	/* number of the CPU, or thread ID */
	})
	units;
	int64_t first, last; /* numbers of intervals; interval i begins at i * interval */
	int64_t from, to;    /* ns: of all pieces; from == to: there are none */
	struct map cpus;     /* those on which a thread ran */
	bool too_fine; /* more than BREAKDOWN_MOST intervals would be needed: nothing was counted */

	/* Private: */
	bool grows, begun;
	struct map unit_numbers, cells;
	VEC(size_t) of_call; /* class plus one, by id */
};

enum { BREAKDOWN_INTERVALS = 40, BREAKDOWN_MOST = 1 << 20 };
/* The first classes; those of calls begin with "other". */
enum { BREAKDOWN_USER, BREAKDOWN_WAITING, BREAKDOWN_RUNNABLE, BREAKDOWN_OTHER };

struct breakdown_cell {
	int64_t interval;
	size_t unit, class;
	int64_t ns;
};

/* Adds a piece; to be used as idle.take, with the struct breakdown as its argument. */
void breakdown_take(void *breakdown, const struct idle_piece *piece);
/* Returns for how many ns of an interval there are pieces. */
int64_t breakdown_length(const struct breakdown *b, int64_t interval);
/* Returns the ns that a unit spent in a class during an interval. */
int64_t breakdown_ns(const struct breakdown *b, int64_t interval, size_t unit, size_t class);
/* Iterates over all that are not 0, in no particular order: start with *at = 0.  False at the end.
 */
bool breakdown_next(const struct breakdown *b, size_t *at, struct breakdown_cell *out);
/* Frees everything. */
void breakdown_free(struct breakdown *b);

#endif
