/* SPDX-License-Identifier: MIT */
/*
 * tracepoint.h - passes of the Linux kernel's tracepoints, as perf, ftrace and LTTng record them,
 * which give most tracepoints and fields other names.  The reader of a format fills in a pass;
 * its meaning reports to kernel.h what that says.
 */
#ifndef TRACEPOINT_H
#define TRACEPOINT_H

#include "trace/kernel.h"

/* Who recorded. */
enum tracer { TRACER_PERF, TRACER_LTTNG, TRACER_FTRACE };

/* Fields that mean something here. */
enum field {
	FIELD_ID,
	FIELD_RET,
	FIELD_PREV_TID,
	FIELD_PREV_STATE,
	FIELD_PREV_COMM,
	FIELD_NEXT_TID,
	FIELD_NEXT_COMM,
	FIELD_COMM, /* of the thread that passes */
	FIELD_TARGET_COMM,
	FIELD_TID,
	FIELD_VTID,
	FIELD_PID, /* in a wake-up that perf recorded: the thread */
	FIELD_VPID,
	FIELD_PPID,
	FIELD_TARGET_CPU,
	FIELD_PARENT_TID,
	FIELD_PARENT_PID,
	FIELD_CHILD_TID,
	FIELD_CHILD_PID,
	FIELD_FILENAME, /* of an entry into a call: its path */
	FIELD_NAME,
	FIELD_IRQ,
	FIELD_VEC,
	FIELD_ADDRESS,
	FIELD_ERROR_CODE,
	FIELD_FD,
	FIELD_FILES,
	FIELD_ARGS,
	FIELD_FILDES,
	FIELD_MESSAGE, /* of a program, which wrote it to trace_marker */
	FIELDS
};

/* The field that the tracer calls by that name of n bytes, or FIELDS.  Those of ftrace have the
 * names of perf. */
enum field field_named(enum tracer tracer, const char *name, size_t n);

struct pass;

/* What a tracepoint means. */
struct meaning {
	void (*take)(struct kernel *k, const struct pass *p); /* reports it; NULL: nothing here */
	unsigned call; /* of one that is about one system call; else UINT32_MAX */
	bool entry;    /* into a call, whose arguments are wanted */
	bool flag;     /* says what of two similar things it is about */
};

/* The meaning of a tracepoint by its name, which begins with "SYSTEM:" if perf recorded it, and
 * lacks that with ftrace. */
struct meaning meaning_of(enum tracer tracer, const char *name);

/* What a reader fills in. */
struct pass {
	uint32_t pid; /* 0: unknown */
	uint32_t tid; /* 0: the idle loop, or unknown */
	uint32_t cpu;
	uint64_t time; /* ns on the reader's clock; 0: unknown */
	struct meaning meaning;
	enum wake_context context; /* that it was in, if that is known */
	uint32_t has;		   /* 1 << field: it has these */
	uint64_t args[6];	   /* of a call; or the elements of FIELD_FILDES */
	struct {
		int64_t number;
		const char *text; /* n bytes, or NULL */
		size_t n;
	} value[FIELDS];
};

#endif
