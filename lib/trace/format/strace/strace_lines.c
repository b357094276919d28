/* SPDX-License-Identifier: MIT */
/*
 * Which thread a line belongs to, and what it does to the call that thread is in.  A call that
 * another thread's line cuts in two is kept as text until its rest comes, and read as if it had
 * been one line.
 */
#include "trace/format/strace/strace_reader.h"

#include <linux/sched.h>
#include <string.h>

#include "util/vec.h"

static struct span join(struct strace *st, struct span a, struct span b)
{
	size_t n = span_length(a), length = n + span_length(b);
	char *joined = scratch_take(&st->scratch, length + 1);

	memcpy(joined, a.p, n);
	memcpy(joined + n, b.p, span_length(b));
	joined[length] = '\0';
	return (struct span){ joined, joined + length };
}

/* Begins to wait for the rest of a call. */
static void suspend(struct strace *st, struct strace_thread *t, const struct strace_line *line)
{
	t->pending = true;
	t->time = st->now;
	t->child = 0;
	t->forks = strace_is_fork(st, line->name);
	st->forking += t->forks;
	strace_text_set(&t->text, line->body.p, span_length(line->body));
}

static struct span pending_text(const struct strace_thread *t)
{
	return (struct span){ t->text.v, t->text.v + t->text.n };
}

/* The thread waits no more. */
static void stop_waiting(struct strace *st, struct strace_thread *t)
{
	st->forking -= t->forks && !t->child;
	t->pending = t->forks = false;
}

/* Gives up what the thread was in: its end will not come. */
static void abandon(struct source *s, struct strace_thread *t)
{
	static char end[] = ") = ?";
	const struct span none = { end, end + sizeof(end) - 1 };
	struct strace *st = s->reader;

	if (t->pending) {
		struct span text = pending_text(t);

		stop_waiting(st, t);
		if (strace_take_call(s, t, join(st, text, none), t->time)) {
			/* It was cut within a string: the name is all there is. */
			text.end = text.p + strcspn(text.p, "(") + 1;
			strace_take_call(s, t, join(st, text, none), t->time);
		}
	}
	strace_abandon_piece(st, t);
}

static bool same_name(struct span name, const char *text)
{
	size_t n = span_length(name);

	return n == 0 || (!strncmp(text, name.p, n) && text[n] == '(');
}

static const char *take_resumed(struct source *s, struct strace_thread *t,
				const struct strace_line *line)
{
	static char open[] = "(";
	struct strace *st = s->reader;

	if (t->pending && same_name(line->name, t->text.v)) {
		struct span text = join(st, pending_text(t), line->body);

		stop_waiting(st, t);
		return strace_take_call(s, t, text, t->time);
	}
	abandon(s, t);
	struct span text = join(st, line->name, (struct span){ open, open + 1 });
	return strace_take_orphan(s, t, join(st, text, line->body));
}

/*
 * What the call that thread t is in will return, from the lines that are already in memory; false
 * when its end is not among them.
 */
static bool look_ahead(struct source *s, const struct strace_thread *t, struct strace_call *call)
{
	struct strace *st = s->reader;
	unsigned char *p = input_at(&s->in);
	size_t n = input_waiting(&s->in);
	unsigned char *end = p + (n < STRACE_LOOK_AHEAD ? n : STRACE_LOOK_AHEAD), *newline;

	for (; p < end && (newline = memchr(p, '\n', (size_t)(end - p))); p = newline + 1) {
		struct strace_line line;
		size_t length = (size_t)(newline - p);
		char *copy = scratch_copy(&st->scratch, (char *)p, length);

		st->looked += length;
		strace_parse_line(copy, copy + length, &line);
		if (!line.has_pid || line.pid != t->tid || line.kind != STRACE_RESUMED)
			continue;
		struct span text = join(st, pending_text(t), line.body);
		st->looked += span_length(text);
		return !strace_parse_call(text.p, text.end, call);
	}
	return false;
}

/* A log made to be slow must not get more than this many bytes looked at, per byte of its own. */
enum { LOOK_MIN = 4 << 20, LOOK_FACTOR = 16 };

/* What the text of a call that is not over yet shows of its flags. */
static uint64_t shown_flags(const struct strace_thread *t)
{
	return strstr(t->text.v, "CLONE_THREAD") ? CLONE_THREAD : 0;
}

/*
 * A child may be seen before the call that made it has returned: it is made now.  Of several
 * threads that are in such a call, the one whose call will return tid; if none can be seen to,
 * the first.
 */
static void find_parent(struct source *s, uint32_t tid)
{
	struct strace *st = s->reader;
	struct strace_thread *t, *parent = NULL;
	uint64_t flags = 0, limit = LOOK_MIN + LOOK_FACTOR * s->in.offset;

	for (size_t at = 0; st->looked < limit && (t = strace_threads_next(&st->threads, &at));) {
		struct strace_call call;

		st->looked += sizeof(*t);
		if (!t->forks || t->child)
			continue;
		bool seen = look_ahead(s, t, &call);
		if (seen && call.value != tid)
			continue;
		if (seen || !parent) {
			parent = t;
			flags = shown_flags(t);
		}
		if (seen) {
			flags |= memmem(call.args.p, span_length(call.args), "CLONE_THREAD", 12)
				     ? CLONE_THREAD
				     : 0;
			break;
		}
	}
	if (!parent)
		return;
	parent->child = tid;
	st->forking--;
	strace_born(st, parent, tid, flags);
}

/* The thread a line belongs to; one without a number is of the only thread, or of the first. */
static struct strace_thread *thread_of(struct source *s, const struct strace_line *line)
{
	struct strace *st = s->reader;
	uint32_t tid = line->has_pid ? line->pid : st->root;
	struct strace_thread *t;
	size_t at = 0;

	if (!line->has_pid && st->threads.by_tid.n == 1)
		return strace_threads_next(&st->threads, &at);
	t = strace_threads_find(&st->threads, tid);
	if (!t && st->forking) {
		find_parent(s, tid);
		t = strace_threads_find(&st->threads, tid);
	}
	return t ? t : strace_threads_add(&st->threads, tid, tid);
}

/* execve in a thread that is not the first takes the first one's number. */
static void rename_thread(struct source *s, struct strace_thread *t, uint32_t tid)
{
	struct strace *st = s->reader;
	struct strace_thread *other = strace_threads_find(&st->threads, tid);

	if (other == t)
		return;
	if (other) {
		abandon(s, other);
		strace_threads_remove(&st->threads, other);
	}
	strace_threads_rename(&st->threads, t, tid);
}

static void take_exit(struct source *s, struct strace_thread *t, uint32_t status)
{
	struct strace *st = s->reader;
	struct event e;

	abandon(s, t);
	e = strace_event(st, t, EVENT_EXIT);
	e.exit.status = (int)status;
	e.exit.last = strace_threads_remove(&st->threads, t);
	strace_emit(st, &e);
}

const char *strace_take_line(struct source *s, struct strace_line *line)
{
	struct strace *st = s->reader;
	struct strace_thread *t;
	struct event e;

	if (line->kind == STRACE_BAD)
		return line->reason;
	if (line->kind == STRACE_ATTACHED || line->kind == STRACE_NOTE ||
	    line->kind == STRACE_SUMMARY)
		return NULL;
	t = thread_of(s, line);
	switch (line->kind) {
	case STRACE_CALL:
		if (t->pending)
			abandon(s, t);
		return strace_take_call(s, t, line->body, st->now);
	case STRACE_RESUMED: return take_resumed(s, t, line);
	case STRACE_UNFINISHED:
	case STRACE_RENAMED:
		if (t->pending)
			abandon(s, t);
		suspend(st, t, line);
		if (line->kind == STRACE_RENAMED)
			rename_thread(s, t, line->number);
		break;
	case STRACE_SIGNAL:
		e = strace_event(st, t, EVENT_SIGNAL);
		e.signal.signal = (int)line->number;
		strace_emit(st, &e);
		break;
	case STRACE_EXIT: take_exit(s, t, line->number); break;
	default: break;
	}
	return NULL;
}

void strace_take_end(struct source *s)
{
	struct strace *st = s->reader;
	struct strace_thread *t;

	for (size_t at = 0; (t = strace_threads_next(&st->threads, &at));)
		abandon(s, t);
}
