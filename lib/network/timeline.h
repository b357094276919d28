/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - all that happened in a run, in memory, and as a space-time diagram (SVG), a Chrome
 * trace (Perfetto reads it), a Paraver trace or a trace with marks (critpath reads it).
 *
 *	struct timeline t = { 0 };
 *	struct observer o = timeline_observer(&t);
 *	... engine_run() with it ...
 *	timeline_svg(&t, &view, f);
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdio.h>

#include "network/engine.h"

enum { TIMELINE_RECORDS = 20000000 }; /* of each kind, at most; the rest is left out */

/* Zeroed is valid: nothing happened. */
struct timeline {
	struct {
		struct timeline_state {
			double from, to;
			uint32_t rank;
			enum rank_state state;
		} * v;
		size_t n, cap;
	} states;
	struct {
		struct message_record *v;
		size_t n, cap;
	} messages;
	uint64_t left_out;
};

/* What a picture shows. */
struct timeline_view {
	const char *title;
	uint32_t ranks;
	double from, to; /* seconds */
};

struct observer timeline_observer(struct timeline *t);
/*
 * A row for each rank, its states as bars and messages as lines between rows, red where others held
 * them up.  Of bars that fall on one place of a row the longest is drawn, and of more than 5000
 * messages every k-th, as the picture says.
 */
void timeline_svg(const struct timeline *t, const struct timeline_view *view, FILE *f);
/* Chrome's JSON: a thread for each rank, an arrow for each message. */
void timeline_chrome(const struct timeline *t, uint32_t ranks, FILE *f);
/* Paraver's .prv: states (1 running, 15 overhead, 3 wire, 9 contention, 5 partner) and
 * communications, in order of time, in ns. */
void timeline_paraver(struct timeline *t, uint32_t ranks, double seconds, FILE *f);
/*
 * A .ktr trace into fd: ranks are threads, in the states compute and overhead, and so are messages
 * on their way, in the states behind (earlier ones of the same two ranks), wire and contention with
 * the name of the link.  A message that was there before its rank waited is received when the rank
 * next stops.  0, or -1 and *e.
 */
int timeline_ktr(struct timeline *t, const struct topology *topology, const struct engine_result *r,
		 int fd, struct error *e);
void timeline_free(struct timeline *t);

#endif
