/* SPDX-License-Identifier: MIT */
/*
 * measured.h - times of applications as measured on machines, a table that people write:
 *
 *	# application	machine	what	seconds...
 *	redis-set	native	cpu	1.91e-5	1.95e-5	1.90e-5
 */
#ifndef MEASURED_H
#define MEASURED_H

#include <stddef.h>

#include "util/error.h"
#include "util/map.h"

enum measured_kind {
	MEASURED_CPU,  /* CPU seconds per unit */
	MEASURED_WALL, /* seconds per unit, of an application without overlap */
	MEASURED_RATE, /* seconds between units as clients see them: with overlap and queueing, so that only
			   their order is compared */
	MEASURED_KINDS
};

struct measured_row {
	char *application, *machine;
	enum measured_kind kind;
	double median, low, high; /* of the repetitions, in seconds per unit */
	size_t repetitions;
	size_t line; /* of the file, from 1 */
};

/* Zeroed is valid and empty. */
struct measured {
	struct measured_row *v;
	size_t n, cap;
	struct names keys; /* of each row what it is about */
};

/* "cpu" */
const char *measured_kind_name(enum measured_kind kind);
/* Adds the rows of a file.  0, or -1 and *e: a line with fewer than four columns, a time that is
 * not positive and finite, or two lines of the same application,
 * machine and kind. */
int measured_read(struct measured *t, const char *path, struct error *e);
/* The row, or NULL. */
const struct measured_row *measured_find(const struct measured *t, const char *application,
					 const char *machine, enum measured_kind kind);
void measured_free(struct measured *t);

#endif
