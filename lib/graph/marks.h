/* SPDX-License-Identifier: MIT */
/*
 * marks.h - the marks that threads of a program made with osvec-mark(3), as events at their times
 * of a trace.
 *
 * Before its first mark each thread calls lseek(-1, TIME, MARK_SYNC), which fails; where the trace
 * has such a call, it shows what its own time then was.
 */
#ifndef MARKS_H
#define MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/error.h"

struct marks;

/* Those of the files in a directory.  NULL and *e: it cannot be read, or has none. */
struct marks *marks_open(const char *directory, struct error *e);
/* An event of the trace, in its order: perhaps the call that shows the time. */
void marks_sync(struct marks *m, const struct event *e);
/* True: *out is the next mark in order of time, which was made by `until`, a time of the trace.
 * Its name lives as long as m. */
bool marks_next(struct marks *m, int64_t until, struct event *out);
/* Returns the memory.  0, or -1 and *e: a file is damaged, or the times are unknown. */
int marks_close(struct marks *m, struct error *e);

#endif
