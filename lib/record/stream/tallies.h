/* SPDX-License-Identifier: MIT */
/* tallies.h - stores the calls that the kernel only counts, because their thread has made one like
 * them before. */
#ifndef STREAM_TALLIES_H
#define STREAM_TALLIES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/sink.h"
#include "record/stream/records.h"
#include "util/map.h"

/* Reads the tally that the kernel keeps of a kind of calls into *tally, and removes it there unless
 * `keep` is set.  Returns false if there is none. */
typedef bool tallies_take(void *arg, const struct record_kind *kind, struct record_tally *tally,
			  bool keep);

/* Set sink, and take and its argument if anything is ever counted, and zero the rest. */
struct tallies {
	struct sink *sink;
	tallies_take *take;
	void *arg;
	struct map threads; /* private: tid -> struct kinds * */
};

/* Notes that calls of that kind are counted from now on.  `first` is the event of the first one,
 * NULL if they are not wanted in the trace. */
void tallies_add(struct tallies *a, const struct record_kind *kind, const struct event *first);
/* Stores the calls of thread tid that were counted, as events that end at that time of the trace
 * (ns), and forgets the thread.  Returns the number of calls, including unwanted ones. */
uint64_t tallies_store(struct tallies *a, uint32_t tid, int64_t time);
/* Does the same for all threads. */
uint64_t tallies_store_all(struct tallies *a, int64_t time);
/* Stores the calls of all threads that were counted and not stored yet, and lets the kernel go on
 * counting.  Returns their number. */
uint64_t tallies_store_so_far(struct tallies *a, int64_t time);
/* Forgets and frees everything. */
void tallies_free(struct tallies *a);

#endif
