/* SPDX-License-Identifier: MIT */
/*
 * The backend that works wherever a debugger does: turns the stops of a tracer into calls, and into
 * records of all else for the follower.
 *
 * A call is stored when it ends; one that the kernel restarted after a signal is one call with
 * CALL_RESTARTED.  Paths, the flags of clone3 and openat2, and the descriptors of a pipe are read
 * from the memory of the process.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/callshape.h"
#include "record/program.h"
#include "record/ptrace/tracer.h"
#include "record/record.h"
#include "record/stream/calls.h"
#include "trace/syscalls.h"
#include "util/monotonic.h"
#include "util/xalloc.h"

/* One recording by ptrace. */
struct ptrace {
	struct tracer *tracer;
	struct follower follower;
	bool calls;		/* are recorded, else what processes use alone: they stop rarely */
	struct event *returned; /* of a call that is over and not stored yet; or NULL */
	struct record_exec exec;
	char path[CALLARGS_PATH_SIZE];
};

static unsigned id_of_close;

/* ---- calls ---- */

static void on_call(struct ptrace *p, struct pairing_thread *t, const struct callstop *stop)
{
	const uint64_t place[2] = { stop->ip, stop->sp };
	struct event event = pairing_event(t, EVENT_SYSCALL, 0);
	unsigned call = event.call.id = syscall_by_number(stop->abi, stop->number);
	struct follower *v = &p->follower;

	callargs_begin((pid_t)t->tid, stop->args, &event, p->path);
	if (call == id_of_close)
		sink_see_descriptor(v->sink, (pid_t)t->pid, (pid_t)t->tid, (int)stop->args[0]);
	pairing_enter(&v->pairing, t, &event, place);
	/* As late as possible: our own work is not the call's. */
	pairing_inside(t)->time = monotonic_ns() - v->sink->start;
}

/* Whether the kernel polls the io_uring that the call has set up. */
static bool is_polled(const struct pairing_thread *t, const struct event *e)
{
	const struct record_shape *shape = callshape_get(e->call.id);
	struct io_uring_params params;

	return shape->memory == RECORD_RING &&
	       peek((pid_t)t->tid, e->call.args[shape->pointer], &params, sizeof(params)) &&
	       params.flags & IORING_SETUP_SQPOLL;
}

static void on_return(struct ptrace *p, struct pairing_thread *t, const struct stop *s)
{
	struct follower *v = &p->follower;
	/* NULL: the call may be restarted, or it is an execve, which has ended already. */
	struct event *e =
	    pairing_exit(&v->pairing, t, s->call.result, follower_time(v, (uint64_t)s->time));

	p->returned = e;
	if (!e)
		return;
	calls_count_losses(v, e, !callargs_end((pid_t)t->tid, e), is_polled(t, e));
	if (e->call.result > 0 && syscall_clone_flags(e) & CLONE_UNTRACED)
		v->sink->losses[LOST_UNTRACED_CHILD]++;
}

/* ---- other stops, as records ---- */

/* Whether a signal handler of thread tid will run. */
static bool has_handler(pid_t tid, int number)
{
	static const char *const fields[] = { "SigCgt" };
	uint64_t caught = 0;

	program_status(tid, fields, 16, &caught, 1);
	return caught >> (number - 1) & 1;
}

static void take(struct ptrace *p, const struct stop *s, enum record_type type, void *record)
{
	struct record *head = record;

	head->type = (unsigned short)type;
	head->time = (uint64_t)s->time;
	head->pid = (uint32_t)s->tracee->pid;
	head->tid = (uint32_t)s->tracee->tid;
	follower_handle(&p->follower, head);
	s->tracee->calls = p->calls && follower_wants(&p->follower, s->tracee->pid);
}

/* What the record of a death says of usage. */
static void read_dead(struct ptrace *p, struct record_exit *r, const struct record *head)
{
	struct usage thread = { 0 };

	if (p->calls)
		return; /* see read_ending() */
	if (r->last) {
		accounting_read(&p->follower.accounting, head->pid, &r->usage);
		return;
	}
	usage_add_switches(&thread, (pid_t)head->tid);
	r->usage.voluntary = (uint64_t)thread.voluntary;
	r->usage.involuntary = (uint64_t)thread.involuntary;
}

/* What a process has used: when it has ended, its parent may reap it before we can look. */
static void read_ending(struct ptrace *p, uint32_t pid)
{
	struct record_usage all;

	if (!accounting_read(&p->follower.accounting, pid, &all))
		accounting_past(&p->follower.accounting, pid, &all);
}

/* The context switches that its stops have caused are not its own. */
static void forget_stops(struct ptrace *p, struct tracee *c)
{
	const struct record_usage stops = { .voluntary = -c->stops };

	accounting_thread_ends(&p->follower.accounting, (uint32_t)c->pid, &stops);
	c->stops = 0;
}

static void on_stop(struct ptrace *p, const struct stop *s)
{
	struct record head = { .pid = (uint32_t)s->tracee->pid, .tid = (uint32_t)s->tracee->tid };
	struct pairing_thread *t = pairing_find(&p->follower.pairing, head.tid);

	if (!p->calls)
		forget_stops(p, s->tracee);
	if (s->kind == STOP_FIRST) {
		take(p, s, RECORD_JOIN, &head);
	} else if (s->kind == STOP_BIRTH) {
		struct record_fork r = {
			.child_pid = (uint32_t)s->birth.child->pid,
			.child_tid = (uint32_t)s->birth.child->tid,
		};

		take(p, s, RECORD_FORK, &r);
	} else if (s->kind == STOP_EXEC) {
		accounting_read(&p->follower.accounting, head.pid, &p->exec.usage);
		p->exec.former = s->exec.former ? (uint32_t)s->exec.former->tid : head.tid;
		take(p, s, RECORD_EXEC, &p->exec);
	} else if (s->kind == STOP_END) {
		if (s->end.last)
			read_ending(p, head.pid);
	} else if (s->kind == STOP_DEATH) {
		struct record_exit r = { .status = s->death.status, .last = s->death.last };

		read_dead(p, &r, &head);
		take(p, s, RECORD_EXIT, &r);
	} else if (!t) {
		return;
	} else if (s->kind == STOP_CALL) {
		on_call(p, t, &s->call);
	} else if (s->kind == STOP_RETURN) {
		on_return(p, t, s);
	} else if (s->kind == STOP_SIGNAL) {
		struct record_signal r = { .number = (uint32_t)s->signal.number };

		r.handled =
		    pairing_is_interrupted(t) && has_handler(s->tracee->tid, s->signal.number);
		take(p, s, RECORD_SIGNAL, &r);
	}
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

	tracer_free(p->tracer);
	free(p);
}

static int attach(struct ptrace *p, pid_t pid, struct error *e)
{
	pid_t *tids = NULL;

	if (tracer_attach(p->tracer, pid, e) < 0)
		return -1;
	if (p->calls)
		return 0; /* its threads stop */
	for (int i = 0, n = program_threads(pid, &tids); i < n; i++)
		follower_attach(&p->follower, pid, tids[i]);
	free(tids);
	return 0;
}

/* Attaches to the children of the processes followed so far; returns how many are new, or -1. */
static int attach_children(struct ptrace *p, struct error *e)
{
	int added = 0;
	DIR *dir = opendir("/proc");

	if (!dir)
		return error_set(e, "/proc: %s", strerror(errno));
	for (struct dirent *d; added >= 0 && (d = readdir(dir));) {
		pid_t pid = (pid_t)strtol(d->d_name, NULL, 10), process, parent;

		if (pid <= 0 || pid == getpid() || follower_knows(&p->follower, pid, pid) ||
		    program_parent(pid, &process, &parent) ||
		    !follower_knows(&p->follower, parent, parent))
			continue;
		if (!attach(p, pid, e))
			added++;
		else if (errno != ESRCH)
			added = -1;
	}
	int why = errno;
	closedir(dir);
	errno = why;
	return added;
}

static int start(struct recording *r, const struct record_target *t, struct error *e)
{
	struct ptrace *p = r->state = xcalloc(1, sizeof(*p));
	int failed = 0, added;

	id_of_close = syscall_by_name("close");
	follower_begin(&p->follower, &r->sink, t->only, t->nonly, 0);
	p->calls = !t->take_usage;
	p->tracer = tracer_new(&(struct tracer_options){
	    .calls = p->calls, .kill = t->path && p->calls, .corpses = !p->calls });
	if (!p->calls && !usage_of_dead()) {
		failed = error_set(e, "this kernel does not show what a dead process used");
		errno = ENOSYS;
	}
	if (t->path && !failed) {
		r->command = tracer_launch(p->tracer, t->path, t->argv, e);
		failed = r->command < 0;
	}
	if (r->command > 0)
		follower_launch(&p->follower, r->command);
	for (size_t i = 0; i < t->npids && !failed; i++)
		failed = attach(p, t->pids[i], e);
	while (!p->calls && !failed && (added = attach_children(p, e)))
		failed = added < 0;
	if (failed)
		follower_end(&p->follower);
	return failed ? -1 : 0;
}

static int poll(struct recording *r, struct error *e)
{
	struct ptrace *p = r->state;
	struct stop stop = { 0 };
	int more = tracer_next(p->tracer, &stop, e);
	struct tracee *c = stop.tracee;

	r->unstarted = more < 0 && stop.kind == STOP_DEATH;
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
		sink_store(&r->sink, p->returned);
		p->returned = NULL;
	}
	if (r->sink.failed)
		c->calls = false;
	return 1;
}

static void settle(struct recording *r, pairing_emit *taker, void *arg)
{
	const struct ptrace *p = r->state;

	follower_show_open(&p->follower, taker, arg);
}

static void stop(struct recording *r)
{
	struct ptrace *p = r->state;

	follower_end(&p->follower);
	/* A command would die with us; others notice less when the kernel lets them go at our end.
	 */
	if ((r->command || !p->calls) && tracer_threads(p->tracer))
		tracer_detach(p->tracer);
}

const struct backend ptrace_backend = {
	"ptrace",
	"context switches, wake-ups, faults, operations of io_uring; each call takes tens of "
	"microseconds longer",
	true,
	probe,
	start,
	poll,
	stop,
	release,
	settle,
};
