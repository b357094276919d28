/* SPDX-License-Identifier: MIT */
/*
 * The backend that works wherever a debugger does: turns the stops of a tracer into events.
 *
 * A call is stored when it ends; one that the kernel restarted after a signal is one call with
 * CALL_RESTARTED.  Paths, the flags of clone3 and openat2, and the descriptors of a pipe are read
 * from the memory of the process.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/program.h"
#include "record/ptrace/tracer.h"
#include "record/record.h"
#include "record/used.h"
#include "trace/pairing.h"
#include "trace/syscalls.h"
#include "util/monotonic.h"
#include "util/xalloc.h"

/* One recording by ptrace. */
struct ptrace {
	struct tracer *tracer;
	struct sink *sink;
	const char *const *only;
	size_t nonly;
	struct pairing pairing;
	struct used used;
	struct event *returned; /* of a call that is over and not stored yet; or NULL */
	char path[CALLARGS_PATH_SIZE];
};

/* Calls that mean more to the recorder than others. */
static struct {
	unsigned close, exit, io_uring_setup, io_uring_enter;
} id;

static void find_ids(void)
{
	id.close = syscall_by_name("close");
	id.exit = syscall_by_name("exit");
	id.io_uring_setup = syscall_by_name("io_uring_setup");
	id.io_uring_enter = syscall_by_name("io_uring_enter");
}

/* ---- events ---- */

/* For pairing.h. */
static void emit(void *arg, struct event *e)
{
	struct ptrace *p = arg;

	sink_store(p->sink, e);
}

/* Takes the command. */
static void store_exec(struct ptrace *p, const struct pairing_thread *t, int64_t time,
		       char *command)
{
	struct event event = pairing_event(t, EVENT_EXEC, time);

	event.exec.command = command;
	sink_store(p->sink, &event);
	free(command);
}

/* ---- what processes use ---- */

/* What it has used up to here does not count unless it was just born. */
static void begin_usage(struct ptrace *p, pid_t pid, bool born)
{
	if (!map_find(&p->used.processes, (uint64_t)pid))
		(born ? used_begin : used_attach)(&p->used, (uint32_t)pid);
}

/* With the stops of the tracer.  Of a process that was killed it is unknown. */
static void store_usage(struct ptrace *p, pid_t pid, int64_t time)
{
	if (map_find(&p->used.processes, (uint64_t)pid) &&
	    used_store_present(&p->used, (uint32_t)pid, time))
		sink_store_usage(p->sink, pid, time, NULL);
}

/* ---- threads ---- */

static struct pairing_thread *begin_thread(struct ptrace *p, struct tracee *c)
{
	p->sink->threads++;
	p->sink->processes += c->pid == c->tid;
	return c->state = pairing_begin(&p->pairing, (uint32_t)c->pid, (uint32_t)c->tid);
}

static bool wanted(const struct ptrace *p, pid_t pid)
{
	struct program program;

	if (!p->nonly)
		return true;
	program_of(pid, &program);
	return program_is(&program, p->only, p->nonly);
}

/* ---- stops ---- */

/* Does this call end the process of t?  Other threads that are inside of exit(2) do not count. */
static bool ends_process(struct ptrace *p, const struct pairing_thread *t, unsigned call)
{
	bool ends = syscall_get(call)->returns == RETURNS_NOTHING;
	struct pairing_thread *other;

	for (size_t at = 0; call == id.exit && ends && (other = pairing_next(&p->pairing, &at));) {
		const struct event *inside = pairing_inside(other);

		ends = other == t || other->pid != t->pid || (inside && inside->call.id == call);
	}
	return ends;
}

static void on_call(struct ptrace *p, struct pairing_thread *t, const struct callstop *stop)
{
	const uint64_t place[2] = { stop->ip, stop->sp };
	struct event event = pairing_event(t, EVENT_SYSCALL, 0);
	unsigned call = event.call.id = syscall_by_number(stop->abi, stop->number);
	pid_t pid = (pid_t)t->pid, tid = (pid_t)t->tid;

	callargs_begin(tid, stop->args, &event, p->path);
	if (call == id.close)
		sink_see_descriptor(p->sink, pid, tid, (int)stop->args[0]);
	if (ends_process(p, t, call)) {
		store_usage(p, pid, monotonic_ns() - p->sink->start);
		used_end(&p->used, (uint32_t)pid);
	}
	pairing_enter(&p->pairing, t, &event, place);
	/* As late as possible: our own work is not the call's. */
	pairing_inside(t)->time = monotonic_ns() - p->sink->start;
}

/* Counts what a call did that is not in the trace. */
static void count_losses(struct ptrace *p, const struct pairing_thread *t, const struct event *e)
{
	struct io_uring_params params;

	if (e->call.result < 0)
		return;
	if (e->call.id == id.io_uring_enter)
		p->sink->losses[LOST_UNSEEN] += (uint64_t)e->call.result;
	else if (e->call.id == id.io_uring_setup &&
		 peek((pid_t)t->tid, e->call.args[1], &params, sizeof(params)) &&
		 params.flags & IORING_SETUP_SQPOLL)
		p->sink->losses[LOST_POLLED]++;
	else if (e->call.result && syscall_clone_flags(e) & CLONE_UNTRACED)
		p->sink->losses[LOST_UNTRACED_CHILD]++;
}

static void on_return(struct ptrace *p, struct pairing_thread *t, const struct stop *s)
{
	/* NULL: the call may be restarted, or it is an execve, which on_exec() stored. */
	p->returned = pairing_exit(&p->pairing, t, s->call.result, s->time - p->sink->start);
	if (!p->returned)
		return;
	if (!callargs_end((pid_t)t->tid, p->returned))
		p->sink->losses[LOST_UNREADABLE]++;
	count_losses(p, t, p->returned);
}

/* A process is recorded from here on. */
static void on_first(struct ptrace *p, struct tracee *c, int64_t time)
{
	c->calls = c->launching ? !p->nonly : wanted(p, c->pid);
	if (!c->calls)
		return;
	begin_thread(p, c);
	begin_usage(p, c->pid, c->launching);
	if (!c->launching) /* else the program comes with its exec */
		sink_store_running(p->sink, c->pid, c->tid, time);
}

static void on_birth(struct ptrace *p, struct pairing_thread *t, struct tracee *child, int64_t time)
{
	struct event event = pairing_event(t, EVENT_FORK, time), *call = pairing_inside(t);
	bool process = child->pid != (pid_t)t->pid;

	event.fork.child_pid = (uint32_t)child->pid;
	event.fork.child_tid = (uint32_t)child->tid;
	event.fork.shares_files = process && syscall_clone_flags(call) & CLONE_FILES;
	begin_thread(p, child);
	if (process)
		begin_usage(p, child->pid, true);
	sink_store(p->sink, &event);
}

/* Thread `former` made the execve and goes on under the number of its process, that of c. */
static void take_over(struct ptrace *p, struct tracee *c, struct tracee *former, int64_t time)
{
	struct event event = pairing_event(former->state, EVENT_EXIT, time);

	c->state = former->state;
	former->state = NULL;
	pairing_exec(&p->pairing, c->state, (uint32_t)c->tid);
	sink_store(p->sink, &event);
}

static void on_exec(struct ptrace *p, const struct stop *s, int64_t time)
{
	struct tracee *c = s->tracee, *former = s->exec.former;
	bool want = wanted(p, c->pid);

	if (!c->state && !want)
		return;
	if (!c->state)
		begin_thread(p, c);
	if (former && former->state)
		take_over(p, c, former, time);
	else
		pairing_exec(&p->pairing, c->state, (uint32_t)c->tid);
	/* The execve is a call of the program that made it. */
	struct event *call = pairing_exit(&p->pairing, c->state, 0, time);
	if (call)
		sink_store(p->sink, call);
	store_usage(p, c->pid, time);
	if (want)
		begin_usage(p, c->pid, false);
	else
		used_end(&p->used, (uint32_t)c->pid);
	c->calls = want;
	store_exec(p, c->state, time, program_command(c->pid));
}

static void on_death(struct ptrace *p, struct tracee *c, const struct stop *s, int64_t time)
{
	struct event event = pairing_event(c->state, EVENT_EXIT, time);

	event.exit.status = s->death.status;
	event.exit.last = s->death.last;
	pairing_end(&p->pairing, c->state);
	if (s->death.last) {
		store_usage(p, c->pid, time);
		used_end(&p->used, (uint32_t)c->pid);
	}
	sink_store(p->sink, &event);
	pairing_remove(&p->pairing, c->state);
	c->state = NULL;
}

/* Whether a signal handler of thread tid will run. */
static bool has_handler(pid_t tid, int number)
{
	static const char *const fields[] = { "SigCgt" };
	uint64_t caught = 0;

	program_status(tid, fields, 16, &caught, 1);
	return caught >> (number - 1) & 1;
}

static void on_signal(struct ptrace *p, struct pairing_thread *t, int64_t time, int number)
{
	struct event event = pairing_event(t, EVENT_SIGNAL, time);

	event.signal.signal = number;
	if (pairing_is_interrupted(t) && has_handler((pid_t)t->tid, number))
		pairing_signal(t);
	sink_store(p->sink, &event);
}

static void on_stop(struct ptrace *p, const struct stop *s)
{
	struct pairing_thread *t = s->tracee->state;
	int64_t time = s->time - p->sink->start;

	if (s->kind == STOP_FIRST)
		on_first(p, s->tracee, time);
	else if (s->kind == STOP_EXEC)
		on_exec(p, s, time);
	else if (!t)
		return;
	else if (s->kind == STOP_CALL)
		on_call(p, t, &s->call);
	else if (s->kind == STOP_RETURN)
		on_return(p, t, s);
	else if (s->kind == STOP_BIRTH && s->tracee->calls)
		on_birth(p, t, s->birth.child, time);
	else if (s->kind == STOP_SIGNAL)
		on_signal(p, t, time, s->signal.number);
	else if (s->kind == STOP_DEATH)
		on_death(p, s->tracee, s, time);
}

/* ---- the backend ---- */

static int probe(struct error *reason)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	if (pid < 0)
		return error_set(reason, "fork: %s", strerror(errno));
	int failed = ptrace(PTRACE_SEIZE, pid, NULL, NULL) ? ptrace_error(pid, true, reason) : 0,
	    why = errno;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	errno = why;
	return failed;
}

static void release(struct recording *r)
{
	struct ptrace *p = r->state;

	used_free(&p->used);
	pairing_free(&p->pairing);
	tracer_free(p->tracer);
	free(p);
}

static int start(struct recording *r, const struct record_target *t, struct error *e)
{
	struct ptrace *p = r->state = xcalloc(1, sizeof(*p));
	int failed = 0;

	find_ids();
	pairing_init(&p->pairing, emit, p);
	p->sink = p->used.sink = &r->sink;
	p->only = t->only;
	p->nonly = t->nonly;
	p->tracer = tracer_new(&(struct tracer_options){ .calls = true, .kill = t->path != NULL });
	if (t->path) {
		r->command = tracer_launch(p->tracer, t->path, t->argv, e);
		failed = r->command < 0;
	}
	for (size_t i = 0; i < t->npids && !failed; i++)
		failed = tracer_attach(p->tracer, t->pids[i], e) < 0;
	return failed ? -1 : 0;
}

static int poll(struct recording *r, struct error *e)
{
	struct ptrace *p = r->state;
	struct stop stop;
	int more = tracer_next(p->tracer, &stop, e);
	struct tracee *c = stop.tracee;

	if (more <= 0 || !c)
		return more;
	if (c->tid == r->command && stop.kind == STOP_PAUSE)
		r->paused = stop.signal.number;
	if (c->tid == r->command && stop.kind == STOP_DEATH) {
		r->ended = true;
		r->status = stop.death.status;
	}
	on_stop(p, &stop);
	if (p->returned) {
		/* The thread need not wait for this; it cannot begin another call without us. */
		tracer_go_on(p->tracer);
		sink_store(p->sink, p->returned);
		p->returned = NULL;
	}
	if (p->sink->failed)
		c->calls = false;
	return 1;
}

static void stop(struct recording *r)
{
	struct ptrace *p = r->state;
	int64_t time = monotonic_ns() - p->sink->start;
	uint64_t pid, process;

	pairing_end_all(&p->pairing);
	for (size_t at = 0; map_next(&p->used.processes, &at, &pid, &process);)
		store_usage(p, (pid_t)pid, time);
	/* A command would die with us; others notice less when the kernel lets them go at our end.
	 */
	if (r->command && tracer_threads(p->tracer))
		tracer_detach(p->tracer);
}

const struct backend ptrace_backend = {
	"ptrace",
	"context switches, wake-ups, faults, operations of io_uring; calls last microseconds "
	"longer",
	true,
	probe,
	start,
	poll,
	stop,
	release,
	NULL,
};
