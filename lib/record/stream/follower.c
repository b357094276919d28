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

#include "record/program.h"
#include "record/stream/calls.h"
#include "trace/syscalls.h"
#include "util/monotonic.h"
#include "util/shell.h"
#include "util/xalloc.h"

/* ---- what a record says ---- */

struct pairing_thread *follower_thread(struct follower *v, const struct record *r)
{
	struct pairing_thread *t = pairing_find(&v->pairing, r->tid);

	if (v->unwanted.n && map_find(&v->unwanted, r->pid))
		return NULL;
	return t && t->pid == r->pid ? t : pairing_begin(&v->pairing, r->pid, r->tid);
}

int64_t follower_time(const struct follower *v, uint64_t ns)
{
	return (int64_t)ns - v->sink->start;
}

struct event follower_event(const struct follower *v, const struct record *r, enum event_type type)
{
	return (struct event){
		.type = type, .pid = r->pid, .tid = r->tid, .time = follower_time(v, r->time)
	};
}

/* For pairing.h.  A call that a deadly signal interrupted did not return to the program. */
static void emit(void *arg, struct event *e)
{
	struct follower *v = arg;

	if (v->dying && pairing_is_last(v->dying) && event_failed(e)) {
		e->call.flags |= CALL_UNFINISHED;
		e->call.result = 0;
		e->call.duration = -1;
	}
	sink_store(v->sink, e);
}

static void on_descriptor(struct follower *v, const struct record *head)
{
	const struct record_descriptor *r = (const void *)head;

	fd_descriptions_note(&v->descriptions, r);
	if (r->alone && !map_find(&v->unwanted, head->pid))
		sink_see_descriptor(v->sink, (pid_t)head->pid, (pid_t)head->tid, r->fd);
}

/* ---- processes ---- */

static void begin_thread(struct follower *v, uint32_t pid, uint32_t tid)
{
	v->sink->threads++;
	v->sink->processes += pid == tid;
	pairing_begin(&v->pairing, pid, tid);
}

static void on_fork(struct follower *v, const struct record *head)
{
	const struct record_fork *r = (const void *)head;
	struct pairing_thread *t = follower_thread(v, head);
	struct event e = follower_event(v, head, EVENT_FORK);

	if (!t) {
		*map_at(&v->unwanted, r->child_pid) = 1;
		return;
	}
	e.fork.child_pid = r->child_pid;
	e.fork.child_tid = r->child_tid;
	e.fork.shares_files =
	    r->child_pid != head->pid &&
	    (r->shares_files || syscall_clone_flags(pairing_inside(t)) & CLONE_FILES);
	begin_thread(v, r->child_pid, r->child_tid);
	sink_store(v->sink, &e);
}

/* Its program, and whether that is recorded. */
static bool wanted(const struct follower *v, const struct record_exec *r, struct program *p)
{
	if (!r->bytes) {
		program_of((pid_t)r->head.pid, p);
		return !v->nonly || program_is(p, v->only, v->nonly);
	}
	size_t n = strnlen(r->args, r->bytes < sizeof(r->args) ? r->bytes : sizeof(r->args));
	const char *slash = memrchr(r->args, '/', n);
	const char *name = slash ? slash + 1 : r->args;

	snprintf(p->name, sizeof(p->name), "%.*s", (int)(r->args + n - name), name);
	snprintf(p->file, sizeof(p->file), "%s", r->name);
	return !r->foreign && (!v->nonly || program_is(p, v->only, v->nonly));
}

/* The words of its command, "..." for those that the record has no room for. */
static char *command_of(const struct record_exec *r)
{
	size_t n = r->bytes;

	if (!n)
		return program_command((pid_t)r->head.pid);
	if (n <= sizeof(r->args))
		return shell_strings(r->args, n);
	n = sizeof(r->args);
	while (n && r->args[n - 1]) /* a part of a word */
		n--;
	char *words = shell_strings(r->args, n);
	return xappend(words, n ? " ..." : "...");
}

static void on_exec(struct follower *v, const struct record *head)
{
	const struct record_exec *r = (const void *)head;
	struct event e = follower_event(v, head, EVENT_EXEC);
	struct pairing_thread *t = pairing_find(&v->pairing, head->tid);
	struct program program;
	bool want = wanted(v, r, &program);

	v->sink->losses[LOST_UNTRACED_CHILD] += r->foreign;
	if (head->pid == (uint32_t)v->launching)
		v->launching = 0;
	calls_store_counted(v, head, head->tid);
	if (!t && !want)
		return;
	calls_end_execve(v, head, r->former);
	t = pairing_find(&v->pairing, head->tid);
	bool before = t && follower_wants(v, (pid_t)head->pid);
	if (!t) {
		begin_thread(v, head->pid, head->tid);
		t = pairing_find(&v->pairing, head->tid);
	}
	if (want)
		map_remove(&v->unwanted, head->pid);
	else
		*map_at(&v->unwanted, head->pid) = 1;
	pairing_exec(&v->pairing, t, head->tid);
	if (before)
		accounting_store(&v->accounting, head->pid, follower_time(v, head->time),
				 &r->usage);
	else
		accounting_begin(&v->accounting, head->pid, &r->usage);
	char *command = command_of(r);
	e.exec.command = command;
	e.exec.name = program.name;
	e.exec.file = program.file;
	sink_store(v->sink, &e);
	free(command);
}

/* t: the thread, NULL if it is unknown: after the execve of another, the first thread has the
 * number that this one had. */
static bool is_last(const struct follower *v, const struct record_exit *r,
		    const struct pairing_thread *t)
{
	const uint64_t *threads = map_find(&v->pairing.processes, r->head.pid);

	return r->last == LAST_IS_UNKNOWN ? !threads || (t && *threads <= 1) : r->last;
}

/*
 * The first thread of a process that ends before others may have been killed by the execve of one
 * that takes its number.  So its end is stored with that of the process.
 */
static void on_death(struct follower *v, const struct record *head)
{
	const struct record_exit *r = (const void *)head;
	struct event e = follower_event(v, head, EVENT_EXIT);
	struct pairing_thread *t = pairing_find(&v->pairing, head->tid);
	uint64_t *leader = map_find(&v->leaders, head->pid);
	bool last = is_last(v, r, t);

	accounting_thread_ends(&v->accounting, head->pid, &r->usage);
	calls_store_counted(v, head, head->tid);
	if (t) {
		e.exit.status = r->status;
		e.exit.last = last;
		v->dying = t;
		pairing_end(&v->pairing, t);
		v->dying = NULL;
		if (last && follower_wants(v, (pid_t)head->pid))
			accounting_store(&v->accounting, head->pid, e.time, NULL);
		if (last && leader) {
			struct event first = follower_event(v, head, EVENT_EXIT);

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
		if (v->stacks)
			stacks_forget(v->stacks, (pid_t)head->pid);
		map_remove(&v->leaders, head->pid);
		accounting_end(&v->accounting, head->pid);
		map_remove(&v->unwanted, head->pid);
	}
}

bool follower_knows(const struct follower *v, pid_t pid, pid_t tid)
{
	return pairing_find(&v->pairing, (uint32_t)tid) || map_find(&v->unwanted, (uint64_t)pid);
}

bool follower_wants(const struct follower *v, pid_t pid)
{
	return !map_find(&v->unwanted, (uint64_t)pid);
}

/* What a thread does when it is attached: the call that it is in, and whether it has a CPU. */
static void store_doing(struct follower *v, pid_t pid, pid_t tid, uint64_t now)
{
	static const uint8_t states[128] = { ['R'] = STATE_RUNNABLE,
					     ['S'] = STATE_SLEEPING,
					     ['D'] = STATE_UNINTERRUPTIBLE,
					     ['T'] = STATE_STOPPED,
					     ['t'] = STATE_STOPPED };
	struct program_doing d;

	program_doing(tid, &d);
	struct record_call call = { .head = { now, .pid = (uint32_t)pid, .tid = (uint32_t)tid },
				    .begin = now,
				    .number = record_number((unsigned)d.call),
				    .cpu = (unsigned short)d.cpu };
	memcpy(call.args, d.args, sizeof(d.args));
	if (d.call >= 0)
		calls_begun(v, &call.head);
	uint8_t state = states[d.state & 127];
	if (state == STATE_UNKNOWN)
		return;
	struct event e = follower_event(v, &call.head, EVENT_SWITCH);
	e.change.cpu = d.cpu;
	e.change.out = state != STATE_RUNNABLE;
	e.change.state = e.change.out ? state : STATE_UNKNOWN;
	sink_store(v->sink, &e);
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
		accounting_attach(&v->accounting, (uint32_t)pid);
	begin_thread(v, (uint32_t)pid, (uint32_t)tid);
	const uint64_t now = (uint64_t)monotonic_ns();
	sink_store_running(v->sink, pid, tid, follower_time(v, now));
	if (v->sees_switches)
		store_doing(v, pid, tid, now);
}

static void on_join(struct follower *v, const struct record *head)
{
	if (!follower_knows(v, (pid_t)head->pid, (pid_t)head->tid))
		follower_attach(v, (pid_t)head->pid, (pid_t)head->tid);
}

/* ---- counters ---- */

/* The time on the CPU comes first, and then what was counted in at least half of it. */
static void on_count(struct follower *v, const struct record *head)
{
	enum { READING = 5000 }; /* ns: clocks differ by what reading the counters takes */
	const struct record_count *r = (const void *)head;
	struct event e = follower_event(v, head, EVENT_COUNTER);
	double ns = (double)(head->time - r->since), running = (double)r->running;

	if (map_find(&v->unwanted, head->pid) || running + READING < ns / 2)
		return;
	if (v->counted.tid != head->tid || v->counted.time != head->time) {
		e.counter.name = "cpu_ns";
		e.counter.value = ns;
		sink_store(v->sink, &e);
		v->counted.tid = head->tid;
		v->counted.time = head->time;
	}
	e.counter.name = v->events[r->event];
	e.counter.value = (double)r->count * (running + READING < ns ? ns / running : 1);
	sink_store(v->sink, &e);
}

static void on_stack(struct follower *v, const struct record *head)
{
	struct event e = follower_event(v, head, EVENT_STACK);

	if (v->stacks && !map_find(&v->unwanted, head->pid) &&
	    (e.stack.frames = stacks_find(v->stacks, (const struct record_stack *)head)))
		sink_store(v->sink, &e);
}

/* ---- records ---- */

static void (*const handlers[])(struct follower *v, const struct record *r) = {
	[RECORD_CALL] = calls_whole,	[RECORD_DESCRIPTOR] = on_descriptor,
	[RECORD_FORK] = on_fork,	[RECORD_EXEC] = on_exec,
	[RECORD_EXIT] = on_death,	[RECORD_ENTRY] = calls_entry,
	[RECORD_RETURN] = calls_return, [RECORD_JOIN] = on_join,
	[RECORD_FIRST] = calls_first,	[RECORD_URING] = calls_operation,
	[RECORD_COUNT] = on_count,	[RECORD_STACK] = on_stack,
};

/* Says where records are missing: between the last that was heard of a CPU and this one. */
static void note_losses(struct follower *v, const struct record *r)
{
	uint64_t *unseen = &v->sink->losses[LOST_SWITCHES];

	if (r->cpu >= v->ncpus)
		return;
	/* Of several rings, records may say less than those before. */
	int32_t lost = (int32_t)(r->lost - (uint32_t)v->cpus[r->cpu].lost);
	if (lost > 0) {
		sink_store_lost(v->sink, (uint64_t)lost, follower_time(v, v->cpus[r->cpu].time),
				follower_time(v, r->time));
		v->cpus[r->cpu].lost += (uint64_t)lost;
		/* Switches may be among them, also those that seemed unseen since. */
		map_free(&v->running);
		if (*unseen > v->cpus[r->cpu].unseen)
			*unseen = v->cpus[r->cpu].unseen;
	}
	v->cpus[r->cpu].unseen = *unseen;
	v->cpus[r->cpu].time = r->time;
}

/* True of what the command did before its execve, which is our own code. */
static bool is_launching(const struct follower *v, const struct record *r)
{
	if (!v->launching || r->pid != (uint32_t)v->launching)
		return false;
	switch (r->type) {
	case RECORD_CALL:
	case RECORD_ENTRY: return !calls_is_execve((const struct record_call *)r);
	case RECORD_RETURN: /* counts inside of a call only */
	case RECORD_EXEC:
	case RECORD_EXIT: return false;
	}
	return true;
}

/*
 * A thread leaves a CPU that it has not come to, or comes to two: the kernel has not shown what was
 * in between.  (Kernels exist that show nothing of what happens on top of certain processes, and
 * no switch from them.)
 */
static void check_switch(struct follower *v, const struct record *head)
{
	const struct record_switch *r = (const void *)head;
	uint64_t *last = map_find(&v->running, head->tid);

	if (last && *last == !r->out)
		v->sink->losses[LOST_SWITCHES]++;
	if (r->out && r->state == STATE_DEAD)
		map_remove(&v->running, head->tid);
	else
		*map_at(&v->running, head->tid) = !r->out;
}

union plain {
	struct record head;
	struct record_switch change;
	struct record_wake wake;
	struct record_signal signal;
	struct record_fault fault;
	struct record_softirq softirq;
	struct record_block block;
};

/* Of a record that stands for one event, whatever came before: *e, which has its process, thread
 * and time, becomes that. */
static void plain_event(struct event *e, const struct record *head)
{
	const union plain *r = (const void *)head;

	switch (head->type) {
	case RECORD_SWITCH:
		e->type = EVENT_SWITCH;
		e->change.cpu = head->cpu;
		e->change.out = r->change.out;
		e->change.preempted = r->change.preempted;
		e->change.next = r->change.next;
		e->change.state = r->change.state;
		break;
	case RECORD_WAKE:
		e->type = EVENT_WAKE;
		e->wake.target = r->wake.target;
		e->wake.context = (uint8_t)r->wake.context;
		e->wake.from = head->cpu + 1u;
		break;
	case RECORD_SIGNAL:
		e->type = EVENT_SIGNAL;
		e->signal.signal = (int)r->signal.number;
		break;
	case RECORD_FAULT: fault_set_x86(e, r->fault.address, r->fault.code); break;
	case RECORD_SOFTIRQ:
		e->type = EVENT_INTERRUPT;
		e->interrupt.duration = (int64_t)(head->time - r->softirq.begin);
		e->time -= e->interrupt.duration;
		e->interrupt.soft = true;
		e->interrupt.number = r->softirq.number;
		e->interrupt.cpu = head->cpu;
		break;
	case RECORD_BLOCK:
		e->type = EVENT_BLOCK;
		e->block.complete = r->block.complete;
		e->block.write = r->block.write;
		e->block.device = r->block.device;
		e->block.sector = r->block.sector;
		e->block.bytes = r->block.bytes;
		e->block.cpu = head->cpu + 1u;
		break;
	}
}

void follower_handle(struct follower *v, const struct record *r)
{
	note_losses(v, r);
	v->calls += r->type == RECORD_CALL || r->type == RECORD_FIRST;
	if (is_launching(v, r)) {
		if (r->type == RECORD_FIRST)
			tallies_add(&v->tallies, &((const struct record_first *)r)->kind, NULL);
		return;
	}
	if (r->type < sizeof(handlers) / sizeof(*handlers)) {
		handlers[r->type](v, r);
		return;
	}
	if (r->type == RECORD_SIGNAL && ((const struct record_signal *)r)->handled) {
		struct pairing_thread *t = follower_thread(v, r);

		if (t && pairing_is_interrupted(t))
			pairing_signal(t);
	}
	if (map_find(&v->unwanted, r->pid))
		return;
	if (r->type == RECORD_SWITCH)
		check_switch(v, r);
	if (v->stacks && r->type == RECORD_SWITCH && ((const struct record_switch *)r)->out)
		stacks_expect(v->stacks, (pid_t)r->pid);
	/* A wake-up or a completed request may have come on top of any thread. */
	struct event e = follower_event(v, r, 0);
	plain_event(&e, r);
	sink_store(v->sink, &e);
}

void follower_past(struct follower *v, const struct record_exit *r)
{
	accounting_past(&v->accounting, r->head.pid, &r->usage);
}

void follower_woke(struct follower *v, const struct record_exit *r)
{
	accounting_thread_ends(&v->accounting, r->head.pid, &r->usage);
}

/* ---- all of them ---- */

void follower_begin(struct follower *v, struct sink *sink, const char *const *only, size_t nonly,
		    size_t ncpus)
{
	*v = (struct follower){ .sink = sink, .only = only, .nonly = nonly, .ncpus = ncpus };
	v->accounting.sink = v->tallies.sink = sink;
	calls_prepare();
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

/* True if it did not exist the last time either: until then, what it did may not have been read. */
static bool is_gone(struct follower *v, struct map *missing, uint64_t pid, uint64_t tid)
{
	if (!syscall(SYS_tgkill, pid, tid, 0) || errno != ESRCH)
		return false;
	*map_at(missing, tid) = pid;
	return map_find(&v->missing, tid);
}

void follower_bury(struct follower *v)
{
	struct map missing = { 0 };
	struct pairing_thread *t;
	int64_t now = follower_time(v, (uint64_t)monotonic_ns());
	uint64_t pid, one;

	for (size_t at = 0; (t = pairing_next(&v->pairing, &at));)
		if (is_gone(v, &missing, t->pid, t->tid)) {
			v->calls += tallies_store(&v->tallies, t->tid, now);
			pairing_end(&v->pairing, t);
			pairing_remove(&v->pairing, t);
			at = 0;
		}
	for (size_t at = 0; map_next(&v->unwanted, &at, &pid, &one);)
		if (is_gone(v, &missing, pid, pid)) {
			map_remove(&v->unwanted, pid);
			at = 0;
		}
	map_free(&v->missing);
	v->missing = missing;
}

void follower_store_counted(struct follower *v, bool more)
{
	int64_t now = follower_time(v, (uint64_t)monotonic_ns());

	v->calls +=
	    more ? tallies_store_so_far(&v->tallies, now) : tallies_store_all(&v->tallies, now);
}

void follower_show_open(const struct follower *v, pairing_emit *take, void *arg)
{
	pairing_show_open(&v->pairing, follower_time(v, (uint64_t)monotonic_ns()), take, arg);
}

void follower_end(struct follower *v)
{
	struct pairing_thread *t;
	int64_t now = follower_time(v, (uint64_t)monotonic_ns());

	for (size_t at = 0; (t = pairing_next(&v->pairing, &at));)
		if (t->pid == t->tid && follower_wants(v, (pid_t)t->pid))
			accounting_store_present(&v->accounting, t->pid, now);
	pairing_end_all(&v->pairing);
	accounting_free(&v->accounting);
	tallies_free(&v->tallies);
	stacks_free(v->stacks);
	map_free(&v->unwanted);
	map_free(&v->running);
	map_free(&v->leaders);
	map_free(&v->missing);
	pairing_free(&v->pairing);
	free(v->cpus);
}
