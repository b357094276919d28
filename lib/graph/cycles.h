/* SPDX-License-Identifier: MIT */
/*
 * cycles.h - splits the time of the processors into categories; every moment of a processor belongs
 * to exactly one.
 *
 * A processor that runs a thread is in the category of that thread.  An idle processor is charged
 * to what the threads that do not run are waiting for, in equal parts if more threads wait than
 * processors are idle; if fewer threads wait, the remaining idle processors lack threads
 * (TOO_FEW_THREADS).
 *
 * M. Crovella, T. LeBlanc: Parallel Performance Prediction Using Lost Cycles Analysis,
 * Supercomputing 1994.
 */
#ifndef GRAPH_CYCLES_H
#define GRAPH_CYCLES_H

#include "graph/categories.h"

enum { TOO_FEW_THREADS = CATEGORIES, CYCLES };

/* Returns the name of a category, or "parallelism" for TOO_FEW_THREADS; static. */
const char *cycles_name(int cycle);
/*
 * Fills ns[] with the time of that many processors by category, from the first to the last event;
 * the sum is processors times elapsed time.  Only threads of that program count (GRAPH_NOBODY: of
 * all programs).  call_cost is as in categories.h.  Returns the ns during which more threads ran
 * than there are processors; they are taken to share the processors.  Needs 32 bytes of memory for
 * each change of a thread's category.
 */
int64_t cycles(struct graph *g, uint64_t call_cost, unsigned processors, uint32_t program,
	       int64_t ns[CYCLES]);

#endif
