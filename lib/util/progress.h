/* SPDX-License-Identifier: MIT */
/*
 * progress.h - how far a long job is: one line redrawn on a terminal, one line per step elsewhere.
 * The front end of a program: it prints on stderr.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>

struct progress {
	const char *what; /* "measuring" */
	bool terminal, quiet;
	double started, drawn; /* CLOCK_MONOTONIC seconds */
};

/* Starts the clock; quiet draws nothing at all. */
void progress_start(struct progress *p, const char *what, bool quiet);
/* Draws share in [0, 1] done, time left (estimated when left < 0) and a note such as the entry at
 * hand; on a terminal at most ten times a second, elsewhere not at all. */
void progress_show(struct progress *p, double share, double left, const char *note);
/* Ends one step (a round) with a message: a line of its own, above the bar on a terminal. */
void progress_line(struct progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Removes the bar. */
void progress_end(struct progress *p);

#endif
