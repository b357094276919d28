/* SPDX-License-Identifier: MIT */
/*
 * importer.h - what the readers of foreign binary traces share: records of threads and of entries
 * and exits of calls, in order of time, become events in a queue, with descriptors followed.
 *
 *	importer_init(&im, os, abi);
 *	while (!importer_next(&im, out))	until there are events: record by record
 *		importer_enter(&im, importer_thread(&im, pid, tid), &call);
 *	importer_end(&im);			no record is left: calls in flight end
 *
 * Memory depends on threads, calls in flight and open descriptors.
 */
#ifndef IMPORTER_H
#define IMPORTER_H

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
	size_t taken;
};

/* Makes *im an empty set of threads of that system. */
void importer_init(struct importer *im, const struct os *os, enum abi abi);
/* Forgets everything. */
void importer_free(struct importer *im);
/* Takes the next event out of the queue; false: it is empty.  Strings live until it is false. */
bool importer_next(struct importer *im, struct event *out);
/* Puts an event into the queue, behind those about descriptors that it gives rise to. */
void importer_emit(struct importer *im, struct event *e);
/* The same for one that im->fds has followed already. */
void importer_push(struct importer *im, const struct event *e);
/* So many events (0: an unknown number) are missing between these times: an EVENT_LOST. */
void importer_lose(struct importer *im, enum loss_class class, uint64_t count, int64_t from,
		   int64_t until);
/* No record is left: the calls of all threads end. */
void importer_end(struct importer *im);

/* The thread with that number, which is new if it was unknown or of another process. */
struct pairing_thread *importer_thread(struct importer *im, uint32_t pid, uint32_t tid);
/*
 * A thread has made another thread (same pid) or process: an EVENT_FORK, unless the child is known.
 * Returns the child.
 */
struct pairing_thread *importer_fork(struct importer *im, const struct pairing_thread *t,
				     uint32_t pid, uint32_t tid, bool shares_files, int64_t time);
/* The program that t runs is another from now on: an EVENT_EXEC. */
void importer_exec(struct importer *im, struct pairing_thread *t, const char *command,
		   int64_t time);
/* t is dead, with that status as wait(2) gives it: an EVENT_EXIT. */
void importer_exit(struct importer *im, struct pairing_thread *t, int status, int64_t time);

/* t enters the call e, whose strings are copied; e->call.id, args, path and time count. */
void importer_enter(struct importer *im, struct pairing_thread *t, const struct event *e);
/*
 * t returns from the call id.  True if its event is in the queue: the call that t was inside of,
 * else an orphan, except for the second return of a fork, in the child.
 */
bool importer_leave(struct importer *im, struct pairing_thread *t, unsigned id, int64_t result,
		    int64_t time);

#endif
