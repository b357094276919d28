/* SPDX-License-Identifier: MIT */
/*
 * stretches.h - joins what the counters of the CPUs counted with what the threads did meanwhile.
 *
 * A stretch is the time from one reading of the counters to the next in which a thread had a CPU.
 * Recordings read them at each switch and every 10 ms; of a state that took part of a stretch the
 * counts are that part, as if their rates had been the same in all of it.
 */
#ifndef GRAPH_STRETCHES_H
#define GRAPH_STRETCHES_H

#include "counters/counts.h"
#include "graph/graph.h"
#include "trace/event.h"

struct stretch {
	uint32_t tid;
	int64_t from, to; /* ns */
	size_t who;	  /* for the caller */
	size_t first, n;  /* in the counts */
};

/* A zeroed struct is valid and empty. */
struct stretches {
	VEC(struct stretch) v;
	struct names events;
	VEC(struct counts_row) counts;
};

/* Adds a COUNTER event.  Returns the stretch that it begins, valid until the next call, or NULL if
 * it begins none. */
struct stretch *stretches_event(struct stretches *s, const struct event *e);
/* Sorts the stretches; must be called after all events and before the functions below. */
void stretches_sort(struct stretches *s);

/* Receives the part of a stretch that is between two times. */
typedef void stretch_take(void *arg, const struct stretch *x, int64_t from, int64_t to);
/* Passes the parts of the stretches of a thread that are in that time, in order. */
void stretches_between(const struct stretches *s, uint32_t tid, int64_t from, int64_t to,
		       stretch_take *take, void *arg);
/* Receives the part in which the thread was in a state of the graph. */
typedef void stretch_take_state(void *arg, const struct stretch *x, int64_t from, int64_t to,
				uint16_t state);
/* Passes the parts of all stretches by state, in the order of the tape. */
void stretches_by_state(const struct stretches *s, struct graph *g, stretch_take_state *take,
			void *arg);

/* Adds that part of a stretch to counts as a slice of the unit; `begin` seconds go before it. */
void stretches_count(const struct stretches *s, const struct stretch *x, int64_t from, int64_t to,
		     struct counts *c, size_t unit, double begin);
/* Frees everything. */
void stretches_free(struct stretches *s);

#endif
