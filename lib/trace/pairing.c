/* SPDX-License-Identifier: MIT */
#include "trace/pairing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/xalloc.h"

/* Results by which the kernel says to itself that an interrupted call may be restarted. */
enum { ERESTARTSYS = 512, ERESTARTNOINTR = 513, ERESTARTNOHAND = 514, ERESTART_RESTARTBLOCK = 516 };

static bool was_interrupted(int64_t result)
{
	return result <= -ERESTARTSYS && result >= -ERESTART_RESTARTBLOCK && result != -515;
}

/* ---- threads ---- */

void pairing_init(struct pairing *p, pairing_emit *emit, void *arg)
{
	*p = (struct pairing){ .emit = emit, .arg = arg };
}

struct pairing_thread *pairing_find(const struct pairing *p, uint32_t tid)
{
	return map_pointer(&p->threads, tid);
}

struct pairing_thread *pairing_next(const struct pairing *p, size_t *at)
{
	return map_next_pointer(&p->threads, at);
}

static void join_process(struct pairing *p, struct pairing_thread *t, uint32_t pid, uint32_t tid)
{
	t->pid = pid;
	t->tid = tid;
	*map_at(&p->threads, tid) = (uintptr_t)t;
	++*map_at(&p->processes, pid);
}

/* True if t was the last thread of its process. */
static bool leave_process(struct pairing *p, struct pairing_thread *t)
{
	map_remove(&p->threads, t->tid);
	if (--*map_at(&p->processes, t->pid))
		return false;
	map_remove(&p->processes, t->pid);
	return true;
}

struct pairing_thread *pairing_begin(struct pairing *p, uint32_t pid, uint32_t tid)
{
	struct pairing_thread *t = pairing_find(p, tid);

	if (t) {
		pairing_end(p, t);
		pairing_remove(p, t);
	}
	t = xcalloc(1, sizeof(*t));
	join_process(p, t, pid, tid);
	return t;
}

static void free_strings(struct pairing_call *c)
{
	free(c->path);
	free(c->text);
	c->path = c->text = NULL;
}

static void free_thread(struct pairing_thread *t)
{
	for (unsigned i = 0; t->interrupted && i < PAIRING_DEPTH; i++)
		free_strings(&t->interrupted[i]);
	free(t->interrupted);
	free_strings(&t->call);
	free(t);
}

bool pairing_remove(struct pairing *p, struct pairing_thread *t)
{
	bool last = leave_process(p, t);

	free_thread(t);
	return last;
}

void pairing_free(struct pairing *p)
{
	struct pairing_thread *t;

	for (size_t at = 0; (t = pairing_next(p, &at));)
		free_thread(t);
	map_free(&p->threads);
	map_free(&p->processes);
}

/* ---- interrupted calls ---- */

/* Makes c a copy of the call e. */
static void keep(struct pairing_call *c, const struct event *e, const uint64_t key[2])
{
	free_strings(c);
	*c = (struct pairing_call){ .event = *e, .key = { key[0], key[1] } };
	if (e->call.path)
		c->event.call.path = c->path = xstrdup(e->call.path);
	if (e->call.text)
		c->event.call.text = c->text = xstrdup(e->call.text);
}

/* The interrupted call t->interrupted[i] has not been restarted. */
static void give_up(struct pairing *p, struct pairing_thread *t, unsigned i)
{
	struct pairing_call c = t->interrupted[i];

	c.event.call.result = -EINTR;
	p->emit(p->arg, &c.event);
	t->depth--;
	memmove(t->interrupted + i, t->interrupted + i + 1, (t->depth - i) * sizeof(c));
	t->interrupted[t->depth] = c; /* for its memory */
}

static void give_up_all(struct pairing *p, struct pairing_thread *t)
{
	while (t->depth)
		give_up(p, t, 0);
	t->expects = false;
}

static void push(struct pairing *p, struct pairing_thread *t, const struct event *e,
		 const uint64_t key[2])
{
	const unsigned open_ended = CALL_UNFINISHED | CALL_NO_RESULT;

	if (!t->interrupted)
		t->interrupted = xcalloc(PAIRING_DEPTH, sizeof(*t->interrupted));
	if (t->depth == PAIRING_DEPTH)
		give_up(p, t, 0);
	keep(&t->interrupted[t->depth++], e, key);
	t->interrupted[t->depth - 1].event.call.flags &= ~open_ended;
	t->expects = true;
}

/* e is restart_syscall: makes it the call that it restarts, c, whose strings move to t->call. */
static void take_name(struct pairing_thread *t, struct event *e, struct pairing_call *c)
{
	e->call.id = c->event.call.id;
	e->call.path = c->path;
	e->call.text = c->text;
	memcpy(e->call.args, c->event.call.args, sizeof(e->call.args));
	free_strings(&t->call);
	t->call.path = c->path;
	t->call.text = c->text;
	c->path = c->text = NULL;
}

/* Makes e, which is the last part of a call, all of it. */
static void fold(struct event *e, const struct event *first)
{
	e->time = first->time;
	e->call.flags |= CALL_RESTARTED | (first->call.flags & CALL_ORPHAN);
	if (e->call.duration >= 0 && first->call.duration >= 0 &&
	    __builtin_add_overflow(e->call.duration, first->call.duration, &e->call.duration))
		e->call.duration = INT64_MAX; /* a corrupt log */
}

/*
 * The call e comes where the last interrupted call may be restarted: it is that restart, or ends
 * it.  Returns the key of the call that e is a part of.
 */
static const uint64_t *settle(struct pairing *p, struct pairing_thread *t, struct event *e,
			      const uint64_t key[2])
{
	struct pairing_call *c = &t->interrupted[t->depth - 1];
	bool again = syscall_role(e->call.id) == ROLE_RESTART;
	bool known = !(c->event.call.flags & CALL_ORPHAN); /* its key is */
	bool same = e->call.id == c->event.call.id &&
		    (!known || (key[0] == c->key[0] && key[1] == c->key[1]));

	t->expects = false;
	if (again || same) {
		t->depth--;
		if (again)
			take_name(t, e, c);
		fold(e, &c->event);
		return c->key;
	}
	if (p->no_signals && !c->guessed)
		c->handlers = c->guessed = true;
	if (!c->handlers) /* else e is the first call of a handler */
		give_up(p, t, t->depth - 1);
	return key;
}

/* A handler returns by the call e to where it interrupted the thread. */
static void return_from_handler(struct pairing *p, struct pairing_thread *t, const struct event *e)
{
	if (!t->depth)
		return;
	struct pairing_call *c = &t->interrupted[t->depth - 1];
	c->handlers -= c->handlers > 0;
	t->expects |= c->handlers == 0;
	if (t->expects && e->call.result == -EINTR) {
		t->expects = false;
		give_up(p, t, t->depth - 1);
	}
}

/* The call e is over.  False if it is kept because it may be restarted. */
static bool finish(struct pairing *p, struct pairing_thread *t, struct event *e,
		   const uint64_t key[2])
{
	if (syscall_role(e->call.id) == ROLE_SIGRETURN) {
		return_from_handler(p, t, e);
		return true;
	}
	if (t->expects)
		key = settle(p, t, e, key);
	if (!was_interrupted(e->call.result))
		return true;
	push(p, t, e, key);
	return false;
}

/* ---- moments ---- */

/* The call that t is inside of will not return. */
static void leave_unfinished(struct pairing *p, struct pairing_thread *t)
{
	struct event *e = &t->call.event;
	bool exits = syscall_never_returns(e->call.id);

	t->inside = false;
	e->call.flags |= exits ? CALL_NO_RESULT : CALL_UNFINISHED;
	e->call.duration = -1;
	e->call.result = 0;
	finish(p, t, e, t->call.key);
	p->emit(p->arg, e);
}

void pairing_end(struct pairing *p, struct pairing_thread *t)
{
	if (t->inside)
		leave_unfinished(p, t);
	give_up_all(p, t);
}

static void show_open(const struct pairing_call *c, int64_t duration, pairing_emit *take, void *arg)
{
	struct event e = c->event;

	e.call.flags |= CALL_UNFINISHED;
	e.call.duration = duration;
	take(arg, &e);
}

void pairing_show_open(const struct pairing *p, int64_t now, pairing_emit *take, void *arg)
{
	struct pairing_thread *t;

	for (size_t at = 0; (t = pairing_next(p, &at));) {
		for (unsigned i = 0; i < t->depth; i++)
			show_open(&t->interrupted[i], t->interrupted[i].event.call.duration, take,
				  arg);
		if (t->inside)
			show_open(&t->call, now - t->call.event.time, take, arg);
	}
}

void pairing_end_all(struct pairing *p)
{
	struct pairing_thread *t;

	for (size_t at = 0; (t = pairing_next(p, &at));)
		pairing_end(p, t);
}

void pairing_set_path(struct pairing_thread *t, const char *path)
{
	free(t->call.path);
	t->call.event.call.path = t->call.path = xstrdup(path);
}

void pairing_enter(struct pairing *p, struct pairing_thread *t, const struct event *e,
		   const uint64_t key[2])
{
	if (t->inside)
		leave_unfinished(p, t);
	keep(&t->call, e, key);
	t->inside = true;
}

struct event *pairing_exit(struct pairing *p, struct pairing_thread *t, int64_t result,
			   int64_t time)
{
	struct event *e = &t->call.event;

	if (!t->inside)
		return NULL;
	t->inside = false;
	e->call.result = result;
	e->call.duration = time - e->time;
	return finish(p, t, e, t->call.key) ? e : NULL;
}

bool pairing_whole(struct pairing *p, struct pairing_thread *t, struct event *e,
		   const uint64_t key[2])
{
	if (t->inside)
		leave_unfinished(p, t);
	return finish(p, t, e, key);
}

bool pairing_orphan(struct pairing *p, struct pairing_thread *t, struct event *e)
{
	const uint64_t unknown[2] = { 0 };

	e->call.flags |= CALL_ORPHAN;
	e->call.path = NULL;
	memset(e->call.args, 0, sizeof(e->call.args));
	return pairing_whole(p, t, e, unknown);
}

const struct event *pairing_take(struct pairing_thread *t)
{
	bool inside = t->inside;

	t->inside = false;
	return inside ? &t->call.event : NULL;
}

void pairing_signal(struct pairing_thread *t)
{
	if (t->depth)
		t->interrupted[t->depth - 1].handlers++;
}

void pairing_exec(struct pairing *p, struct pairing_thread *t, uint32_t leader)
{
	struct pairing_thread *other = leader == t->tid ? NULL : pairing_find(p, leader);

	if (other) {
		pairing_end(p, other);
		pairing_remove(p, other);
	}
	give_up_all(p, t);
	leave_process(p, t);
	join_process(p, t, leader, leader);
	t->call.event.pid = t->call.event.tid = leader;
}
