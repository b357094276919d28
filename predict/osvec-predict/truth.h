/* SPDX-License-Identifier: MIT */
/*
 * truth.h - what applications were measured to take on machines, a table that people write:
 *
 *	# application	machine	what	seconds...
 *	redis-set	native	cpu	1.91e-5	1.95e-5	1.90e-5
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <stddef.h>

#include "util/error.h"
#include "util/map.h"

enum truth_kind {
	TRUTH_CPU,  /* CPU seconds per unit */
	TRUTH_WALL, /* seconds per unit, of an application that does one thing after the other */
	TRUTH_RATE, /* seconds between units as clients see them: overlap and queues are in it, so that
			   only its order is compared */
	TRUTH_KINDS
};

struct truth_row {
	char *application, *machine;
	enum truth_kind kind;
	double median, low, high; /* of the repetitions, in seconds per unit */
	size_t repetitions;
	size_t line; /* of the file, from 1 */
};

/* Zeroed is valid and empty. */
struct truth {
	struct truth_row *v;
	size_t n, cap;
	struct names keys; /* of each row what it is about */
};

/* "cpu" */
const char *truth_kind_name(enum truth_kind kind);
/* Adds the rows of a file.  0, or -1 and *e: a line with fewer than four columns, a time that is
 * not positive and finite, or that says again what another line says. */
int truth_read(struct truth *t, const char *path, struct error *e);
/* The row, or NULL. */
const struct truth_row *truth_find(const struct truth *t, const char *application,
				   const char *machine, enum truth_kind kind);
void truth_free(struct truth *t);

#endif
