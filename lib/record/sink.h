/* SPDX-License-Identifier: MIT */
/*
 * sink.h - receives the events of a backend, finds out what their descriptors are, writes them to a
 * trace or passes them on, and counts what was recorded and lost.
 *
 * A failed write ends the trace, not the traced program: all further events are dropped.
 */
#ifndef RECORD_SINK_H
#define RECORD_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/usage.h"
#include "trace/event.h"
#include "trace/fd/fdtable.h"
#include "trace/format/ktr/ktr.h"
#include "util/error.h"
#include "util/map.h"

/* Receives an event, which is valid until it returns. */
typedef void sink_take(void *arg, const struct event *e);
/* Receives what process pid has used since the last time, as of a time of the trace in ns; u is
 * NULL if that is unknown. */
typedef void sink_take_usage(void *arg, pid_t pid, int64_t time, const struct usage *u);

struct sink {
	uint64_t calls, processes,
	    threads;		       /* recorded; exit and exit_group are not counted as calls */
	uint64_t losses[LOST_CLASSES]; /* by enum loss_class; unfinished calls are LOST_UNMATCHED */
	bool failed;
	struct error error; /* when failed */
	uint64_t unwritten; /* of the calls: not in the trace */

	/*
	 * Set by a backend that knows what descriptors are.  Returns the kind of descriptor fd of
	 * process pid, FD_UNKNOWN if nothing was said of it, and unless `name` is NULL stores its
	 * name there, or NULL.  If describe is NULL, descriptors are looked up in /proc.
	 */
	enum fd_kind (*describe)(void *arg, uint32_t pid, int fd, const char **name);
	/* Stores the addresses of socket fd in *address, an EVENT_ADDRESS; returns whether it is
	 * connected. */
	bool (*locate)(void *arg, uint32_t pid, int fd, struct event *address);
	void *describe_arg;

	/* For lib/record alone: record.c sets take_usage after sink_begin() and flushes the writer;
	 * all backends read start. */
	struct ktr_writer *writer;
	sink_take *take;
	sink_take_usage *take_usage; /* receives usage instead of counter events; or NULL */
	void *take_arg;
	struct fdtable *fds;
	struct names group_names; /* of control groups */
	struct map groups;	  /* process -> number of its group, plus 1 */
	int64_t start;		  /* of the trace: CLOCK_MONOTONIC ns */
	pid_t tid;		  /* thread of the event at hand */
	int socket;	  /* socket whose addresses the event at hand may show first; -1: none */
	unsigned connect; /* id of connect(2) */
	char *fd_name;	  /* room for the name of a descriptor */
};

/* Starts the clock of the trace, and stores events with the writer, which stays the caller's.  If w
 * is NULL, passes them to `take` with arg instead, except those of control groups. */
void sink_begin(struct sink *s, struct ktr_writer *w, sink_take *take, void *arg);
/*
 * Stores an event, whose time counts from s->start.  The thread should be stopped or unable to
 * start another call, since descriptors that are seen for the first time are looked up in /proc.
 */
void sink_store(struct sink *s, struct event *e);
/* Stores an event that stands for calls which were made some time ago and changed no descriptor. */
void sink_store_counted(struct sink *s, const struct event *e);
/* Stores an operation of io_uring, and in *e what its descriptor and the descriptor `ring` (-1:
 * unknown) are. */
void sink_store_operation(struct sink *s, struct event *e, int ring);
/*
 * Stores what process pid has used since the last such events; u is NULL if that is unknown.
 * Vectors take the user time from here when nobody measured the program untraced.
 */
void sink_store_usage(struct sink *s, pid_t pid, int64_t time, const struct usage *u);
/* Stores, and counts, that n records found no room in the buffers between two times of the trace.
 */
void sink_store_lost(struct sink *s, uint64_t n, int64_t from, int64_t until);
/*
 * Stores that thread tid of process pid existed before the recording: the program of the process if
 * it is the first thread, else its birth.
 */
void sink_store_running(struct sink *s, pid_t pid, pid_t tid, int64_t time);
/* Notes what descriptor fd of thread tid is at this moment according to /proc, for a thread that is
 * attached. */
void sink_look_up(struct sink *s, pid_t pid, pid_t tid, int fd);
/* Notes what descriptor fd of thread tid is, unless that is known.  Call it before the descriptor
 * is closed. */
void sink_see_descriptor(struct sink *s, pid_t pid, pid_t tid, int fd);
/* Stores the losses and the end of the trace, and frees everything except the writer. */
void sink_end(struct sink *s);

#endif
