/* SPDX-License-Identifier: MIT */
/* tallies.h - calls that the kernel only counts, because the thread has made one like them before.
 */
#ifndef TALLIES_H
#define TALLIES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/sink.h"
#include "record/stream/records.h"
#include "util/map.h"

/* Reads the kernel's tally of a kind, and takes it away unless it is to be kept; false: it has
 * none. */
typedef bool tallies_take(void *arg, const struct record_kind *kind, struct record_tally *tally,
			  bool keep);

/* With a sink it is valid and empty; only then are `take` and its argument needed. */
struct tallies {
	struct sink *sink;
	tallies_take *take;
	void *arg;
	struct map threads; /* private: tid -> struct kinds * */
};

/* Calls of that kind are counted from now on.  first: the event of the first; NULL: they are not
 * wanted. */
void tallies_add(struct tallies *a, const struct record_kind *kind, const struct event *first);
/* Stores the calls of thread tid that were counted so far, as of that time of the trace.  Returns
 * their number, of those that are not wanted too. */
uint64_t tallies_store(struct tallies *a, uint32_t tid, int64_t time);
/* The same for all threads. */
uint64_t tallies_store_all(struct tallies *a, int64_t time);
/* Stores the calls of all threads that were counted so far and not yet stored; more of them may
 * come. */
uint64_t tallies_store_so_far(struct tallies *a, int64_t time);
/* Forgets and frees all. */
void tallies_free(struct tallies *a);

#endif
