/* SPDX-License-Identifier: MIT */
/*
 * counts.h - files of counts: the text of perf stat -I -x, and what cpistack record writes, which
 * is the same with one group of events in each interval.
 *
 * A row is  time,[unit,]count,,event,[cgroup,]running,percent  with the seconds at the end of the
 * interval, whom it is about, the count scaled to all of the interval, the ns in which it was
 * counted and their share.  Rows of one interval that have the same ns were counted together.  The
 * rows of perf stat --summary, which begin with that word, are skipped.
 */
#ifndef COUNTERS_COUNTS_H
#define COUNTERS_COUNTS_H

#include <stdio.h>

#include "counters/group.h"
#include "util/map.h"

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
	struct names events;	  /* without modifiers; cpu_core/cycles/ is cycles */
	struct names unsupported; /* those that the machine did not have */
	VEC(struct counts_slice) slices;
	VEC(struct counts_row) rows;
};

/* Adds the rows of a file, which end before the next one's begin; a last line without an end is
 * torn, and left out.  0, or -1 and *e. */
int counts_read(struct counts *c, const char *path, struct error *e);
/* For slices that come from elsewhere: puts them from number `first` on in order of their ends. */
void counts_sort(struct counts *c, size_t first);
/* "all", "user" or "kernel"; COUNTS_MODES: another word. */
enum counts_mode counts_mode_of(const char *word);
/* That word for what was counted in several modes, a bit for each. */
const char *counts_modes(unsigned modes);
/* Takes modifiers from the end of a name, ":u", ":ppp", also "cpu/.../u": the mode that they mean.
 */
enum counts_mode counts_take_mode(char *name);
/* Frees what counts_read() read. */
void counts_free(struct counts *c);

/* The first lines of a recording, and a slice of it. */
void counts_write_head(FILE *f, const char *stack, const char *command);
void counts_write(FILE *f, double seconds, const char *unit, enum counts_mode mode,
		  const char *const *names, const struct group_slice *s);

#endif
