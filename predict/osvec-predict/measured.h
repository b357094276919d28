/* SPDX-License-Identifier: MIT */
/* measured.h - times of applications as measured on machines: the table of osvec-predict(1),
 * Validation. */
#ifndef OSVEC_PREDICT_MEASURED_H
#define OSVEC_PREDICT_MEASURED_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

enum measured_kind {
	MEASURED_CPU,  /* CPU seconds per unit */
	MEASURED_WALL, /* seconds per unit, of an application without overlap */
	MEASURED_RATE, /* seconds between units as clients see them: with overlap and queueing, so
			  that only their order is compared */
	MEASURED_KINDS
};

struct measured_row {
	char *application, *machine;
	enum measured_kind kind;
	double median, low, high; /* of the repetitions, in seconds per unit */
	size_t repetitions;
	bool ascending; /* in the file none is less than the one before it */
	size_t line;	/* of the file, from 1 */
};

/* Zeroed is valid and empty. */
struct measured {
	struct measured_row *v;
	size_t n, cap;
};

extern const char *const measured_kind_names[MEASURED_KINDS]; /* "cpu", ... */

/* Adds the rows of a file.  0, or -1 and *e: a line with fewer than four columns, a time that is
 * not positive and finite, or two lines of the same application, machine and kind. */
int measured_read(struct measured *t, const char *path, struct error *e);
/* The row, or NULL. */
const struct measured_row *measured_find(const struct measured *t, const char *application,
					 const char *machine, enum measured_kind kind);
void measured_free(struct measured *t);

#endif
