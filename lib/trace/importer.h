/* SPDX-License-Identifier: MIT */
/*
 * importer.h - makes events in a queue from what the readers of foreign traces report in order of
 * time: threads, and entries and exits of calls.  Descriptors are followed.
 *
 *	importer_init(&im, os, abi);
 *	while (!importer_next(&im, out))	report record by record until there are events
 *		importer_enter(&im, importer_thread(&im, pid, tid), &call);
 *	importer_end(&im);			no record is left: calls that go on are ended
 *
 * Memory depends on threads, calls that go on and open descriptors.
 */
#ifndef TRACE_IMPORTER_H
#define TRACE_IMPORTER_H

#include "trace/event.h"
#include "trace/fd/fdtable.h"
#include "trace/os.h"
#include "trace/pairing.h"
#include "util/arena.h"
#include "util/vec.h"

struct importer {
	struct pairing calls;
	struct fdtable *fds;
	struct arena arena; /* strings of the events in the queue */
	VEC(struct event) queue;
	size_t taken; /* of the queue */
};

/* Makes *im an empty set of threads of that system. */
void importer_init(struct importer *im, const struct os *os, enum abi abi);
/* Forgets and frees everything. */
void importer_free(struct importer *im);
/* Takes the next event out of the queue; returns false if it is empty.  Strings live until then. */
bool importer_next(struct importer *im, struct event *out);
/* Puts an event into the queue, after the EVENT_FDs that result from it. */
void importer_emit(struct importer *im, struct event *e);
/* Puts an event into the queue that im->fds has processed already. */
void importer_push(struct importer *im, const struct event *e);
/* Puts an EVENT_LOST into the queue: `count` events, 0 for an unknown number, are missing between
 * two times. */
void importer_lose(struct importer *im, enum loss_class class, uint64_t count, int64_t from,
		   int64_t until);
/* Ends the calls of all threads, after the last record. */
void importer_end(struct importer *im);

/* Returns the thread with that number, which is new if it is unknown or was of another process. */
struct pairing_thread *importer_thread(struct importer *im, uint32_t pid, uint32_t tid);
/*
 * Puts an EVENT_FORK into the queue, unless the child is known: thread t has made another thread,
 * if pid is its own, or a process.  Returns the child.
 */
struct pairing_thread *importer_fork(struct importer *im, const struct pairing_thread *t,
				     uint32_t pid, uint32_t tid, bool shares_files, int64_t time);
/* Puts an EVENT_EXEC into the queue: t runs another program from now on. */
void importer_exec(struct importer *im, struct pairing_thread *t, const char *command,
		   int64_t time);
/* Puts an EVENT_EXIT into the queue and frees t, which has ended with that status of wait(2). */
void importer_exit(struct importer *im, struct pairing_thread *t, int status, int64_t time);

/* Begins call e of thread t, of which id, args, path and time count; strings are copied. */
void importer_enter(struct importer *im, struct pairing_thread *t, const struct event *e);
/*
 * Ends call `id` of thread t.  Returns whether its event is in the queue: that of the call which t
 * was in, else an orphan, except for the second return of a fork, in the child.
 */
bool importer_leave(struct importer *im, struct pairing_thread *t, unsigned id, int64_t result,
		    int64_t time);

#endif
