/* SPDX-License-Identifier: MIT */
/*
 * levels.h - sizes by level of the memory hierarchy.  A suite writes "bw_mem_rd llc"; how much that
 * is, each machine measures, since what a virtual machine says of its caches is often not so.
 *
 * "l1", "l2" and "llc" are half of the largest buffer that the level was seen to hold, so that two
 * buffers fit; "ram" is four times what the last cache holds, and at least 64m and twice the size
 * from which on loads take the time of memory.  Entries with cold caches (@cold) need that size,
 * too.
 */
#ifndef DRIVER_LEVELS_H
#define DRIVER_LEVELS_H

#include <stdbool.h>

#include <jansson.h>

#include "hierarchy.h"
#include "outcome.h"
#include "suite.h"

/* Whether a word is the name of a level. */
bool levels_is_name(const char *word);
/* Whether an entry has the name of a level, or cold caches. */
bool levels_wanted(const struct suite *s);
/*
 * Adds the facts "level.l1", "level.l2", "level.llc" and "level.ram" (sizes such as "16k"; without
 * the levels that this machine lacks), "level.memory" (from where loads take the time of memory)
 * and "level.source" to facts, an object.  They come from the steps of lat_mem_rd, which takes some
 * seconds; else from the facts "cache.*", that is from sysfs; else they are assumed, in both cases
 * without "level.memory".
 */
void levels_find(json_t *facts, const struct plan *plan);
/* The same from what was measured; false, and no facts, when it has not two levels. */
bool levels_from_hierarchy(json_t *facts, const struct hierarchy *h);
/* Gives the entries of s sizes in place of levels, and tells the programs that this process will
 * start what no cache holds (CACHES_VARIABLE). */
void levels_apply(struct suite *s, const json_t *facts);

#endif
