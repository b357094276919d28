/* SPDX-License-Identifier: MIT */
/*
 * recorder.h - turns the stops of a tracer into the events of a .ktr.
 *
 * Calls are paired and stored when they end; a call that the kernel restarted after a signal is
 * one call with CALL_RESTARTED.  Descriptors get their kinds from fdtable.h, and from /proc for those
 * inherited or received.  Paths, the flags of clone3 and openat2, and the descriptors of a pipe are
 * read from the memory of the process.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format/ktr/ktr.h"
#include "record/ptrace/tracer.h"
#include "util/error.h"

struct recorder_options {
	/* Programs (see program_is) whose processes are recorded; others run at full speed.  n = 0: all. */
	const char *const *only;
	size_t n;
};

struct recorder_counts {
	uint64_t calls, processes, threads; /* recorded, exit and exit_group not among the calls */
};

struct recorder;

/* Trace time starts now.  The writer stays the caller's; o must outlive the recorder. */
struct recorder *recorder_new(struct ktr_writer *w, const struct recorder_options *o);
/* Takes one stop before the tracee goes on.  0, or -1 and *e when it cannot be written. */
int recorder_stop(struct recorder *r, const struct stop *s, struct error *e);
/* Did that leave something to store, which need not keep the tracee waiting? */
bool recorder_owes(const struct recorder *r);
/* Stores it, before the next stop at the latest.  0, or -1 and *e. */
int recorder_settle(struct recorder *r, struct error *e);
/* Ends the trace: what is still inside a call is stored as unfinished.  0, or -1 and *e. */
int recorder_end(struct recorder *r, struct error *e);
/* What was recorded so far. */
const struct recorder_counts *recorder_counts(const struct recorder *r);
/* NULL is fine. */
void recorder_free(struct recorder *r);

#endif
