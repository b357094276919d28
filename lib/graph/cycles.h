/* SPDX-License-Identifier: MIT */
/*
 * cycles.h - what the time of processors went to, each moment of each processor in one category.
 *
 * A processor that runs a thread is in the category of that thread.  One that runs none is lost to
 * what the threads wait for that do not run, in equal parts if there are more of these than such
 * processors; and if there are fewer, there are too few threads.
 *
 * M. Crovella, T. LeBlanc: Parallel Performance Prediction Using Lost Cycles Analysis,
 * Supercomputing 1994.
 */
#ifndef CYCLES_H
#define CYCLES_H

#include "graph/categories.h"

enum { TOO_FEW_THREADS = CATEGORIES, CYCLES };

/* The name of a category, or "parallelism". */
const char *cycles_name(int cycle);
/*
 * ns[] of that many processors, from the first to the last event: they add up to the processors
 * times the elapsed time.  Returns the ns in which more threads ran at a time, who then share the
 * processors.  call_cost as in categories.h.  Memory is 32 bytes for each change of a thread's
 * category.
 */
int64_t cycles(struct graph *g, uint64_t call_cost, unsigned processors, int64_t ns[CYCLES]);

#endif
