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
	struct map by_number; /* values: char *, maybe "" */
	struct map datagrams; /* see connections.h */
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
enum { RESULT_MAX = 48 };
/* Formats the result of a call into out: a number, a pointer, "-1 ENOENT", or "?" if the call did
 * not return.  Returns where the text begins in out. */
const char *result_format(char out[RESULT_MAX], unsigned call, unsigned flags, int64_t result);

enum callrow_text {
	CALLROW_PROGRAM,
	CALLROW_ARGUMENTS,
	CALLROW_PATH,
	CALLROW_OBJECT,
	CALLROW_TEXTS
};

/* Memory of rows, made for those that are freed nearly in the order in which they were made.  A
 * zeroed struct is valid and empty. */
struct callrow_pool {
	struct callrow_block *at, *spare;
};

/* A copy of a call in one piece of memory: of dump's millions of rows many are held at once. */
struct callrow {
	struct callrow_block *block; /* that it lies in */
	size_t process;		     /* its number, if the caller sets it */
	int64_t time, duration, result;
	uint32_t size; /* in bytes */
	uint32_t pid, tid;
	unsigned call, flags;
	enum fd_kind kind;
	uint32_t text[CALLROW_TEXTS]; /* where each begins behind the struct; 0: none */
	uint64_t args[];	      /* as many as the call has, and the texts, each with a NUL */
};

/* Returns a copy, which callrow_free() frees.  A text may be NULL. */
struct callrow *callrow_new(struct callrow_pool *pool, const struct event *e,
			    const char *const texts[CALLROW_TEXTS]);
/* Frees a row of that pool. */
void callrow_free(struct callrow_pool *pool, struct callrow *r);
/* Frees the memory of a pool of which all rows were freed; it is empty and usable again. */
void callrow_pool_free(struct callrow_pool *pool);
/* Returns one of its texts; NULL if it has none or an empty one. */
static inline const char *callrow_text(const struct callrow *r, enum callrow_text which)
{
	return r->text[which] ? (const char *)r + r->text[which] : NULL;
}

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
