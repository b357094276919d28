/* SPDX-License-Identifier: MIT */
/*
 * sink.h - takes the events of a backend: resolves descriptors, writes the trace, counts what was recorded and lost.
 *
 * A failed write ends the trace, not the traced program: `failed` is set, `error` says why, and all further events are
 * dropped.  Backends need not check for it after each event.
 */
#ifndef SINK_H
#define SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/event.h"
#include "trace/fd/fdtable.h"
#include "trace/format/ktr/ktr.h"
#include "util/error.h"

/* What a trace may lack. */
enum loss {
	LOSS_UNFINISHED, /* calls whose end was not seen: the thread was killed, or the recording ended */
	LOSS_UNTRACED, /* children created with CLONE_UNTRACED: none of their calls is seen */
	LOSS_MEMORY, /* paths and structures that could not be read from the memory of the process */
	LOSS_IO_URING, /* operations submitted by io_uring_enter, which are not system calls */
	LOSS_POLLED,   /* io_uring rings that the kernel polls: how many operations is unknown */
	LOSS_CLASSES
};

struct sink {
	uint64_t calls, processes,
	    threads; /* recorded; exit and exit_group are not counted as calls */
	uint64_t losses[LOSS_CLASSES];
	bool failed;
	struct error error; /* when failed */

	/* Private. */
	struct ktr_writer *writer; /* NULL: a calibration, which keeps only durations */
	struct fdtable *fds;
	int64_t start; /* CLOCK_MONOTONIC ns */
	pid_t tid;     /* thread of the event at hand */
	char *fd_name;
	struct {
		int64_t *v;
		size_t n, cap;
	} durations; /* ns, of all calls */
};

/*
 * Starts the clock of the trace.  The writer stays the caller's; without one (NULL) only the durations of calls are
 * kept.
 */
void sink_begin(struct sink *s, struct ktr_writer *w);
/*
 * Stores an event whose time counts from s->start.  The thread should be stopped or unable to start another call:
 * descriptors seen for the first time are looked up in /proc.
 */
void sink_store(struct sink *s, struct event *e);
/* Tells the trace what descriptor fd of thread tid is, before a call that closes it. */
void sink_see_descriptor(struct sink *s, pid_t pid, pid_t tid, int fd);
/* Ends the trace and frees all but the writer. */
void sink_end(struct sink *s);

/* How many n losses of a class are called, as in "3 calls unfinished". */
const char *loss_text(enum loss class, uint64_t n);

#endif
