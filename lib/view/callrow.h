/* SPDX-License-Identifier: MIT */
/* callrow.h - one call of a trace as text, as a copy to be sorted, and as cells of a table. */
#ifndef CALLROW_H
#define CALLROW_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"
#include "util/table.h"
#include "util/text.h"

/* The names of the objects behind descriptors.  Zeroed is valid and empty. */
struct object_names {
	struct map by_number; /* char * */
};

/* Follows FD events. */
void object_names_event(struct object_names *o, const struct event *e);
/* The name of what a call works on; NULL: unknown. */
const char *object_names_find(const struct object_names *o, const struct event *call);
void object_names_free(struct object_names *o);

/*
 * Puts what stands between the parentheses of a call, such as "3</etc/passwd>, ..., 4096": as the
 * source wrote it if it did, else made from the numbers, with "..." for memory that a pointer leads
 * to.
 */
void arguments_put(struct text *t, const struct object_names *o, const struct event *call);
/* In out or behind its beginning, what stands after "=": a number, a pointer, "-1 ENOENT", or "?"
 * if the call never returned. */
enum { RESULT_MAX = 48 };
const char *result_format(char out[RESULT_MAX], unsigned call, unsigned flags, int64_t result);

/* A copy of a call, in one block of memory. */
struct callrow {
	uint32_t size; /* of the block, in bytes */
	uint32_t pid, tid;
	size_t process; /* its number, where the caller sets it */
	unsigned call, flags;
	enum fd_kind kind;
	int64_t time, duration, result;
	uint64_t sequence; /* its number in the trace: decides between equal times */
	uint64_t args[6];
	char text[]; /* enum callrow_text, each with a NUL */
};

enum callrow_text {
	CALLROW_PROGRAM,
	CALLROW_ARGUMENTS,
	CALLROW_PATH,
	CALLROW_OBJECT,
	CALLROW_TEXTS
};

/* The caller frees.  NULL is no text. */
struct callrow *callrow_new(const struct event *e, uint64_t sequence,
			    const char *const texts[CALLROW_TEXTS]);
/* One of its texts; NULL: it has none. */
const char *callrow_text(const struct callrow *r, enum callrow_text which);

/*
 * Cells of a table: in text seconds since the start of the trace, microseconds, and "-1 ENOENT"; in
 * other formats whole nanoseconds and the number alone.  An unknown one has no value.
 */
void callrow_put_start(const struct callrow *r, struct table *t, enum table_format format);
void callrow_put_duration(const struct callrow *r, struct table *t, enum table_format format);
void callrow_put_result(const struct callrow *r, struct table *t, enum table_format format);
/* The argument of that number, as its type has it; no value beyond those that the call has. */
void callrow_put_argument(const struct callrow *r, struct table *t, unsigned argument);
/* The descriptor that it works on, or no value. */
void callrow_put_descriptor(const struct callrow *r, struct table *t);
/* "ENOENT", or no value. */
void callrow_put_error(const struct callrow *r, struct table *t);

#endif
