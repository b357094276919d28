/* SPDX-License-Identifier: MIT */
/*
 * marks.h - reads the marks that a program wrote with osvec-mark(3) and converts them to events
 * with times of the trace.
 *
 * Before its first mark each thread calls lseek(-1, TIME, MARK_SYNC), which fails.  The trace
 * contains that call, so its argument shows how the clock of the marks relates to the clock of the
 * trace, and that the thread's file is one of this run.
 */
#ifndef GRAPH_MARKS_H
#define GRAPH_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/error.h"

struct marks;

/* Opens the mark files in a directory.  Returns NULL and sets *e if they cannot be read or there
 * are none. */
struct marks *marks_open(const char *directory, struct error *e);
/* Must be called with each event of the trace, in order: it may be the call that relates the
 * clocks. */
void marks_sync(struct marks *m, const struct event *e);
/* If a mark was made up to `until`, a time of the trace, stores the earliest one in *out and
 * returns true.  The mark's name lives as long as m. */
bool marks_next(struct marks *m, int64_t until, struct event *out);
/* Frees m.  Returns how many files were left out because no thread of the trace began them, or -1
 * and sets *e if a file is damaged or the clocks could not be related. */
int marks_close(struct marks *m, struct error *e);

#endif
