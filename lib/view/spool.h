/* SPDX-License-Identifier: MIT */
/*
 * spool.h - puts records into groups and gives them back group by group, each in its order, in bounded
 * memory: what does not fit waits in a temporary file without a name.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include <stddef.h>

#include "util/error.h"

struct spool;

/* Keeps up to memory bytes of records before it uses the file. */
struct spool *spool_new(size_t memory);
/* Copies a record of n bytes into a group (small numbers from 0).  0, or -1 and *e. */
int spool_add(struct spool *s, size_t group, const void *record, size_t n, struct error *e);
/* Groups so far. */
size_t spool_groups(const struct spool *s);
/* Hands each record of a group to take(), suitably aligned.  0, or -1 and *e. */
int spool_each(struct spool *s, size_t group, void (*take)(void *arg, const void *record),
	       void *arg, struct error *e);
/* NULL is fine. */
void spool_free(struct spool *s);

#endif
