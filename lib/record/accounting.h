/* SPDX-License-Identifier: MIT */
/*
 * accounting.h - how much CPU time, faults and context switches each recorded process has used,
 * read from /proc or reported by the kernel thread by thread.
 *
 * Usage up to the moment at which the recording of a process begins is not counted.
 */
#ifndef RECORD_ACCOUNTING_H
#define RECORD_ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "record/sink.h"
#include "record/stream/records.h"
#include "util/map.h"

/* Set sink, which stays the caller's, and zero the rest. */
struct accounting {
	struct sink *sink;
	struct map processes; /* pid -> struct process *, of the processes known so far */
};

/* Reads from /proc what process pid has used so far into *r.  Context switches, those of the
 * threads that still exist, are read only if the sink takes usage.  Returns 0, or -1 and zeros if
 * nothing can be read. */
int accounting_read(const struct accounting *u, uint32_t pid, struct record_usage *r);
/* Starts to account for process pid.  `alive` is what its only thread has used so far, which is not
 * counted. */
void accounting_begin(struct accounting *u, uint32_t pid, const struct record_usage *alive);
/* Starts to account for a process that is running already: what /proc says that it has used so far
 * is not counted. */
void accounting_attach(struct accounting *u, uint32_t pid);
/* Sets what the threads of process pid that have ended used in all, in place of what was known. */
void accounting_past(struct accounting *u, uint32_t pid, const struct record_usage *dead);
/* Adds what a thread of process pid that has ended used. */
void accounting_thread_ends(struct accounting *u, uint32_t pid, const struct record_usage *thread);
/* Stores in the sink what process pid has used since the last time that this was stored, or that it
 * is unknown if no record said anything about it.  `alive` is what its only living thread has used,
 * NULL if no thread is left; `time` is in ns of the trace. */
void accounting_store(struct accounting *u, uint32_t pid, int64_t time,
		      const struct record_usage *alive);
/* Does the same with what /proc says.  Returns 0, or -1 and stores nothing if that cannot be read.
 */
int accounting_store_present(struct accounting *u, uint32_t pid, int64_t time);
/* Forgets process pid, which has ended. */
void accounting_end(struct accounting *u, uint32_t pid);
/* Frees everything except the sink. */
void accounting_free(struct accounting *u);

#endif
