/* SPDX-License-Identifier: MIT */
/*
 * sink.h - takes the events of a backend: resolves descriptors, writes the trace or hands them on,
 * counts what was recorded and lost.
 *
 * A failed write ends the trace, not the traced program: all further events are dropped.
 */
#ifndef SINK_H
#define SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/usage.h"
#include "trace/event.h"
#include "trace/fd/fdtable.h"
#include "trace/format/ktr/ktr.h"
#include "util/error.h"
#include "util/map.h"

/* Gets an event, which is valid until it returns. */
typedef void sink_take(void *arg, const struct event *e);
/* Gets what process pid used since the last time; NULL: unknown. */
typedef void sink_take_usage(void *arg, pid_t pid, int64_t time, const struct usage *u);

struct sink {
	uint64_t calls, processes,
	    threads;		       /* recorded; exit and exit_group are not counted as calls */
	uint64_t losses[LOST_CLASSES]; /* by enum loss_class; unfinished calls are LOST_UNMATCHED */
	bool failed;
	struct error error; /* when failed */
	uint64_t unwritten; /* of the calls: not in the trace */

	/*
	 * For a backend that knows what descriptors are: the kind of one, and its name (or NULL),
	 * unless name is NULL; FD_UNKNOWN when nothing was said of it.  Without this function they
	 * are looked up in /proc.
	 */
	enum fd_kind (*describe)(void *arg, uint32_t pid, int fd, const char **name);
	/* The same for the addresses of a socket, into an EVENT_ADDRESS; false: it is not
	 * connected. */
	bool (*locate)(void *arg, uint32_t pid, int fd, struct event *address);
	void *describe_arg;

	/* Private. */
	struct ktr_writer *writer;
	sink_take *take;
	sink_take_usage *take_usage; /* in place of events of that; or NULL */
	void *take_arg;
	struct fdtable *fds;
	struct names group_names; /* of control groups */
	struct map groups;	  /* process -> number of its group, plus 1 */
	int64_t start;		  /* CLOCK_MONOTONIC ns */
	pid_t tid;		  /* thread of the event at hand */
	int socket;		  /* descriptor that the event at hand is the first to use; -1 */
	unsigned connect;	  /* its id */
	char *fd_name;
};

/* Starts the clock of the trace.  The writer stays the caller's; NULL: take gets the events,
 * without those of control groups. */
void sink_begin(struct sink *s, struct ktr_writer *w, sink_take *take, void *arg);
/*
 * Stores an event whose time counts from s->start.  The thread should be stopped or unable to start
 * another call: descriptors seen for the first time are looked up in /proc.
 */
void sink_store(struct sink *s, struct event *e);
/* Stores an event that stands for calls which have been made long since, and changed no descriptor.
 */
void sink_store_counted(struct sink *s, const struct event *e);
/* The same for an operation of io_uring: what its descriptor and that of the ring are. */
void sink_store_operation(struct sink *s, struct event *e, int ring);
/*
 * Stores what process pid used since the last such events, NULL if that is unknown: the user time
 * of a vector when nobody measured the program untraced.
 */
void sink_store_usage(struct sink *s, pid_t pid, int64_t time, const struct usage *u);
/* Stores, and counts, that the kernel had no room for n records between two times of the trace. */
void sink_store_lost(struct sink *s, uint64_t n, int64_t from, int64_t until);
/*
 * Stores that thread tid of process pid was there before the recording: the program of the process,
 * or, for a further thread, its birth.
 */
void sink_store_running(struct sink *s, pid_t pid, pid_t tid, int64_t time);
/* Notes what descriptor fd of thread tid is at this moment, for a thread that is attached. */
void sink_look_up(struct sink *s, pid_t pid, pid_t tid, int fd);
/* Records what descriptor fd of thread tid refers to, before it is closed. */
void sink_see_descriptor(struct sink *s, pid_t pid, pid_t tid, int fd);
/* Ends the trace and frees all but the writer. */
void sink_end(struct sink *s);

#endif
