/* SPDX-License-Identifier: MIT */
/*
 * tracepoint.h - says what the hits of the Linux kernel's tracepoints mean that perf, ftrace and
 * LTTng record, each of which has its own names for most tracepoints and fields.  The reader of a
 * format fills in a hit, and its meaning reports it to kernel.h.
 */
#ifndef TRACE_TRACEPOINT_H
#define TRACE_TRACEPOINT_H

#include "trace/kernel.h"

/* Who recorded. */
enum tracer { TRACER_PERF, TRACER_LTTNG, TRACER_FTRACE };

/* The fields that are used. */
enum field {
	FIELD_ID,
	FIELD_RET,
	FIELD_PREV_TID,
	FIELD_PREV_STATE,
	FIELD_PREV_COMM,
	FIELD_NEXT_TID,
	FIELD_NEXT_COMM,
	FIELD_COMM, /* of the thread that hit the tracepoint */
	FIELD_TARGET_COMM,
	FIELD_TID,
	FIELD_VTID,
	FIELD_PID, /* in a wake-up that perf recorded it is the thread */
	FIELD_VPID,
	FIELD_PPID,
	FIELD_TARGET_CPU,
	FIELD_PARENT_TID,
	FIELD_PARENT_PID,
	FIELD_CHILD_TID,
	FIELD_CHILD_PID,
	FIELD_FILENAME, /* in an entry into a call it is its path */
	FIELD_NAME,
	FIELD_IRQ,
	FIELD_VEC,
	FIELD_ADDRESS,
	FIELD_ERROR_CODE,
	FIELD_FD,
	FIELD_FILES,
	FIELD_ARGS,
	FIELD_FILDES,
	FIELD_MESSAGE, /* what a program wrote to trace_marker */
	FIELDS
};

/* Returns the field with that name of n bytes, or FIELDS if it is not used.  ftrace has the names
 * of perf. */
enum field field_named(enum tracer tracer, const char *name, size_t n);

struct tracepoint_hit;

/* What a tracepoint means. */
struct meaning {
	/* Reports a hit; NULL: it means nothing here. */
	void (*take)(struct kernel *k, const struct tracepoint_hit *p);
	unsigned call; /* id of the only call that it is about; UINT32_MAX: any or none */
	bool entry;    /* an entry into a call, whose arguments are wanted */
	bool flag;     /* which of two similar things it is about */
};

/* Returns the meaning of the tracepoint with that name, which begins with "SYSTEM:" in what perf
 * records, and not in what ftrace does. */
struct meaning meaning_of(enum tracer tracer, const char *name);

/* One hit of a tracepoint, as a reader fills it in. */
struct tracepoint_hit {
	uint32_t pid; /* 0: unknown */
	uint32_t tid; /* 0: the idle loop, or unknown */
	uint32_t cpu;
	uint64_t time; /* ns on the reader's clock; 0: unknown */
	struct meaning meaning;
	enum wake_context context; /* in which it was hit, if that is known */
	uint32_t has;		   /* 1 << field for each field that it has */
	uint64_t args[6];	   /* of a call, or the elements of FIELD_FILDES */
	struct {
		int64_t number;
		const char *text; /* n bytes, or NULL */
		size_t n;
	} value[FIELDS];
};

#endif
