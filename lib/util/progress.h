/* SPDX-License-Identifier: MIT */
/* progress.h - shows the progress of a long job on stderr: a bar that is redrawn on a terminal, one
 * line per step elsewhere.  For programs, not for lib/. */
#ifndef UTIL_PROGRESS_H
#define UTIL_PROGRESS_H

#include <stdbool.h>

struct progress {
	const char *what; /* such as "measuring" */
	bool terminal, quiet;
	double started, drawn; /* CLOCK_MONOTONIC seconds */
};

/* Starts the clock.  If quiet is true, nothing is ever printed. */
void progress_start(struct progress *p, const char *what, bool quiet);
/* Draws the bar on a terminal, at most ten times a second: share in [0, 1] done, seconds left
 * (estimated if left < 0), and a note such as the present entry. */
void progress_show(struct progress *p, double share, double left, const char *note);
/* Prints a line at the end of a step (a round), above the bar on a terminal. */
void progress_line(struct progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Removes the bar. */
void progress_end(struct progress *p);

#endif
