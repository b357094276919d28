/* SPDX-License-Identifier: MIT */
/*
 * What the lines of a log say about threads, calls and descriptors, as events.  A call that strace
 * wrote in two parts, because lines of other threads came in between, is kept as text in flight
 * (pairing.h) and parsed as one line when the second part comes.
 */
#include "trace/format/strace/strace.h"

#include <linux/sched.h>
#include <stdio.h>
#include <string.h>

/* Both texts as one. */
static struct span join(struct strace *st, const char *a, const char *b)
{
	size_t n = strlen(a), length = n + strlen(b);
	char *joined = arena_take(&st->im.arena, length + 1);

	memcpy(joined, a, n);
	memcpy(joined + n, b, length - n + 1);
	return (struct span){ joined, joined + length };
}

/* ---- descriptors ---- */

static void set_descriptor(struct strace *st, uint32_t pid, struct strace_fd *fd)
{
	enum fd_kind known;

	fdtable_find(st->im.fds, pid, fd->fd, &known);
	/* Keep the kind from the creating call: it is more precise than "/path", "socket:[1]". */
	if (fd->kind == FD_UNKNOWN)
		fd->kind = known != FD_UNKNOWN ? known
			   : *fd->name == '/'  ? fd_kind_of_path(fd->name)
					       : FD_ANON;
	else if (fd->kind == FD_SOCKET && fd_kind_is_socket(known))
		fd->kind = known;
	fdtable_set(st->im.fds, pid, fd->fd, fd->kind, fd->name);
}

/* Decorated arguments show the state before the call; the result shows the new descriptor. */
static void emit_call(struct strace *st, struct event *e, const struct strace_call *call)
{
	const struct syscall *row = syscall_get(e->call.id);
	struct strace_fd fd;
	enum fd_kind kind;

	for (unsigned i = 0; i < call->nargs; i++)
		if (row->argument[i] == ARG_FD &&
		    strace_decorated(call->arg[i], &st->im.arena, &fd))
			set_descriptor(st, e->pid, &fd);
	fdtable_event(st->im.fds, e);
	if (row->returns == RETURNS_FD && strace_decorated(call->returned, &st->im.arena, &fd)) {
		set_descriptor(st, e->pid, &fd);
		if (fdtable_find(st->im.fds, e->pid, fd.fd, &kind) == e->call.object)
			e->call.kind = kind;
	}
	importer_push(&st->im, e);
}

/* ---- calls ---- */

/* The id of a call's name. */
static unsigned identify(struct span name)
{
	static const char numbered[] = "syscall_0x";
	size_t n = span_length(name), prefix = sizeof(numbered) - 1;
	char *number = name.p + prefix - 2;
	int64_t value;

	if (n > prefix && !memcmp(name.p, numbered, prefix) && strace_parse_number(&number, &value))
		return syscall_by_number(syscall_native_abi(), (unsigned)value);
	return syscall_by_name_n(name.p, n);
}

/*
 * The thread that entered a fork or clone first, of those that are still inside and whose child is
 * unknown, or NULL.  The result of the call in flight is its child when a line of the child has
 * been read already.
 */
static struct pairing_thread *oldest_fork(struct strace *st)
{
	for (; st->forks_done < st->forks.n; st->forks_done++) {
		struct pairing_thread *t = pairing_find(&st->im.calls, st->forks.v[st->forks_done]);
		const struct event *first = t ? pairing_inside(t) : NULL;

		if (first && syscall_role(first->call.id) == ROLE_FORK && !first->call.result)
			return t;
	}
	st->forks.n = st->forks_done = 0;
	return NULL;
}

/* The flags of a call; call: NULL if it is unfinished. */
static unsigned flags_of(const struct source *s, unsigned id, const struct strace_call *call)
{
	const struct strace *st = s->reader;
	unsigned flags = 0;

	if (st->clock == STRACE_NO_TIME)
		flags |= CALL_NO_TIME;
	if (!s->info.has_duration)
		flags |= CALL_NO_DURATION;
	if (call && call->unbalanced)
		flags |= CALL_NO_ARGS;
	if (!call || call->result == STRACE_NUMBER || call->result == STRACE_RESTART)
		return flags;
	/* '?' of a call that returns nothing, or that died with its process. */
	bool returns = call->result == STRACE_NOTHING && !syscall_never_returns(id) &&
		       call->duration < 0 && syscall_role(id) != ROLE_SIGRETURN;
	return flags | (returns ? CALL_UNFINISHED : CALL_NO_RESULT);
}

/* Parses a call into *call and the fields of *e that are about it.  NULL, or why the text is not a
 * call. */
static const char *parse(const struct source *s, struct span text, struct strace_call *call,
			 struct event *e)
{
	const int64_t interrupted = -512; /* as pairing.h knows it */
	struct strace *st = s->reader;
	const char *reason = strace_parse_call(text.p, text.end, call);

	if (reason)
		return reason;
	e->call.id = identify(call->name);
	e->call.flags = flags_of(s, e->call.id, call);
	e->call.duration = call->duration;
	e->call.result = call->result == STRACE_RESTART ? interrupted : call->value;
	e->call.text = call->args.p;
	strace_arguments(call, &st->im.arena, e);
	return NULL;
}

/* Parses a call whose second part never came, which has the first as its text. */
static void parse_first_part(struct source *s, struct event *e)
{
	struct event whole = *e;
	struct strace_call call;

	if (parse(s, join(s->reader, e->call.text, ") = ?"), &call, &whole) ||
	    whole.call.id != e->call.id)
		return;
	whole.call.flags = e->call.flags | (whole.call.flags & CALL_NO_ARGS);
	whole.call.duration = -1;
	*e = whole;
}

/* For pairing.h: a call that was interrupted and not restarted, or that never returned. */
static void emit_given_up(void *arg, struct event *e)
{
	struct source *s = arg;
	struct strace *st = s->reader;

	e->call.text = arena_copy(&st->im.arena, e->call.text, strlen(e->call.text));
	if (e->call.path)
		e->call.path = arena_copy(&st->im.arena, e->call.path, strlen(e->call.path));
	if (e->call.flags & (CALL_UNFINISHED | CALL_NO_RESULT))
		parse_first_part(s, e);
	importer_emit(&st->im, e);
}

/* "restart_syscall(<... resuming interrupted NAME ...>)" of a call that began before the log did.
 */
static void name_resumed(struct event *e)
{
	static const char resuming[] = "<... resuming interrupted ";
	const char *p = e->call.text;
	size_t n;

	if (strncmp(p, resuming, sizeof(resuming) - 1))
		return;
	p += sizeof(resuming) - 1;
	n = strcspn(p, " ");
	if (n == 0 || n > STRACE_NAME || !strncmp(p, "system call", 11))
		return;
	e->call.id = syscall_by_name_n(p, n);
	e->call.flags |= CALL_ORPHAN | CALL_RESTARTED;
}

/* t has made a thread or process by a call with these CLONE_ flags. */
static void take_birth(struct strace *st, const struct pairing_thread *t, uint32_t tid,
		       uint64_t flags)
{
	bool shares_files = (flags & (CLONE_FILES | CLONE_THREAD)) == CLONE_FILES;

	importer_fork(&st->im, t, flags & CLONE_THREAD ? t->pid : tid, tid, shares_files, st->now);
}

/*
 * Takes a whole call.  start: when it began, NULL if only its end was written; child: the thread it
 * made, if that is born already.  NULL, or why it is no call.
 */
static const char *take_call(struct source *s, struct pairing_thread *t, struct span text,
			     const int64_t *start, uint32_t child)
{
	struct strace *st = s->reader;
	struct event e = pairing_event(t, EVENT_SYSCALL, st->now);
	struct strace_call call;
	const char *reason = parse(s, text, &call, &e);

	if (reason)
		return reason;
	const uint64_t key[2] = { e.call.args[0], 0 };
	if (start)
		e.time = *start;
	else if (call.duration >= 0)
		e.time = st->now - call.duration;
	if (!(start ? pairing_whole(&st->im.calls, t, &e, key)
		    : pairing_orphan(&st->im.calls, t, &e)))
		return NULL;
	enum role role = syscall_role(e.call.id);
	if (role == ROLE_RESTART)
		name_resumed(&e);
	emit_call(st, &e, &call);
	if (call.result != STRACE_NUMBER || event_failed(&e))
		return NULL;
	uint32_t result = (uint32_t)e.call.result;
	if (role == ROLE_FORK && e.call.result > 0 && e.call.result <= INT32_MAX &&
	    result != child && !pairing_find(&st->im.calls, result))
		take_birth(st, t, result, syscall_clone_flags(&e));
	else if (role == ROLE_EXEC)
		importer_exec(&st->im, t, strace_command(&call, &st->im.arena), st->now);
	return NULL;
}

/* The thread of an execve takes the number of the first one of its process; its own is free. */
static void take_number(struct strace *st, struct pairing_thread *t, uint32_t first)
{
	struct event exit = pairing_event(t, EVENT_EXIT, st->now);

	if (t->tid == first)
		return;
	pairing_exec(&st->im.calls, t, first);
	importer_emit(&st->im, &exit);
}

/* Takes the first part of a call. */
static void take_unfinished(struct source *s, struct pairing_thread *t,
			    const struct strace_line *line)
{
	struct strace *st = s->reader;
	struct event e = pairing_event(t, EVENT_SYSCALL, st->now);
	char *first = line->name.end + 1;
	struct span arg = { first, first + strcspn(first, ",") };

	e.call.id = identify(line->name);
	e.call.flags = flags_of(s, e.call.id, NULL);
	e.call.text = line->body.p;
	const uint64_t key[2] = { strace_value(arg), 0 };
	pairing_enter(&st->im.calls, t, &e, key);
	if (syscall_role(e.call.id) == ROLE_FORK) {
		oldest_fork(st); /* forgets those that are over */
		vec_push(&st->forks, t->tid);
	}
	if (line->kind == STRACE_RENAMED)
		take_number(st, t, line->number);
}

static void take_superseded(struct strace *st, struct pairing_thread *first, uint32_t tid)
{
	struct pairing_thread *t = pairing_find(&st->im.calls, tid);

	if (t && pairing_inside(t))
		take_number(st, t, first->tid);
}

static bool same_name(struct span name, const char *text)
{
	size_t n = span_length(name);

	return n == 0 || (!strncmp(text, name.p, n) && text[n] == '(');
}

/* Takes the second part of a call. */
static const char *take_resumed(struct source *s, struct pairing_thread *t,
				const struct strace_line *line)
{
	struct strace *st = s->reader;
	const struct event *first = pairing_inside(t);

	if (first && same_name(line->name, first->call.text)) {
		struct span text = join(st, first->call.text, line->body.p);

		pairing_take(t);
		return take_call(s, t, text, &first->time, (uint32_t)first->call.result);
	}
	if (!span_length(line->name))
		return "a resumed call without a name";
	*line->name.end = '\0';
	struct span text = join(st, line->name.p, "(");
	return take_call(s, t, join(st, text.p, line->body.p), NULL, 0);
}

/* ---- threads ---- */

/* The first line of a new thread may come before the end of the call that made it: the oldest fork
 * that is not over. */
static void adopt(struct source *s, uint32_t tid)
{
	struct strace *st = s->reader;
	struct pairing_thread *parent = oldest_fork(st);

	if (!parent)
		return;
	struct event e = *pairing_inside(parent);
	parse_first_part(s, &e);
	pairing_inside(parent)->call.result = tid;
	take_birth(st, parent, tid, syscall_clone_flags(&e));
}

/* The thread of a line; a line without a pid is about the only thread, or about the first one. */
static struct pairing_thread *thread_of(struct source *s, const struct strace_line *line)
{
	struct strace *st = s->reader;
	uint32_t tid = line->has_pid ? line->pid : st->root;
	struct pairing_thread *t;
	size_t at = 0;

	if (!line->has_pid && st->im.calls.threads.n == 1)
		return pairing_next(&st->im.calls, &at);
	t = pairing_find(&st->im.calls, tid);
	if (!t) {
		adopt(s, tid);
		t = pairing_find(&st->im.calls, tid);
	}
	if (t)
		return t;
	if (line->has_pid && line->bracketed && !st->root)
		st->root = tid; /* nobody made it: it is the first process */
	return pairing_begin(&st->im.calls, tid, tid);
}

const char *strace_take_line(struct source *s, struct strace_line *line)
{
	struct strace *st = s->reader;
	struct event e;

	if (line->kind == STRACE_BAD)
		return line->reason;
	struct pairing_thread *t = thread_of(s, line);
	switch (line->kind) {
	case STRACE_CALL: return take_call(s, t, line->body, &st->now, 0);
	case STRACE_RESUMED: return take_resumed(s, t, line);
	case STRACE_UNFINISHED:
	case STRACE_RENAMED: take_unfinished(s, t, line); return NULL;
	case STRACE_SIGNAL:
		e = pairing_event(t, EVENT_SIGNAL, st->now);
		e.signal.signal = (int)line->number;
		pairing_signal(t);
		importer_emit(&st->im, &e);
		return NULL;
	case STRACE_SUPERSEDED: take_superseded(st, t, line->number); return NULL;
	case STRACE_EXIT: importer_exit(&st->im, t, (int)line->number, st->now); return NULL;
	default: return NULL;
	}
}

void strace_begin(struct source *s)
{
	struct strace *st = s->reader;

	importer_init(&st->im, &os_linux, s->info.abi);
	pairing_init(&st->im.calls, emit_given_up, s);
}
