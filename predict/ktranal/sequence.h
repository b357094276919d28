/* SPDX-License-Identifier: MIT */
/* sequence.h - the selected calls of a trace, in the order in which they began. */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "callrow.h"
#include "completeness.h"
#include "trace/source.h"
#include "view.h"

struct sequence {
	const struct view *view;
	bool arguments;		/* rows have them */
	bool by_process;	/* all rows of the first process first, then those of the next */
	uint64_t window;	/* bytes of calls that wait for an earlier one to end */
	/* Called before the first row, and with each one, for the duration of the call. */
	void (*begin)(const struct source_info *info);
	void (*row)(const struct callrow *r);
	/* Filled. */
	struct completeness completeness;
	uint64_t late;		/* rows that came too late for their place */
};

/* The row of a table of options for .window, in a struct sequence called s. */
#define SEQUENCE_WINDOW(s) \
	{ 0, "window", OPT_SIZE, &(s).window, "BYTES", 4096, 1e15, \
	  "memory to wait for calls that last long (default 64m)" }
enum { SEQUENCE_WINDOW_DEFAULT = 64 << 20 };

/* Reads the trace to its end.  0, or -1 after a warning. */
int sequence_read(struct sequence *s, const char *path);
/* Below a table: the completeness and, if so, that rows are out of order. */
void sequence_print_end(const struct sequence *s);

#endif
