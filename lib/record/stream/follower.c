/* SPDX-License-Identifier: MIT */
#include "record/stream/follower.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/stream/plain.h"
#include "record/callshape.h"
#include "record/program.h"
#include "trace/syscalls.h"
#include "util/monotonic.h"
#include "util/shell.h"
#include "util/xalloc.h"

/* ---- what a record says ---- */

/* The thread of a record; NULL: its program is not wanted. */
static struct pairing_thread *thread_of(struct follower *v, const struct record *r)
{
	struct pairing_thread *t = pairing_find(&v->pairing, r->tid);

	if (v->unwanted.n && map_find(&v->unwanted, r->pid))
		return NULL;
	return t && t->pid == r->pid ? t : pairing_begin(&v->pairing, r->pid, r->tid);
}

static int64_t time_of(const struct follower *v, uint64_t ns)
{
	return (int64_t)ns - v->sink->start;
}

static struct event event_of(const struct follower *v, const struct record *r, enum event_type type)
{
	return (struct event){
		.type = type, .pid = r->pid, .tid = r->tid, .time = time_of(v, r->time)
	};
}

/* For pairing.h.  A call that a deadly signal interrupted did not return to the program. */
static void emit(void *arg, struct event *e)
{
	struct follower *v = arg;

	if (v->dying && event_failed(e)) {
		e->call.flags |= CALL_UNFINISHED;
		e->call.result = 0;
		e->call.duration = -1;
	}
	sink_store(v->sink, e);
}

static void on_descriptor(struct follower *v, const struct record *head)
{
	described_note(&v->described, (const void *)head);
}

/* ---- calls ---- */

/* Calls that mean more to the follower than others. */
static struct {
	unsigned execve, execveat, close, clone, io_uring_enter;
} ids;

static void find_ids(void)
{
	ids.execve = syscall_by_name("execve");
	ids.execveat = syscall_by_name("execveat");
	ids.close = syscall_by_name("close");
	ids.clone = syscall_by_name("clone");
	ids.io_uring_enter = syscall_by_name("io_uring_enter");
}

static bool is_execve(unsigned id)
{
	return id == ids.execve || id == ids.execveat;
}

static unsigned id_of(const struct record_call *r)
{
	enum abi abi = r->flags & CALL_IS_COMPAT ? ABI_I386 : syscall_native_abi();

	return syscall_by_number(abi, r->number);
}

/* Counts what a call did that is not in the trace: it has read memory that we have not, or has set
 * up an io_uring that the kernel polls. */
static void count_losses(struct follower *v, const struct event *e, bool unreadable, bool polled)
{
	if (unreadable && e->call.result != -EFAULT)
		v->sink->losses[LOST_UNREADABLE]++;
	if (e->call.id == ids.io_uring_enter && e->call.result > 0)
		v->sink->losses[LOST_UNSEEN] += (uint64_t)e->call.result;
	if (polled && e->call.result >= 0)
		v->sink->losses[LOST_POLLED]++;
}

/* The thread `former` made an execve and goes on under the number of its process. */
static void take_over(struct follower *v, const struct record *head, uint32_t former)
{
	struct pairing_thread *t = pairing_find(&v->pairing, former);
	struct event exit = event_of(v, head, EVENT_EXIT);

	if (former == head->tid || !t || t->pid != head->pid)
		return;
	exit.tid = former;
	map_remove(&v->leaders, head->pid);
	pairing_exec(&v->pairing, t, head->tid);
	sink_store(v->sink, &exit);
}

/* The call that a record is about, as far as it is known at its entry. */
static struct event call_of(const struct follower *v, const struct record_call *r)
{
	struct event e = event_of(v, &r->head, EVENT_SYSCALL);

	e.time = time_of(v, r->begin);
	e.call.id = id_of(r);
	e.call.cpu = r->cpu + 1u;
	const struct callshape *shape = callshape_get(e.call.id);
	if (shape)
		memcpy(e.call.args, r->args, shape->n * sizeof(*r->args));
	return e;
}

static void on_call(struct follower *v, const struct record *head)
{
	const struct record_call *r = (const void *)head;
	const uint64_t key[2] = { r->args[0], r->args[1] };

	if (r->flags & CALL_IS_EXEC)
		take_over(v, head, (uint32_t)r->result);
	struct pairing_thread *t = thread_of(v, head);
	if (!t)
		return;
	struct event e = call_of(v, r);
	const struct callshape *shape = callshape_get(e.call.id);
	if (shape && shape->memory && shape->memory->what != CALLSHAPE_RING)
		memcpy(&e.call.args[4], &r->args[4], 2 * sizeof(*r->args));
	if (r->flags & CALL_HAS_PATH)
		e.call.path = ((const struct record_path *)r)->path;
	if (e.call.id == ids.close)
		sink_see_descriptor(v->sink, (pid_t)e.pid, (pid_t)e.tid, (int)r->args[0]);
	if (r->flags & CALL_IS_OPEN) {
		pairing_enter(&v->pairing, t, &e, key);
		return;
	}
	e.call.result = r->flags & CALL_IS_EXEC ? 0 : r->result;
	e.call.duration = (int64_t)(head->time - r->begin);
	bool ring = shape && shape->memory && shape->memory->what == CALLSHAPE_RING;
	count_losses(v, &e, r->flags & CALL_LACKS_MEMORY,
		     ring && r->args[4] & 2 /* IORING_SETUP_SQPOLL */);
	if (pairing_whole(&v->pairing, t, &e, key))
		sink_store(v->sink, &e);
}

static void on_entry(struct follower *v, const struct record *head)
{
	const struct record_call *r = (const void *)head;
	const uint64_t key[2] = { r->args[0], r->args[1] };
	struct pairing_thread *t = thread_of(v, head);
	struct event e = call_of(v, r);

	if (!t)
		return;
	if (e.call.id != v->pairing.rt_sigreturn) {
		pairing_enter(&v->pairing, t, &e, key);
		return;
	}
	/* The kernel says no number at its exit. */
	e.call.flags = CALL_NO_DURATION;
	e.call.duration = -1;
	pairing_whole(&v->pairing, t, &e, key);
	sink_store(v->sink, &e);
}

/* The call that the thread is inside of is over: stores it.  Nothing has read its memory. */
static void end_call(struct follower *v, struct pairing_thread *t, int64_t result, int64_t time)
{
	struct event *e = pairing_exit(&v->pairing, t, result, time);
	const struct callshape *shape = e ? callshape_get(e->call.id) : NULL;

	if (!e)
		return;
	count_losses(v, e,
		     shape && (shape->memory || (shape->path >= 0 && e->call.args[shape->path])),
		     false);
	sink_store(v->sink, e);
}

static void on_return(struct follower *v, const struct record *head)
{
	const struct record_call *r = (const void *)head;
	struct pairing_thread *t = thread_of(v, head);
	const struct event *inside = t ? pairing_inside(t) : NULL;

	/* Of a call whose entry was lost, or was before the recording, nothing is said. */
	if (inside && inside->call.id == id_of(r))
		end_call(v, t, r->result, time_of(v, head->time));
}

/* ---- processes ---- */

static void begin_thread(struct follower *v, uint32_t pid, uint32_t tid)
{
	v->sink->threads++;
	v->sink->processes += pid == tid;
	pairing_begin(&v->pairing, pid, tid);
}

/* Whether that call, or NULL, makes a process that shares its parent's descriptors.  The flags of
 * clone3 are in memory. */
static bool clones_files(const struct event *call)
{
	return call && call->call.id == ids.clone && call->call.args[0] & CLONE_FILES;
}

static void on_fork(struct follower *v, const struct record *head)
{
	const struct record_fork *r = (const void *)head;
	struct pairing_thread *t = thread_of(v, head);
	struct event e = event_of(v, head, EVENT_FORK);

	if (!t) {
		*map_at(&v->unwanted, r->child_pid) = 1;
		return;
	}
	e.fork.child_pid = r->child_pid;
	e.fork.child_tid = r->child_tid;
	e.fork.shares_files =
	    r->child_pid != head->pid && (r->shares_files || clones_files(pairing_inside(t)));
	begin_thread(v, r->child_pid, r->child_tid);
	sink_store(v->sink, &e);
}

static bool wanted(const struct follower *v, const struct record_exec *r)
{
	struct program p = { 0 };
	size_t n = strnlen(r->args, r->bytes);
	const char *slash = memrchr(r->args, '/', n);
	const char *name = slash ? slash + 1 : r->args;

	if (!v->nonly || r->foreign)
		return !r->foreign;
	snprintf(p.name, sizeof(p.name), "%.*s", (int)(r->args + n - name), name);
	snprintf(p.file, sizeof(p.file), "%s", r->name);
	return program_is(&p, v->only, v->nonly);
}

/* Where calls have an entry and a return, the execve is stored now: it was a call of the former
 * program, by any thread of the process. */
static void end_execve(struct follower *v, const struct record *head)
{
	struct pairing_thread *t;

	for (size_t at = 0; (t = pairing_next(&v->pairing, &at));) {
		const struct event *inside = t->pid == head->pid ? pairing_inside(t) : NULL;

		if (!inside || !is_execve(inside->call.id))
			continue;
		take_over(v, head, t->tid);
		end_call(v, pairing_find(&v->pairing, head->tid), 0, time_of(v, head->time));
		return;
	}
}

static void on_exec(struct follower *v, const struct record *head)
{
	const struct record_exec *r = (const void *)head;
	struct event e = event_of(v, head, EVENT_EXEC);
	struct pairing_thread *t = pairing_find(&v->pairing, head->tid);
	bool want = wanted(v, r);

	v->sink->losses[LOST_UNTRACED_CHILD] += r->foreign;
	if (head->pid == (uint32_t)v->launching)
		v->launching = 0;
	if (!t && !want)
		return;
	end_execve(v, head);
	t = pairing_find(&v->pairing, head->tid);
	if (!t) {
		begin_thread(v, head->pid, head->tid);
		t = pairing_find(&v->pairing, head->tid);
	}
	if (want)
		map_remove(&v->unwanted, head->pid);
	else
		*map_at(&v->unwanted, head->pid) = 1;
	pairing_exec(&v->pairing, t, head->tid);
	used_store(&v->used, head->pid, time_of(v, head->time), &r->usage);
	char *command = shell_strings(r->args, r->bytes);
	e.exec.command = command;
	sink_store(v->sink, &e);
	free(command);
}

static bool is_last(const struct follower *v, const struct record_exit *r)
{
	const uint64_t *threads = map_find(&v->pairing.processes, r->head.pid);

	return r->last == LAST_IS_UNKNOWN ? !threads || *threads <= 1 : r->last;
}

/*
 * The first thread of a process that ends before others may have been killed by the execve of one
 * that takes its number.  So its end is stored with that of the process.
 */
static void on_death(struct follower *v, const struct record *head)
{
	const struct record_exit *r = (const void *)head;
	struct event e = event_of(v, head, EVENT_EXIT);
	struct pairing_thread *t = pairing_find(&v->pairing, head->tid);
	uint64_t *leader = map_find(&v->leaders, head->pid);
	bool last = is_last(v, r);

	used_thread_ends(&v->used, head->pid, &r->usage);
	if (t) {
		e.exit.status = r->status;
		e.exit.last = last;
		v->dying = true;
		pairing_end(&v->pairing, t);
		v->dying = false;
		if (last)
			used_store(&v->used, head->pid, e.time, NULL);
		if (last && leader) {
			struct event first = event_of(v, head, EVENT_EXIT);

			first.tid = first.pid;
			first.exit.status = (int)*leader;
			sink_store(v->sink, &first);
		}
		if (!last && head->tid == head->pid)
			*map_at(&v->leaders, head->pid) = (uint64_t)r->status;
		else
			sink_store(v->sink, &e);
		pairing_remove(&v->pairing, t);
	}
	if (last) {
		map_remove(&v->leaders, head->pid);
		used_end(&v->used, head->pid);
		map_remove(&v->unwanted, head->pid);
	}
}

bool follower_knows(const struct follower *v, pid_t pid, pid_t tid)
{
	return pairing_find(&v->pairing, (uint32_t)tid) || map_find(&v->unwanted, (uint64_t)pid);
}

void follower_attach(struct follower *v, pid_t pid, pid_t tid)
{
	struct program p;

	program_of(pid, &p);
	if (v->nonly && !program_is(&p, v->only, v->nonly)) {
		*map_at(&v->unwanted, (uint64_t)pid) = 1;
		return;
	}
	if (pid == tid)
		used_attach(&v->used, (uint32_t)pid);
	begin_thread(v, (uint32_t)pid, (uint32_t)tid);
	sink_store_running(v->sink, pid, tid, time_of(v, (uint64_t)monotonic_ns()));
}

static void on_join(struct follower *v, const struct record *head)
{
	if (!follower_knows(v, (pid_t)head->pid, (pid_t)head->tid))
		follower_attach(v, (pid_t)head->pid, (pid_t)head->tid);
}

/* ---- records ---- */

static void (*const handlers[])(struct follower *v, const struct record *r) = {
	[RECORD_CALL] = on_call,     [RECORD_DESCRIPTOR] = on_descriptor,
	[RECORD_FORK] = on_fork,     [RECORD_EXEC] = on_exec,
	[RECORD_EXIT] = on_death,    [RECORD_ENTRY] = on_entry,
	[RECORD_RETURN] = on_return, [RECORD_JOIN] = on_join,
};

/* Says where records are missing: between the last that was heard of a CPU and this one. */
static void note_losses(struct follower *v, const struct record *r)
{
	if (r->cpu >= v->ncpus)
		return;
	if (r->lost > v->cpus[r->cpu].lost)
		sink_store_lost(v->sink, r->lost - v->cpus[r->cpu].lost,
				time_of(v, v->cpus[r->cpu].time), time_of(v, r->time));
	v->cpus[r->cpu].lost = r->lost;
	v->cpus[r->cpu].time = r->time;
}

/* True of what the command did before its execve, which is our own code. */
static bool is_launching(const struct follower *v, const struct record *r)
{
	if (r->pid != (uint32_t)v->launching)
		return false;
	switch (r->type) {
	case RECORD_CALL:
	case RECORD_ENTRY: return !is_execve(id_of((const struct record_call *)r));
	case RECORD_RETURN: /* counts inside of a call only */
	case RECORD_EXEC:
	case RECORD_EXIT: return false;
	}
	return true;
}

void follower_handle(struct follower *v, const struct record *r)
{
	note_losses(v, r);
	v->calls += r->type == RECORD_CALL;
	if (is_launching(v, r))
		return;
	if (r->type < sizeof(handlers) / sizeof(*handlers)) {
		handlers[r->type](v, r);
		return;
	}
	if (r->type == RECORD_SIGNAL && ((const struct record_signal *)r)->handled) {
		struct pairing_thread *t = thread_of(v, r);

		if (t && pairing_is_interrupted(t))
			pairing_signal(t);
	}
	/* A wake-up or a completed request may have come on top of any thread. */
	struct event e = event_of(v, r, 0);
	plain_event(&e, r);
	if (!map_find(&v->unwanted, r->pid))
		sink_store(v->sink, &e);
}

void follower_past(struct follower *v, const struct record_exit *r)
{
	used_past(&v->used, r->head.pid, &r->usage);
}

/* ---- all of them ---- */

void follower_begin(struct follower *v, struct sink *sink, const char *const *only, size_t nonly,
		    size_t ncpus)
{
	*v = (struct follower){ .sink = sink, .only = only, .nonly = nonly, .ncpus = ncpus };
	v->used.sink = sink;
	find_ids();
	v->cpus = xcalloc(ncpus, sizeof(*v->cpus));
	pairing_init(&v->pairing, emit, v);
}

void follower_launch(struct follower *v, pid_t pid)
{
	v->launching = pid;
	if (v->nonly)
		*map_at(&v->unwanted, (uint64_t)pid) = 1;
	else
		begin_thread(v, (uint32_t)pid, (uint32_t)pid);
}

size_t follower_alive(const struct follower *v)
{
	return v->pairing.threads.n + v->unwanted.n;
}

void follower_bury(struct follower *v)
{
	struct pairing_thread *t;
	uint64_t pid, one;

	for (size_t at = 0; (t = pairing_next(&v->pairing, &at));)
		if (syscall(SYS_tgkill, t->pid, t->tid, 0) && errno == ESRCH) {
			pairing_end(&v->pairing, t);
			pairing_remove(&v->pairing, t);
			at = 0;
		}
	for (size_t at = 0; map_next(&v->unwanted, &at, &pid, &one);)
		if (kill((pid_t)pid, 0) && errno == ESRCH) {
			map_remove(&v->unwanted, pid);
			at = 0;
		}
}

void follower_end(struct follower *v)
{
	struct pairing_thread *t;
	int64_t now = time_of(v, (uint64_t)monotonic_ns());

	for (size_t at = 0; (t = pairing_next(&v->pairing, &at));)
		if (t->pid == t->tid)
			used_store_present(&v->used, t->pid, now);
	pairing_end_all(&v->pairing);
	used_free(&v->used);
	map_free(&v->unwanted);
	map_free(&v->leaders);
	pairing_free(&v->pairing);
	free(v->cpus);
}
