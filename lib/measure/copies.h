/* SPDX-License-Identifier: MIT */
/*
 * copies.h - the same operation several times at once: copies of the benchmark, as processes or as
 * threads, of which the first leads: it decides how many operations make a batch, and reports.
 *
 * In every batch all copies prepare, meet, start together and do the same number of operations.  A
 * copy that has done them goes on, untimed, until the slowest has: each operation that is timed is
 * done while all copies run, except before the last has started.  The batch that the first gets is
 * the sum of all.
 */
#ifndef MEASURE_COPIES_H
#define MEASURE_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/batch.h"

/* Why there cannot be several copies of this (as threads, of one object), or NULL. */
const char *copies_reason(const struct bench *bench, bool threaded, bool shared);
/* Prepares for n copies, n > 1, of which the calling process becomes the first; each gets the next
 * of these CPUs, and again the first after the last (ncpus 0: any).  The list must stay valid. Ends
 * the program on failure, as all of these do. */
void copies_open(size_t n, const int *cpus, size_t ncpus);
/* Forks the others.  They get SIGTERM when the first ends before copies_finish. */
void copies_fork(void);
/* Starts the others as threads of this process, which has made the first's object: they make their
 * own, or share that, and follow. */
void copies_start_threads(const struct bench *bench, bool shared);
/* Pins this copy to its CPU and opens its account. */
void copies_settle(enum account_scope scope);

/* The number of copies; 1 without copies_open. */
size_t copies_count(void);
/* Which of them the caller is, counted from 0. */
size_t copies_index(void);

/* Of the first: waits until all others follow.  NULL, or why one cannot (valid until the end). */
const char *copies_await(void);
/* Of another: says why it cannot follow, and ends it. */
_Noreturn void copies_refuse(const char *reason);
/* Of another: takes part in all batches; returns when there are no more. */
void copies_follow(const struct bench *bench);
/* Of the first: no more batches; returns when the other processes have ended. */
void copies_finish(void);

/* The steps of a batch (batch_run), which do nothing without copies. */

/* Announces a batch of n operations to the other copies. */
void copies_announce(uint64_t n);
/* Returns when all copies have called it. */
void copies_meet(void);
/*
 * Tells the others that *own, timed by clock_nanoseconds() from start to end, is done, repeats its
 * work until it is done by all, and adds the batches of the others to *own if this is the first.
 */
void copies_complete(const struct bench *bench, struct batch *own, uint64_t start, uint64_t end);

/* Forgets the batches so far. */
void copies_reset(void);
/* Ticks per operation of a copy, the median of the batches since then. */
double copies_ticks(size_t i);
/* The share of the copies' time since then in which all of them ran. */
double copies_together(void);

#endif
