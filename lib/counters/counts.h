/* SPDX-License-Identifier: MIT */
/*
 * counts.h - files of counts: the text of perf stat -I -x, and what cpistack record writes, which
 * is the same with one group of events in each interval.
 *
 * A row is  time,[unit,]count,,event,running,percent  with the seconds at the end of the interval,
 * whom it is about, the count scaled to all of the interval, the ns in which it was counted and
 * their share.  Rows of one interval that have the same ns were counted together.
 */
#ifndef COUNTERS_COUNTS_H
#define COUNTERS_COUNTS_H

#include <stdio.h>

#include "counters/stack.h"
#include "counters/group.h"

enum counts_mode { COUNTS_ALL, COUNTS_USER, COUNTS_KERNEL, COUNTS_MODES };

/* Events that were counted together. */
struct counts_slice {
	double from, to; /* seconds */
	size_t unit;
	enum counts_mode mode;
	double enabled, running; /* ns */
	size_t first, n;	 /* in the rows */
};

struct counts_row {
	size_t event;
	double count; /* while it was counted */
};

/* Zeroed is valid and empty. */
struct counts {
	char *stack, *command;	  /* of a recording; NULL: not known */
	struct names units;	  /* a process, thread or CPU; "" for all */
	struct names events;	  /* without modifiers */
	struct names unsupported; /* those that the machine did not have */
	VEC(struct counts_slice) slices;
	VEC(struct counts_row) rows;
};

/* Adds the rows of a file, which end before the next one's begin.  0, or -1 and *e. */
int counts_read(struct counts *c, const char *path, struct error *e);
/* Frees what counts_read() read. */
void counts_free(struct counts *c);

/* The first lines of a recording, and a slice of it. */
void counts_write_head(FILE *f, const char *stack, const char *command);
void counts_write(FILE *f, double seconds, const char *unit, enum counts_mode mode,
		  const char *const *names, const struct group_slice *s);

/* What was counted of the events of a stack, of one unit, mode and stretch of time or several. */
struct counted {
	struct counters counters;
	double whole; /* of the carrier */
	double time;  /* ns in which something was counted */
};

/* Event of the stack by event of the file; SIZE_MAX: not in it.  The caller frees. */
size_t *counts_match(const struct counts *c, const struct formulas *f);
/* The stack of which all events are in the file, the one with the most events.  NULL and *e, which
 * names what is missing. */
const struct formulas *counts_stack(const struct counts *c, const struct formula_file *file,
				    const char *name, struct error *e);
/* The carrier: 0 (cycles) where every slice has it, else SIZE_MAX (time). */
size_t counts_carrier(const struct counts *c, const size_t *match);
/*
 * Adds the slices of the moment that begins with slice i (all of one time, unit and mode) to
 * *into, which has the events of the stack.  Returns the slice behind it.
 */
size_t counts_add(const struct counts *c, size_t i, const size_t *match, size_t carrier,
		  struct counted *into);

#endif
