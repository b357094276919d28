/* SPDX-License-Identifier: MIT */
#include "record/recorder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "record/accounts.h"
#include "record/ptrace/callargs.h"
#include "trace/fd/fdtable.h"
#include "record/procfd.h"
#include "record/program.h"
#include "record/ptrace/thread.h"
#include "util/xalloc.h"

struct recorder {
	struct recorder_options options;
	struct ktr_writer *writer;
	int64_t start;
	struct fdtable *fds;
	struct recorder_counts counts;
	struct threads threads;
	struct accounts accounts;
	bool begun;
	pid_t tid;		 /* of the stop at hand */
	struct thread *returned; /* its call is over and not stored yet; or NULL */
	char fd_name[CALLARGS_PATH_SIZE];
	unsigned restart_syscall, rt_sigreturn, execve, execveat, exit, exit_group; /* their ids */
};

static int64_t clock_now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now(const struct recorder *r)
{
	return clock_now(CLOCK_MONOTONIC) - r->start;
}

/*
 * fdtable.h asks: /proc can tell, since the thread at hand is stopped, or has been let go on after a call and
 * cannot begin another without us.
 */
static void resolve(void *arg, uint32_t pid, int fd, enum fd_kind *kind, const char **name)
{
	struct recorder *r = arg;

	(void)pid;
	if (*kind == FD_DIRECTORY)
		return; /* opened with O_DIRECTORY: there is no doubt */
	enum fd_kind found = procfd_look(r->tid, fd, *name ? NULL : r->fd_name, sizeof(r->fd_name));
	if (!found)
		return;
	*kind = found;
	if (!*name)
		*name = r->fd_name;
}

struct recorder *recorder_new(struct ktr_writer *w, const struct recorder_options *o)
{
	struct recorder *r = xcalloc(1, sizeof(*r));

	r->options = *o;
	r->writer = w;
	r->start = clock_now(CLOCK_MONOTONIC);
	r->restart_syscall = syscall_by_name("restart_syscall");
	r->rt_sigreturn = syscall_by_name("rt_sigreturn");
	r->execve = syscall_by_name("execve");
	r->execveat = syscall_by_name("execveat");
	r->exit = syscall_by_name("exit");
	r->exit_group = syscall_by_name("exit_group");
	r->fds = fdtable_new(syscall_native_abi(), resolve, r);
	return r;
}

const struct recorder_counts *recorder_counts(const struct recorder *r)
{
	return &r->counts;
}

/* ---- events ---- */

static int store(struct recorder *r, struct event *e, struct error *error)
{
	struct event fd;

	fdtable_event(r->fds, e);
	while (fdtable_next(r->fds, &fd))
		if (ktr_write(r->writer, &fd, error))
			return -1;
	return ktr_write(r->writer, e, error);
}

/* What the wall clock shows at this moment of the trace. */
static int store_clock(struct recorder *r, struct error *e)
{
	struct event event = { .type = EVENT_CLOCK, .time = now(r) };

	event.clock.realtime = clock_now(CLOCK_REALTIME);
	return store(r, &event, e);
}

static int store_call(struct recorder *r, struct call *c, struct error *e)
{
	if (!c->open)
		return 0;
	c->open = false;
	if (!(c->event.call.flags & (CALL_UNFINISHED | CALL_NO_RESULT)))
		r->counts.calls++;
	return store(r, &c->event, e);
}

/* A broken call that will not go on any more: its program saw EINTR. */
static int store_broken(struct recorder *r, struct thread *t, struct error *e)
{
	t->broken.event.call.result = -EINTR;
	return store_call(r, &t->broken, e);
}

/* The call that t is inside of will not return. */
static int store_unfinished(struct recorder *r, struct thread *t, struct error *e)
{
	struct event *event = &t->call.event;
	bool exits = event->call.id == r->exit || event->call.id == r->exit_group;

	event->call.flags |= exits ? CALL_NO_RESULT : CALL_UNFINISHED;
	event->call.duration = -1;
	return store_call(r, &t->call, e);
}

/* Nothing more will come from t. */
static int store_rest(struct recorder *r, struct thread *t, struct error *e)
{
	if (store_broken(r, t, e))
		return -1;
	return store_unfinished(r, t, e);
}

static int store_exit(struct recorder *r, const struct thread *t, int64_t time, int status,
		      bool last, struct error *e)
{
	struct event event = thread_event(t, EVENT_EXIT, time);

	event.exit.status = status;
	event.exit.last = last;
	return store(r, &event, e);
}

/* Takes the command. */
static int store_exec(struct recorder *r, struct thread *t, int64_t time, char *command,
		      struct error *e)
{
	struct event event = thread_event(t, EVENT_EXEC, time);

	event.exec.command = command;
	int status = store(r, &event, e);
	free(command);
	return status;
}

/* Thread t has made the execve that is over now: it is a call of the program that made it. */
static int store_execve(struct recorder *r, struct thread *t, int64_t time, struct error *e)
{
	t->call.event.call.duration = time - t->call.event.time;
	t->call.event.call.result = 0;
	return store_call(r, &t->call, e);
}

/*
 * What the process of t used while it was recorded and that is not stored yet, stops of the tracer included:
 * the user time of a vector when nobody measured it untraced.  Its switches are left out: most are those stops.
 * Of a process that was killed it is not known.
 */
static int store_usage(struct recorder *r, const struct thread *t, int64_t time,
		       const struct faults *faults, struct error *e)
{
	struct usage u = { 0 };

	if (!accounts_has(&r->accounts, t->pid))
		return 0;
	double known = accounts_settle(&r->accounts, t->pid, faults, &u) ? NAN : 0;
	double user = u.ticks > 0 ? u.cpu * u.user_ticks / u.ticks : u.cpu;
	const struct {
		const char *name;
		double value;
	} counters[] = {
		{ "user", known + user },
		{ "system", known + u.cpu - user },
		{ "minor_faults", known + (double)u.minor_faults },
		{ "major_faults", known + (double)u.major_faults },
	};
	struct event event = thread_event(t, EVENT_COUNTER, time);

	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		event.counter.name = counters[i].name;
		event.counter.value = counters[i].value;
		if (store(r, &event, e))
			return -1;
	}
	return 0;
}

/* ---- threads ---- */

static struct thread *begin_thread(struct recorder *r, struct tracee *c)
{
	struct thread *t = thread_new(&r->threads, c->pid, c->tid);

	c->state = t;
	r->counts.threads++;
	r->counts.processes += c->pid == c->tid;
	return t;
}

static void end_thread(struct recorder *r, struct tracee *c)
{
	thread_free(&r->threads, c->state);
	c->state = NULL;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	threads_free(&r->threads);
	accounts_free(&r->accounts);
	fdtable_free(r->fds);
	free(r);
}

static bool wanted(const struct recorder *r, pid_t pid)
{
	struct program program;

	if (!r->options.n)
		return true;
	program_of(pid, &program);
	return program_is(&program, r->options.only, r->options.n);
}

/* ---- stops ---- */

/* Does this call end the process of t?  Threads that are on their way out do not hinder it. */
static bool ends_process(const struct recorder *r, const struct thread *t, unsigned id)
{
	bool ends = id == r->exit_group || id == r->exit;

	for (size_t i = 0; id == r->exit && ends && i < r->threads.n; i++) {
		const struct thread *other = r->threads.v[i];

		ends = other == t || other->pid != t->pid ||
		       (other->call.open && other->call.event.call.id == r->exit);
	}
	return ends;
}

static int on_call(struct recorder *r, struct thread *t, const struct stop *s, struct error *e)
{
	const struct callstop *stop = &s->call;
	unsigned id = syscall_by_number(stop->abi, stop->number);
	struct call *c = &t->call;

	if (store_unfinished(r, t, e))
		return -1;
	if (thread_restarts(t, id, r->restart_syscall, stop)) {
		thread_swap_calls(t);
		c->event.call.flags |= CALL_RESTARTED;
		return 0;
	}
	c->open = true;
	c->ip = stop->ip;
	c->sp = stop->sp;
	c->event = thread_event(t, EVENT_SYSCALL, 0);
	c->event.call.id = id;
	callargs_begin(t->tid, stop->args, &c->event, &c->path);
	c->event.time = now(r); /* as late as possible: our own work is not the call's */
	if (id == r->execve || id == r->execveat)
		s->tracee->asks = accounts_single(&r->accounts, t->pid);
	if (!ends_process(r, t, id))
		return 0;
	if (!accounts_end(&r->accounts, t->pid)) {
		s->tracee->asks = true;
		return 0;
	}
	int status = store_usage(r, t, c->event.time, NULL, e);
	accounts_close(&r->accounts, t->pid);
	return status;
}

static int on_return(struct recorder *r, struct thread *t, const struct stop *s, struct error *e)
{
	struct call *c = &t->call;
	struct event *event = &c->event;

	if (!c->open)
		return 0; /* an execve, which on_exec() stored */
	event->call.duration = s->time - r->start - event->time;
	event->call.result = s->call.result;
	if (thread_will_restart(s->call.result)) {
		if (store_broken(r, t, e)) /* a signal handler that never returned */
			return -1;
		thread_swap_calls(t);
		return 0;
	}
	if (event->call.id == r->rt_sigreturn) {
		/* It puts back what the broken call shall return. */
		if (s->call.result == -EINTR && store_broken(r, t, e))
			return -1;
		event->call.result = 0;
	}
	callargs_end(t->tid, event);
	r->returned = t;
	return 0;
}

bool recorder_owes(const struct recorder *r)
{
	return r->returned != NULL;
}

int recorder_settle(struct recorder *r, struct error *e)
{
	struct thread *t = r->returned;

	r->returned = NULL;
	return t ? store_call(r, &t->call, e) : 0;
}

/* A process is recorded from here on. */
static int on_first(struct recorder *r, struct tracee *c, int64_t time, struct error *e)
{
	struct event event;

	c->calls = c->launching ? !r->options.n : wanted(r, c->pid);
	if (!c->calls)
		return 0;
	struct thread *t = begin_thread(r, c);
	if (c->launching) {
		accounts_begin(&r->accounts, c->pid);
		return 0; /* the program comes with its exec */
	}
	accounts_open(&r->accounts, c->pid);
	if (c->tid == c->pid)
		return store_exec(r, t, time, program_command(c->pid), e);
	event = thread_event(t, EVENT_FORK, time);
	event.tid = event.pid;
	event.fork.child_pid = (uint32_t)c->pid;
	event.fork.child_tid = (uint32_t)c->tid;
	return store(r, &event, e);
}

static int on_birth(struct recorder *r, struct thread *t, const struct stop *s, int64_t time,
		    struct error *e)
{
	struct event event = thread_event(t, EVENT_FORK, time);

	event.fork.child_pid = (uint32_t)s->birth.child->pid;
	event.fork.child_tid = (uint32_t)s->birth.child->tid;
	event.fork.shares_files =
	    s->birth.child->pid != t->pid && t->call.open && callargs_share_files(&t->call.event);
	begin_thread(r, s->birth.child);
	accounts_grow(&r->accounts, t->pid);
	if (s->birth.child->pid != t->pid)
		accounts_begin(&r->accounts, s->birth.child->pid);
	return store(r, &event, e);
}

/* Thread `former` made the execve and goes on under t's number. */
static int take_over(struct recorder *r, struct thread *t, struct tracee *former, int64_t time,
		     struct error *e)
{
	struct thread *f = former->state;

	if (store_rest(r, t, e) || store_broken(r, f, e) || store_exit(r, f, time, 0, false, e))
		return -1;
	thread_take_call(t, f);
	end_thread(r, former);
	return 0;
}

static int on_exec(struct recorder *r, const struct stop *s, int64_t time, struct error *e)
{
	struct tracee *c = s->tracee, *former = s->exec.former;
	bool want = wanted(r, c->pid);

	if (!c->state && !want)
		return 0;
	if (!c->state)
		begin_thread(r, c);
	if (former && former->state && take_over(r, c->state, former, time, e))
		return -1;
	struct thread *t = c->state;
	if ((t->call.open && store_execve(r, t, time, e)) || store_usage(r, t, time, s->faults, e))
		return -1;
	if (want)
		accounts_open(&r->accounts, c->pid);
	else
		accounts_close(&r->accounts, c->pid);
	c->calls = want;
	return store_exec(r, t, time, program_command_at_exec(c->pid), e);
}

static int on_signal(struct recorder *r, struct thread *t, const struct stop *s, int64_t time,
		     struct error *e)
{
	struct event event = thread_event(t, EVENT_SIGNAL, time);

	event.signal.signal = s->signal.number;
	return store(r, &event, e);
}

static int on_death(struct recorder *r, struct thread *t, const struct stop *s, int64_t time,
		    struct error *e)
{
	int status = store_rest(r, t, e) ||
			     (s->death.last && store_usage(r, t, time, s->faults, e)) ||
			     store_exit(r, t, time, s->death.status, s->death.last, e)
			 ? -1
			 : 0;

	if (s->death.last)
		accounts_close(&r->accounts, t->pid);
	end_thread(r, s->tracee);
	return status;
}

int recorder_stop(struct recorder *r, const struct stop *s, struct error *e)
{
	struct thread *t = s->tracee ? s->tracee->state : NULL;
	int64_t time = s->time - r->start;

	if (recorder_settle(r, e))
		return -1;
	if (!s->tracee)
		return 0;
	r->tid = s->tracee->tid;
	if (!r->begun) {
		r->begun = true;
		if (store_clock(r, e))
			return -1;
	}
	if (s->kind == STOP_FIRST)
		return on_first(r, s->tracee, time, e);
	if (s->kind == STOP_EXEC)
		return on_exec(r, s, time, e);
	if (!t)
		return 0;
	switch (s->kind) {
	case STOP_CALL: return on_call(r, t, s, e);
	case STOP_RETURN: return on_return(r, t, s, e);
	case STOP_BIRTH: return s->tracee->calls ? on_birth(r, t, s, time, e) : 0;
	case STOP_SIGNAL: return on_signal(r, t, s, time, e);
	case STOP_DEATH: return on_death(r, t, s, time, e);
	default: return 0;
	}
}

int recorder_end(struct recorder *r, struct error *e)
{
	if (recorder_settle(r, e))
		return -1;
	for (size_t i = 0; i < r->threads.n; i++)
		if (store_rest(r, r->threads.v[i], e))
			return -1;
	for (size_t i = 0; i < r->accounts.n; i++) {
		pid_t pid = r->accounts.v[i].pid;
		const struct thread first = { .pid = pid, .tid = pid };

		if (store_usage(r, &first, now(r), NULL, e))
			return -1;
	}
	return store_clock(r, e);
}
