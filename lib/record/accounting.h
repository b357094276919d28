/* SPDX-License-Identifier: MIT */
/* accounting.h - what the processes that are recorded have used: from /proc, or as the kernel says
 * of each thread. */
#ifndef ACCOUNTING_H
#define ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "record/sink.h"
#include "record/stream/records.h"
#include "util/map.h"

/* With a sink it is valid and empty. */
struct accounting {
	struct sink *sink;
	struct map processes; /* those that are known: pid -> struct process * */
};

/* What process pid has used so far, from /proc; context switches, of the threads that exist, are
 * for who takes usage alone.  0, or -1 and zeros: nothing can be read of it. */
int accounting_read(const struct accounting *u, uint32_t pid, struct record_usage *r);
/* Process pid is recorded from now on; alive: what its only thread has used. */
void accounting_begin(struct accounting *u, uint32_t pid, const struct record_usage *alive);
/* What process pid has used by now was before the recording. */
void accounting_attach(struct accounting *u, uint32_t pid);
/* ... of which this by threads that had ended. */
void accounting_past(struct accounting *u, uint32_t pid, const struct record_usage *dead);
/* A thread of it has ended. */
void accounting_thread_ends(struct accounting *u, uint32_t pid, const struct record_usage *thread);
/* Stores what the process used since the last such event, unless no record has said anything of
 * it; alive: its only thread, or NULL: none. */
void accounting_store(struct accounting *u, uint32_t pid, int64_t time,
		      const struct record_usage *alive);
/* The same from /proc.  0, or -1: nothing can be read of it. */
int accounting_store_present(struct accounting *u, uint32_t pid, int64_t time);
/* The process has ended. */
void accounting_end(struct accounting *u, uint32_t pid);
/* Frees all. */
void accounting_free(struct accounting *u);

#endif
