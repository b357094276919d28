/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - keeps all events of a run in memory and writes them as a space-time diagram (SVG), a
 * Chrome trace (for Perfetto), a Paraver trace, or a trace with marks (for critpath).
 *
 * 	struct timeline t = { 0 };
 * 	struct observer o = timeline_observer(&t);
 * 	... engine_run() with o ...
 * 	timeline_svg(&t, &view, f);
 */
#ifndef NETWORK_TIMELINE_H
#define NETWORK_TIMELINE_H

#include <stdio.h>

#include "network/engine.h"

enum { TIMELINE_RECORDS = 20000000 }; /* of each kind; further ones are counted in left_out */

/* A zeroed struct is valid and empty. */
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

/* What an engine must be given so that it fills the timeline, which must outlive the run. */
struct observer timeline_observer(struct timeline *t);
/*
 * Draws a row for each rank, with its states as bars and messages as lines between rows, red if
 * others delayed them.  Of several bars on one pixel the longest is drawn; of more than 5000
 * messages only every k-th is drawn, as the legend says.
 */
void timeline_svg(const struct timeline *t, const struct timeline_view *view, FILE *f);
/* Writes Chrome's JSON: a thread for each rank and an arrow for each message. */
void timeline_chrome(const struct timeline *t, uint32_t ranks, FILE *f);
/* Writes Paraver's .prv: states (1 running, 15 overhead, 3 wire, 9 contention, 5 peer) and
 * communications, sorted by time, in ns. */
void timeline_paraver(struct timeline *t, uint32_t ranks, double seconds, FILE *f);
/*
 * Writes a .ktr trace to fd.  Ranks become processes in the states compute and overhead.  Messages
 * in flight become threads, in the states behind (queued after earlier messages between the same
 * two ranks), wire, and contention with the name of the link.  A message that arrived before its
 * rank waited is received when the rank next waits.  Returns 0, or -1 and sets *e.
 */
int timeline_ktr(struct timeline *t, const struct topology *topology, const struct engine_result *r,
		 int fd, struct error *e);
/* Sorts the messages by the time at which they were sent. */
void timeline_sort_messages(struct timeline *t);
/* Frees the memory. */
void timeline_free(struct timeline *t);

#endif
