/* SPDX-License-Identifier: MIT */
#include "trace/importer.h"

#include <string.h>

#include "trace/syscalls.h"

static const char *keep(struct importer *im, const char *s)
{
	return s ? arena_copy(&im->arena, s, strlen(s)) : NULL;
}

/* For pairing.h: a call that was interrupted and not restarted, or that never returned. */
static void emit_given_up(void *arg, struct event *e)
{
	struct importer *im = arg;

	e->call.path = keep(im, e->call.path);
	importer_emit(im, e);
}

void importer_init(struct importer *im, const struct os *os, enum abi abi)
{
	*im = (struct importer){ 0 };
	pairing_init(&im->calls, emit_given_up, im);
	im->fds = fdtable_new(os, abi, NULL, NULL);
}

void importer_free(struct importer *im)
{
	pairing_free(&im->calls);
	fdtable_free(im->fds);
	arena_free(&im->arena);
	vec_free(&im->queue);
}

bool importer_next(struct importer *im, struct event *out)
{
	if (im->taken < im->queue.n) {
		*out = im->queue.v[im->taken++];
		return true;
	}
	im->taken = im->queue.n = 0;
	arena_reset(&im->arena);
	return false;
}

void importer_push(struct importer *im, const struct event *e)
{
	struct event fd;

	while (fdtable_next(im->fds, &fd)) {
		fd.fd.name = keep(im, fd.fd.name);
		vec_push(&im->queue, fd);
	}
	vec_push(&im->queue, *e);
}

void importer_emit(struct importer *im, struct event *e)
{
	fdtable_event(im->fds, e);
	importer_push(im, e);
}

void importer_lose(struct importer *im, enum loss_class class, uint64_t count, int64_t from,
		   int64_t until)
{
	struct event e = { .type = EVENT_LOST, .time = from };

	e.lost.class = (uint8_t) class;
	e.lost.count = count;
	e.lost.until = until;
	importer_push(im, &e);
}

void importer_end(struct importer *im)
{
	pairing_end_all(&im->calls);
}

/* ---- threads ---- */

struct pairing_thread *importer_thread(struct importer *im, uint32_t pid, uint32_t tid)
{
	struct pairing_thread *t = pairing_find(&im->calls, tid);

	return t && t->pid == pid ? t : pairing_begin(&im->calls, pid, tid);
}

struct pairing_thread *importer_fork(struct importer *im, const struct pairing_thread *t,
				     uint32_t pid, uint32_t tid, bool shares_files, int64_t time)
{
	struct event e = pairing_event(t, EVENT_FORK, time);
	struct pairing_thread *child = pairing_find(&im->calls, tid);

	if (child && child->pid == pid)
		return child;
	e.fork.child_pid = pid;
	e.fork.child_tid = tid;
	e.fork.shares_files = shares_files;
	child = pairing_begin(&im->calls, pid, tid); /* ends an earlier thread of that number */
	importer_emit(im, &e);
	return child;
}

void importer_exec(struct importer *im, struct pairing_thread *t, const char *command, int64_t time)
{
	struct event e;

	pairing_exec(&im->calls, t, t->pid);
	e = pairing_event(t, EVENT_EXEC, time);
	e.exec.command = keep(im, command);
	importer_emit(im, &e);
}

void importer_exit(struct importer *im, struct pairing_thread *t, int status, int64_t time)
{
	pairing_end(&im->calls, t);
	struct event e = pairing_event(t, EVENT_EXIT, time);
	e.exit.status = status;
	e.exit.last = pairing_remove(&im->calls, t);
	importer_emit(im, &e);
}

/* ---- calls ---- */

void importer_enter(struct importer *im, struct pairing_thread *t, const struct event *e)
{
	const uint64_t key[2] = { e->call.args[0], e->call.args[1] };

	pairing_enter(&im->calls, t, e, key);
}

/* Clocks may step back between entry and exit. */
static void check_duration(struct event *e)
{
	if (e->call.duration < 0) {
		e->call.duration = -1;
		e->call.flags |= CALL_NO_DURATION;
	}
}

bool importer_leave(struct importer *im, struct pairing_thread *t, unsigned id, int64_t result,
		    int64_t time)
{
	const struct event *inside = pairing_inside(t);

	if (inside && inside->call.id == id) {
		struct event *e = pairing_exit(&im->calls, t, result, time);

		if (!e)
			return false;
		check_duration(e);
		emit_given_up(im, e);
		return true;
	}
	if (syscall_role(id) == ROLE_FORK && result == 0)
		return false;
	struct event e = pairing_event(t, EVENT_SYSCALL, time);
	e.call.id = id;
	e.call.duration = -1;
	e.call.result = result;
	if (!pairing_orphan(&im->calls, t, &e))
		return false;
	importer_emit(im, &e);
	return true;
}
