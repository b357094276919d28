/* SPDX-License-Identifier: MIT */
/* callrow.h - a call of a trace as text, as a copy that can be sorted, and as cells of a table. */
#ifndef VIEW_CALLROW_H
#define VIEW_CALLROW_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/os.h"
#include "util/map.h"
#include "util/table.h"
#include "util/text.h"

/* The names of the objects behind descriptors.  A zeroed struct is valid and empty. */
struct object_names {
	struct map by_number; /* values: struct object_name * */
};

/* Updates the names from an EVENT_FD or an EVENT_ADDRESS; other events are ignored. */
void object_names_event(struct object_names *o, const struct event *e);
/* Returns the name of the object that a call works on; NULL: unknown. */
const char *object_names_find(const struct object_names *o, const struct event *call);
/* Frees the names. */
void object_names_free(struct object_names *o);

/* Appends the arguments of a call, such as "3</etc/passwd>, ..., 4096": in the words of the source
 * if it has them, otherwise made from the numbers, with "..." for memory behind a pointer. */
void arguments_put(struct text *t, const struct object_names *o, enum abi abi,
		   const struct event *call);
/* Formats the result of a call into out: a number, a pointer, "-1 ENOENT", or "?" if the call did
 * not return.  Returns where the text begins in out. */
enum { RESULT_MAX = 48 };
const char *result_format(char out[RESULT_MAX], unsigned call, unsigned flags, int64_t result);

/* A copy of a call in one block of memory. */
struct callrow {
	uint32_t size; /* of the block, in bytes */
	uint32_t pid, tid;
	size_t process; /* its number, if the caller sets it */
	unsigned call, flags;
	enum fd_kind kind;
	int64_t time, duration, result;
	uint64_t sequence; /* its number in the trace, which orders calls with equal times */
	uint64_t args[6];
	char text[]; /* the texts of enum callrow_text, each with a NUL */
};

enum callrow_text {
	CALLROW_PROGRAM,
	CALLROW_ARGUMENTS,
	CALLROW_PATH,
	CALLROW_OBJECT,
	CALLROW_TEXTS
};

/* Returns a copy, which the caller frees.  A text may be NULL. */
struct callrow *callrow_new(const struct event *e, uint64_t sequence,
			    const char *const texts[CALLROW_TEXTS]);
/* Returns one of its texts; NULL if it has none. */
const char *callrow_text(const struct callrow *r, enum callrow_text which);

/* Fills a cell with the start of the call: seconds since that of the trace in text, else whole
 * nanoseconds; no value if the trace has no times. */
void callrow_put_start(const struct callrow *r, struct table *t);
/* Fills a cell with the duration: microseconds in text, else whole nanoseconds; no value if it is
 * unknown. */
void callrow_put_duration(const struct callrow *r, struct table *t);
/* Fills a cell with the result: as result_format() makes it in text, else the number alone; no
 * value if the call did not return. */
void callrow_put_result(const struct callrow *r, struct table *t, enum table_format format);
/* Fills a cell with an argument, according to its type; no value if the call has fewer
 * arguments. */
void callrow_put_argument(const struct callrow *r, struct table *t, unsigned argument);
/* Fills a cell with the descriptor that the call works on, or no value. */
void callrow_put_descriptor(const struct callrow *r, struct table *t);
/* Fills a cell with a name such as "ENOENT", or no value. */
void callrow_put_error(const struct callrow *r, struct table *t);

#endif
