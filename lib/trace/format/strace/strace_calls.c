/* SPDX-License-Identifier: MIT */
/* Calls in strace's text as events.  One that a signal interrupted and that goes on is one call. */
#include "trace/format/strace/strace_reader.h"

#include <errno.h>
#include <linux/sched.h>
#include <string.h>

#include "trace/fd/fdrules.h"
#include "trace/format/strace/strace_args.h"
#include "util/vec.h"

enum { NAME_LIMIT = 64 }; /* bytes of a call's name */

/* What became known of descriptors comes before the event that told it. */
static void push(struct strace *st, const struct event *e)
{
	struct event fd;

	while (fdtable_next(st->fds, &fd)) {
		fd.fd.name = scratch_copy(&st->scratch, fd.fd.name, strlen(fd.fd.name));
		vec_push(&st->queue, fd);
	}
	vec_push(&st->queue, *e);
}

void strace_emit(struct strace *st, struct event *e)
{
	fdtable_event(st->fds, e);
	push(st, e);
}

struct event strace_event(const struct strace *st, const struct strace_thread *t,
			  enum event_type type)
{
	return (struct event){ .type = type, .pid = t->pid, .tid = t->tid, .time = st->now };
}

static void tell_descriptor(struct strace *st, uint32_t pid, struct strace_fd *fd)
{
	enum fd_kind known;

	fdtable_find(st->fds, pid, fd->fd, &known);
	/* "/path" and "socket:[1]" say less than the call that made it did. */
	if (fd->kind == FD_UNKNOWN)
		fd->kind = known != FD_UNKNOWN ? known
			   : *fd->name == '/'  ? fd_kind_of_path(syscall_native_abi(), fd->name, 0)
					       : FD_ANON;
	else if (fd->kind == FD_SOCKET && fd_kind_is_socket(known))
		fd->kind = known;
	fdtable_set(st->fds, pid, fd->fd, fd->kind, fd->name);
}

/* Decorations of arguments tell what was before the call, those of the result what it made. */
static void tell_arguments(struct strace *st, uint32_t pid, const struct strace_call *call,
			   const struct syscall *row)
{
	struct strace_fd fd;

	for (unsigned i = 0; i < call->nargs; i++)
		if (row->argument[i] == ARG_FD && strace_decorated(call->arg[i], &st->scratch, &fd))
			tell_descriptor(st, pid, &fd);
}

static void tell_result(struct strace *st, struct event *e, const struct strace_call *call)
{
	struct strace_fd fd = { .fd = (int)call->value };
	enum fd_kind kind;

	if (call->decoration.p == call->decoration.end || call->value < 0)
		return;
	strace_decoration(call->decoration, &st->scratch, &fd);
	tell_descriptor(st, e->pid, &fd);
	if (fdtable_find(st->fds, e->pid, fd.fd, &kind) == e->call.object)
		e->call.kind = kind;
}

static void emit_call(struct strace *st, struct event *e, const struct strace_call *call)
{
	const struct syscall *row = syscall_get(e->call.id);

	tell_arguments(st, e->pid, call, row);
	fdtable_event(st->fds, e);
	if (row->returns == RETURNS_FD)
		tell_result(st, e, call);
	push(st, e);
}

/* The id of a call's name; false when it cannot be one. */
static bool identify(struct span name, unsigned *id)
{
	static const char numbered[] = "syscall_0x";
	size_t n = span_length(name), prefix = sizeof(numbered) - 1;
	char *number = name.p + prefix - 2;
	int64_t value;

	if (n == 0 || n > NAME_LIMIT)
		return false;
	if (n > prefix && !memcmp(name.p, numbered, prefix) && strace_parse_number(&number, &value))
		*id = syscall_by_number(syscall_native_abi(), (unsigned)value);
	else
		*id = syscall_by_name_n(name.p, n);
	return true;
}

static unsigned flags_of(const struct source *s, const struct event *e,
			 const struct strace_call *call)
{
	const struct strace *st = s->reader;
	unsigned flags = 0;

	if (!st->clock_started)
		flags |= CALL_NO_TIME;
	if (!s->info.has_duration)
		flags |= CALL_NO_DURATION;
	if (call->unbalanced)
		flags |= CALL_NO_ARGS;
	if (call->result == STRACE_NUMBER)
		return flags;
	/* '?' of a call that never returns or returns elsewhere, or that died with its process. */
	if (syscall_get(e->call.id)->returns == RETURNS_NOTHING || call->duration >= 0 ||
	    e->call.id == st->id.rt_sigreturn || e->call.id == st->id.sigreturn)
		return flags | CALL_NO_RESULT;
	return flags | CALL_UNFINISHED;
}

/* The event of a call that was taken apart. */
static void make_call(const struct source *s, const struct strace_thread *t, int64_t start,
		      const struct strace_call *call, struct event *e)
{
	struct strace *st = s->reader;
	unsigned id = e->call.id;
	const struct syscall *row = syscall_get(id);

	*e = strace_event(st, t, EVENT_SYSCALL);
	e->time = start;
	e->call.id = id;
	e->call.flags = flags_of(s, e, call);
	e->call.duration = call->duration;
	e->call.result = call->value;
	e->call.text = call->args.p;
	strace_numbers(call, row, e->call.args);
	e->call.path = strace_path(call, row, &st->scratch);
}

/* A call that was interrupted and was not seen to go on. */
static void emit_piece(struct strace *st, struct strace_thread *t, int64_t result, unsigned flags)
{
	struct event e = t->piece;
	const char *path = e.call.path, *text = e.call.text;

	t->interrupted = false;
	e.call.result = result;
	e.call.flags |= flags;
	e.call.path = path ? scratch_copy(&st->scratch, path, strlen(path)) : NULL;
	e.call.text = scratch_copy(&st->scratch, text, strlen(text));
	strace_emit(st, &e);
}

void strace_abandon_piece(struct strace *st, struct strace_thread *t)
{
	if (t->interrupted)
		emit_piece(st, t, 0, CALL_UNFINISHED | CALL_RESTARTED);
}

/* Joins the pieces of a call: it began with the first; its time in the kernel is that of both. */
static void join(struct strace *st, struct strace_thread *t, struct event *e)
{
	const struct event *piece = &t->piece;

	if (e->call.id == st->id.restart_syscall) {
		const char *path = piece->call.path, *text = piece->call.text;

		e->call.id = piece->call.id;
		memcpy(e->call.args, piece->call.args, sizeof(e->call.args));
		e->call.path = path ? scratch_copy(&st->scratch, path, strlen(path)) : NULL;
		e->call.text = scratch_copy(&st->scratch, text, strlen(text));
	}
	e->time = piece->time;
	if (e->call.duration >= 0 && piece->call.duration >= 0)
		e->call.duration = strace_add_times(e->call.duration, piece->call.duration);
	e->call.flags |= CALL_RESTARTED;
	t->interrupted = false;
}

/* restart_syscall(<... resuming interrupted NAME ...>) of a call whose beginning was not seen. */
static void name_resumed(struct event *e)
{
	static const char resuming[] = "<... resuming interrupted ";
	const char *p = e->call.text;
	size_t n;

	if (strncmp(p, resuming, sizeof(resuming) - 1))
		return;
	p += sizeof(resuming) - 1;
	n = strcspn(p, " ");
	if (n == 0 || n > NAME_LIMIT || !strncmp(p, "system call", 11))
		return;
	e->call.id = syscall_by_name_n(p, n);
	e->call.flags |= CALL_ORPHAN | CALL_RESTARTED;
}

/* Signals: true when the call will go on and is kept until then. */
static bool follow_restart(struct strace *st, struct strace_thread *t, struct event *e,
			   const struct strace_call *call)
{
	if (t->interrupted &&
	    (e->call.id == st->id.restart_syscall ||
	     (e->call.id == t->piece.call.id && e->call.args[0] == t->piece.call.args[0])))
		join(st, t, e);
	else if (e->call.id == st->id.restart_syscall)
		name_resumed(e);
	else if (t->interrupted && e->call.result == -EINTR &&
		 (e->call.id == st->id.rt_sigreturn || e->call.id == st->id.sigreturn))
		emit_piece(st, t, -EINTR, 0);
	if (call->result != STRACE_RESTART)
		return false;
	strace_abandon_piece(st, t);
	e->call.flags &= ~(unsigned)(CALL_UNFINISHED | CALL_NO_RESULT);
	strace_thread_keep(t, e);
	return true;
}

void strace_born(struct strace *st, const struct strace_thread *parent, uint32_t tid,
		 uint64_t flags)
{
	struct event e = strace_event(st, parent, EVENT_FORK);

	e.fork.child_tid = tid;
	e.fork.child_pid = flags & CLONE_THREAD ? parent->pid : tid;
	e.fork.shares_files = (flags & (CLONE_FILES | CLONE_THREAD)) == CLONE_FILES;
	strace_threads_add(&st->threads, tid, e.fork.child_pid);
	strace_emit(st, &e);
}

static bool is_fork(const struct strace *st, unsigned id)
{
	return id == st->id.clone || id == st->id.clone3 || id == st->id.fork || id == st->id.vfork;
}

bool strace_is_fork(const struct strace *st, struct span name)
{
	unsigned id;

	return identify(name, &id) && is_fork(st, id);
}

static uint64_t clone_flags(const struct strace *st, const struct event *e)
{
	return e->call.id == st->id.clone    ? e->call.args[0]
	       : e->call.id == st->id.clone3 ? e->call.args[4]
					     : 0;
}

/* What else a call that succeeded means. */
static void follow_call(struct strace *st, struct strace_thread *t, const struct event *e,
			const struct strace_call *call)
{
	if (call->result != STRACE_NUMBER || event_failed(e))
		return;
	if (is_fork(st, e->call.id)) {
		uint32_t child = (uint32_t)e->call.result;

		if (e->call.result > 0 && e->call.result <= INT32_MAX && t->child != child &&
		    !strace_threads_find(&st->threads, child))
			strace_born(st, t, child, clone_flags(st, e));
		t->child = 0;
	} else if (e->call.id == st->id.execve || e->call.id == st->id.execveat) {
		struct event exec = strace_event(st, t, EVENT_EXEC);

		exec.exec.command = strace_command(call, &st->scratch);
		strace_emit(st, &exec);
	}
}

const char *strace_take_call(struct source *s, struct strace_thread *t, struct span text,
			     int64_t start)
{
	struct strace *st = s->reader;
	struct strace_call call;
	struct event e;
	const char *reason = strace_parse_call(text.p, text.end, &call);

	if (reason)
		return reason;
	if (!identify(call.name, &e.call.id))
		return "a call with an impossible name";
	make_call(s, t, start, &call, &e);
	if (follow_restart(st, t, &e, &call))
		return NULL;
	emit_call(st, &e, &call);
	follow_call(st, t, &e, &call);
	return NULL;
}

const char *strace_take_orphan(struct source *s, struct strace_thread *t, struct span text)
{
	struct strace *st = s->reader;
	struct strace_call call;
	struct event e;
	const char *reason = strace_parse_call(text.p, text.end, &call);

	if (reason)
		return reason;
	if (!identify(call.name, &e.call.id))
		return "a resumed call without a name";
	make_call(s, t, call.duration < 0 ? st->now : strace_add_times(st->now, -call.duration),
		  &call, &e);
	struct event whole = e;
	e.call.flags |= CALL_ORPHAN;
	e.call.path = NULL;
	memset(e.call.args, 0, sizeof(e.call.args));
	emit_call(st, &e, &call);
	follow_call(st, t, &whole, &call);
	return NULL;
}
