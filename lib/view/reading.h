/* SPDX-License-Identifier: MIT */
/* reading.h - reads traces from one end to the other and keeps account of what they lack. */
#ifndef READING_H
#define READING_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "trace/source.h"
#include "view/processes.h"

/* How much of what happened one or more traces hold.  Zeroed is valid: no trace yet. */
struct completeness {
	uint64_t calls;	     /* that returned */
	uint64_t exits;	     /* exit and exit_group, which never return */
	uint64_t operations; /* of io_uring, that completed */
	struct source_losses losses;
	uint64_t call_cost; /* ns, as in struct source_info; the highest of all traces */
	bool aggregated;    /* ... of one of them */
	bool net;	    /* ... and what they cost was taken out of the times */
	char bad_path[256]; /* the trace that losses.first_bad is in */
};

/* Who gets the events of a trace. */
struct trace_taker {
	struct processes *processes;				  /* begun for the trace; or NULL */
	void (*begin)(void *arg, const struct source_info *info); /* before the first, or NULL */
	void (*take)(void *arg, const struct event *e);
	void *arg;
	bool each;	 /* it needs each call by itself, not only their number */
	bool net;	 /* what recording added is taken out of the durations of calls */
	bool operations; /* it gets operations of io_uring as calls: they may overlap each other */
	void (*progress)(void *progress_arg, double share); /* read so far, now and then; or NULL */
	void *progress_arg;
};

/* What trace_read returns for a trace that was recorded with --aggregate, of which a taker needs
 * each call: nothing has been taken. */
enum { TRACE_AGGREGATED = -2 };

/* Reads a trace and adds what it holds and lacks to *c.  0, or -1 and *e: the events before the
 * place where the trace cannot be read have been taken.  TRACE_AGGREGATED and *e: see above. */
int trace_read(const char *path, const struct trace_taker *taker, struct completeness *c,
	       struct error *e);
/* True for a call that returned: what strace -c counts. */
bool event_is_return(const struct event *e);
/*
 * One line of numbers, and more for each kind of damage, without the last newline; the caller
 * frees. brief: only what is missing, NULL if nothing is.  (A call that the end of the trace cut
 * off is not missing.)
 */
char *completeness_text(const struct completeness *c, bool brief);
/* The same as a JSON object, a new reference. */
json_t *completeness_json(const struct completeness *c);

#endif
