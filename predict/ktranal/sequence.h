/* SPDX-License-Identifier: MIT */
/* sequence.h - prints the selected calls of a trace as a table, in the order in which they began. */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "view/callrow.h"
#include "view/completeness.h"
#include "trace/source.h"
#include "view/view.h"

struct sequence {
	const struct view *view;
	bool arguments;	 /* rows have them */
	bool by_process; /* all rows of the first process first, then those of the next */
	uint64_t window; /* bytes of calls that wait for an earlier one to end */
	/* Makes the table of a trace; puts a call into its next row. */
	struct table *(*begin)(const struct source_info *info);
	void (*row)(const struct callrow *r, struct table *t);
};

/* The row of a table of options for .window, in a struct sequence called s. */
#define SEQUENCE_WINDOW(s) \
	{ \
		0, "window", OPT_SIZE, &(s).window, "BYTES", 4096, 1e15, \
		    "memory to wait for calls that last long (default 64m)" \
	}
enum { SEQUENCE_WINDOW_DEFAULT = 64 << 20 };

/* Prints the trace, and how complete it is, in the view's format.  0, or -1 after a warning. */
int sequence_print(const struct sequence *s, const char *path);

#endif
