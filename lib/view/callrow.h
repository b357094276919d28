/* SPDX-License-Identifier: MIT */
/* callrow.h - one call of a trace, kept: a block of memory without pointers, to be sorted and spooled. */
#ifndef CALLROW_H
#define CALLROW_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/table.h"

struct callrow {
	uint32_t size; /* of the block */
	uint32_t pid, tid;
	unsigned call, flags;
	enum fd_kind kind;
	int64_t time, duration, result;
	uint64_t sequence; /* in the trace: decides between equal times */
	char text[];	   /* program NUL arguments NUL */
};

/* A copy of a call; the caller frees.  arguments may be "". */
struct callrow *callrow_new(const struct event *e, uint64_t sequence, const char *program,
			    const char *arguments);
const char *callrow_program(const struct callrow *r);
const char *callrow_arguments(const struct callrow *r);

/*
 * Cells of a table: for people seconds since the start of the trace, microseconds, and "-1 ENOENT";
 * for programs whole nanoseconds and the number alone.  Unknown is no value.
 */
void callrow_put_start(const struct callrow *r, struct table *t, enum table_format format);
void callrow_put_duration(const struct callrow *r, struct table *t, enum table_format format);
void callrow_put_result(const struct callrow *r, struct table *t, enum table_format format);
/* "ENOENT", or no value. */
void callrow_put_error(const struct callrow *r, struct table *t);

#endif
