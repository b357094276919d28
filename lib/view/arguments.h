/* SPDX-License-Identifier: MIT */
/* arguments.h - a call as people write it: read(3</etc/passwd>, ..., 4096) = 1024. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"

/* The names of the objects behind descriptors.  Zeroed is valid and empty. */
struct object_names {
	struct map by_number; /* char * */
};

/* Follows FD events. */
void object_names_event(struct object_names *o, const struct event *e);
void object_names_free(struct object_names *o);

/*
 * What stands between the parentheses of a call, into fresh memory: as the source wrote it when
 * it did, else from the numbers; "..." is memory that a pointer leads to.
 */
char *arguments_format(const struct object_names *o, const struct event *call);
/* What stands behind "=": a number, a pointer, "-1 ENOENT", "?" when it never returned. */
enum { RESULT_MAX = 48 };
const char *result_format(char out[RESULT_MAX], unsigned call, unsigned flags, int64_t result);

#endif
