/* SPDX-License-Identifier: MIT */
/* reading.h - reads whole traces and keeps account of what they lack. */
#ifndef VIEW_READING_H
#define VIEW_READING_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "trace/source.h"
#include "view/processes.h"

/* What one or more traces contain and lack.  A zeroed struct is valid: no trace yet. */
struct completeness {
	uint64_t calls;	     /* that returned */
	uint64_t exits;	     /* exit and exit_group, which never return */
	uint64_t operations; /* io_uring operations that completed */
	struct source_losses losses;
	uint64_t call_cost; /* ns, as in struct source_info; the largest of all traces */
	uint64_t cheaper;   /* calls that lasted less than half of what recording is said to add */
	bool aggregated;    /* one of them has only counts of calls */
	bool net;	    /* the cost of recording was subtracted from the times */
	char bad_path[256]; /* the trace that losses.first_bad is in */
};

/* The receiver of the events of a trace. */
struct trace_taker {
	struct processes *processes; /* begun for the trace; or NULL */
	void (*begin)(void *arg,
		      const struct source_info *info); /* called before the first event; or NULL */
	void (*take)(void *arg, const struct event *e);
	void *arg;
	bool each;	 /* it needs every single call, not only counts */
	bool net;	 /* subtract the cost of recording from the durations of calls */
	bool operations; /* pass io_uring operations as calls, which may overlap */
	void (*progress)(
	    void *progress_arg,
	    double share); /* called now and then with the share read so far; or NULL */
	void *progress_arg;
};

/* The result of trace_read() for a trace recorded with --aggregate if the receiver needs every
 * single call; no event was passed on. */
enum { TRACE_AGGREGATED = -2 };

/*
 * Reads a trace and adds what it contains and lacks to *c.  Returns 0; -1 and sets *e if the trace
 * cannot be read, after the events before that place were passed on; or TRACE_AGGREGATED and sets
 * *e.
 */
int trace_read(const char *path, const struct trace_taker *taker, struct completeness *c,
	       struct error *e);
/* Returns true for a call that returned, which is what strace -c counts. */
bool event_is_return(const struct event *e);
/*
 * Returns one line of counts, and one for each kind of damage, without the last newline; the caller
 * frees. brief: only what is missing, or why --net could not do anything, NULL if nothing is.
 * Orphans and unfinished calls are not missing: whoever attaches to running processes, and leaves
 * them, finds threads inside of calls.
 */
char *completeness_text(const struct completeness *c, bool brief);
/* Returns the same as a JSON object, a new reference. */
json_t *completeness_json(const struct completeness *c);

#endif
