/* SPDX-License-Identifier: MIT */
#include "record/ptrace/tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/child.h"
#include "record/program.h"
#include "util/map.h"
#include "util/monotonic.h"
#include "util/vec.h"

/* One status from wait(2), not yet handled. */
struct wait_report {
	pid_t tid;
	int status;
	int64_t time;
};

struct tracer {
	struct tracer_options options;
	struct map tracees;		 /* tid -> struct tracee * */
	struct map threads;		 /* pid -> how many of them are its threads */
	struct map living;		 /* pid -> how many of these are not about to end */
	VEC(struct wait_report) reports; /* collected; the first `handled` are done */
	size_t handled;
	VEC(struct wait_report)
	early_reports;		/* of children whose parents have not reported them yet */
	struct tracee *stopped; /* which the caller sees now; continued by the next tracer_next */
	enum { GO_ON, STAY, BURY } then;
	int signal;	       /* delivered to it then */
	struct tracee *former; /* forgotten then */
	pid_t corpse;	       /* reaped when it is buried */
	bool detaching;
	struct held_child child; /* launched; pid 0: none */
};

struct tracer *tracer_new(const struct tracer_options *o)
{
	struct tracer *t = xcalloc(1, sizeof(*t));

	t->options = *o;
	return t;
}

size_t tracer_threads(const struct tracer *t)
{
	return t->tracees.n;
}

static struct tracee *find(const struct tracer *t, pid_t tid)
{
	return map_pointer(&t->tracees, (uint64_t)tid);
}

static struct tracee *add(struct tracer *t, pid_t pid, pid_t tid, bool calls)
{
	struct tracee *c = xcalloc(1, sizeof(*c));

	c->pid = pid;
	c->tid = tid;
	c->calls = calls;
	*map_at(&t->tracees, (uint64_t)tid) = (uintptr_t)c;
	++*map_at(&t->threads, (uint64_t)pid);
	++*map_at(&t->living, (uint64_t)pid);
	return c;
}

/* Notes that c is about to end, or is gone.  Returns whether no other of its process is left. */
static bool end(struct tracer *t, struct tracee *c)
{
	uint64_t *living = map_at(&t->living, (uint64_t)c->pid);

	*living -= !c->ending;
	c->ending = true;
	return !*living;
}

static void drop(struct tracer *t, struct tracee *c)
{
	end(t, c);
	map_remove(&t->tracees, (uint64_t)c->tid);
	if (!--*map_at(&t->threads, (uint64_t)c->pid)) {
		map_remove(&t->threads, (uint64_t)c->pid);
		map_remove(&t->living, (uint64_t)c->pid);
	}
	free(c);
}

void tracer_free(struct tracer *t)
{
	struct tracee *c;

	if (!t)
		return;
	for (size_t at = 0; (c = map_next_pointer(&t->tracees, &at));)
		free(c);
	map_free(&t->tracees);
	map_free(&t->threads);
	map_free(&t->living);
	vec_free(&t->reports);
	vec_free(&t->early_reports);
	if (t->child.pid)
		child_close(&t->child);
	free(t);
}

/* ---- start ---- */

static int seize(const struct tracer *t, pid_t tid)
{
	unsigned long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
				PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
				(t->options.calls ? PTRACE_O_TRACEEXIT : 0) |
				(t->options.kill ? PTRACE_O_EXITKILL : 0);

	return (int)ptrace(PTRACE_SEIZE, tid, NULL, options);
}

pid_t tracer_launch(struct tracer *t, const char *path, char *const argv[], struct error *e)
{
	if (child_start(&t->child, path, argv, e))
		return -1;
	pid_t pid = t->child.pid;
	if (seize(t, pid) || (t->options.calls && ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))) {
		ptrace_error(pid, true, e);
		int why = errno;

		child_close(&t->child);
		waitpid(pid, NULL, 0);
		t->child.pid = 0;
		errno = why;
		return -1;
	}
	add(t, pid, pid, t->options.calls)->launching = true;
	child_release(&t->child);
	return pid;
}

/* Follows the threads of pid that are not followed yet; returns how many, or -1. */
static int attach_threads(struct tracer *t, pid_t pid, struct error *e)
{
	pid_t *tids;
	int all = program_threads(pid, &tids), n = 0;

	if (all < 0) {
		errno = ESRCH;
		n = ptrace_error(pid, false, e);
	}
	for (int i = 0; i < all && n >= 0; i++) {
		pid_t tid = tids[i];

		if (find(t, tid))
			continue;
		if (!seize(t, tid)) {
			add(t, pid, tid, t->options.calls);
			if (t->options.calls)
				ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
			n++;
		} else if (errno != ESRCH || tid == pid) { /* else a thread that just ended */
			n = ptrace_error(tid, false, e);
		}
	}
	int why = errno;
	free(tids);
	errno = why;
	return n;
}

int tracer_attach(struct tracer *t, pid_t pid, struct error *e)
{
	pid_t process, parent;
	int n;

	if (!program_parent(pid, &process, &parent))
		pid = process;
	/* A thread may create another while the directory is read. */
	while ((n = attach_threads(t, pid, e)) > 0)
		;
	return n;
}

/* ---- continuing ---- */

/* Continues the tracee that the caller has seen.  ptrace fails only after a SIGKILL; the death will
 * be reported. */
static void let_go(struct tracer *t)
{
	struct tracee *c = t->stopped;

	t->stopped = NULL;
	if (t->former)
		drop(t, t->former);
	t->former = NULL;
	if (!c || t->then == STAY)
		return;
	if (t->then == BURY) {
		if (t->corpse)
			waitpid(t->corpse, NULL, __WALL);
		t->corpse = 0;
		drop(t, c);
	} else if (t->detaching) {
		ptrace(PTRACE_DETACH, c->tid, NULL, (unsigned long)t->signal);
		drop(t, c);
	} else {
		ptrace(c->calls ? PTRACE_SYSCALL : PTRACE_CONT, c->tid, NULL,
		       (unsigned long)t->signal);
	}
}

void tracer_go_on(struct tracer *t)
{
	if (t->then != BURY)
		let_go(t);
}

/* ---- collecting reports ---- */

/* The status that wait(2) would give for a dead child. */
static int status_of(const siginfo_t *info)
{
	if (info->si_code == CLD_EXITED)
		return (info->si_status & 0xff) << 8;
	return info->si_status | (info->si_code == CLD_DUMPED ? WCOREFLAG : 0);
}

static bool is_alive(const siginfo_t *info)
{
	/* gVisor reports a stopped child as killed by signal 0x7f. */
	return info->si_code == CLD_TRAPPED || info->si_code == CLD_STOPPED ||
	       (info->si_code == CLD_KILLED && info->si_status == 0x7f);
}

/* As waitpid(2) of any child, but a dead one is not reaped. */
static pid_t wait_beside_corpse(struct tracer *t, int *status)
{
	for (;;) {
		siginfo_t info = { 0 };

		if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL))
			return -1;
		if (!is_alive(&info) && find(t, info.si_pid)) {
			t->corpse = info.si_pid;
			*status = status_of(&info);
			return info.si_pid;
		}
		pid_t tid = waitpid(info.si_pid, status, __WALL | WNOHANG);
		if (tid > 0)
			return tid; /* else it was killed in between */
	}
}

/*
 * Fills t->reports.  wait(2) prefers the youngest tracee, so with many of them all that have
 * stopped are collected before any continues; otherwise busy ones would starve the others.  1, 0
 * when no tracee is left, -1 when a signal arrived.
 */
static int collect(struct tracer *t)
{
	bool all = t->tracees.n > 2 && !t->options.corpses;
	int status;
	pid_t tid =
	    t->options.corpses ? wait_beside_corpse(t, &status) : waitpid(-1, &status, __WALL);

	if (tid < 0)
		return errno == EINTR ? -1 : 0;
	t->reports.n = t->handled = 0;
	do {
		/* A thread took over this number by execve: its earlier report is of the former
		 * owner. */
		for (size_t i = 0; status >> 16 == PTRACE_EVENT_EXEC && i < t->reports.n; i++)
			if (t->reports.v[i].tid == tid)
				t->reports.v[i].tid = 0;
		vec_push(&t->reports, (struct wait_report){ tid, status, monotonic_ns() });
	} while (all && (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0);
	return 1;
}

/* ---- from reports to stops ---- */

/* Signal 0 is not delivered, but finds only threads of that process. */
static bool is_thread_of(pid_t tid, pid_t pid)
{
	return !syscall(SYS_tgkill, pid, tid, 0) || errno == EPERM;
}

/* Handles next what a child reported before its parent reported its creation. */
static void recall(struct tracer *t, pid_t child)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->early_reports.n; i++) {
		if (t->early_reports.v[i].tid == child)
			vec_push(&t->reports, t->early_reports.v[i]);
		else
			t->early_reports.v[kept++] = t->early_reports.v[i];
	}
	t->early_reports.n = kept;
}

static int show_birth(struct tracer *t, struct stop *s, pid_t child)
{
	struct tracee *parent = s->tracee;

	if (!child || find(t, child))
		return 0; /* known already: see unreported_child() */
	s->kind = STOP_BIRTH;
	s->birth.child =
	    add(t, is_thread_of(child, parent->pid) ? parent->pid : child, child, parent->calls);
	s->birth.child->seen = true;
	recall(t, child);
	return 1;
}

/* A living child of c, which was killed before it could report its creation, or 0. */
static pid_t unreported_child(const struct tracer *t, const struct tracee *c)
{
	for (size_t i = 0; i < t->early_reports.n; i++) {
		const struct wait_report *r = &t->early_reports.v[i];
		pid_t pid, parent;

		if (WIFSTOPPED(r->status) && !program_parent(r->tid, &pid, &parent) &&
		    (pid == c->pid || parent == c->pid || !find(t, parent)))
			return r->tid;
	}
	return 0;
}

/* Follows the children whose parents are gone: nobody will report their creation any more. */
static void adopt(struct tracer *t)
{
	for (size_t i = 0; i < t->early_reports.n;) {
		const struct wait_report r = t->early_reports.v[i++];
		pid_t pid, parent;

		if (!WIFSTOPPED(r.status) || program_parent(r.tid, &pid, &parent) ||
		    map_find(&t->threads, (uint64_t)pid) || map_find(&t->threads, (uint64_t)parent))
			continue;
		add(t, pid, r.tid, t->options.calls);
		recall(t, r.tid);
		i = 0;
	}
}

static int show_death(struct tracer *t, const struct wait_report *r, struct stop *s,
		      struct error *e)
{
	struct tracee *c = s->tracee;
	pid_t child = unreported_child(t, c);

	if (child) {
		vec_push(&t->reports, *r);
		t->then = STAY;
		return show_birth(t, s, child);
	}
	t->then = BURY;
	s->kind = STOP_DEATH;
	if (c->tid == t->child.pid && child_failed(&t->child, e))
		return -1;
	s->death.status = r->status;
	s->death.last = *map_find(&t->threads, (uint64_t)c->pid) == 1;
	return 1;
}

static int show_exec(struct tracer *t, struct stop *s)
{
	unsigned long former = 0;

	s->kind = STOP_EXEC;
	ptrace(PTRACE_GETEVENTMSG, s->tracee->tid, NULL, &former);
	s->exec.former = (pid_t)former != s->tracee->tid ? find(t, (pid_t)former) : NULL;
	t->former = s->exec.former;
	*map_at(&t->living, (uint64_t)s->tracee->pid) += s->tracee->ending;
	s->tracee->ending = false; /* that was the former owner of its number */
	s->tracee->inside = true;
	s->tracee->launching = false;
	return 1;
}

static int show_call(struct tracer *t, struct stop *s, struct error *e)
{
	struct tracee *c = s->tracee;
	int got = callstop_read(c->tid, c->inside, &s->call);

	if (got <= 0) {
		if (got < 0 && errno != ESRCH)
			return error_set(e, "thread %d: its registers cannot be read: %s", c->tid,
					 strerror(errno));
		t->then = got < 0 ? STAY : GO_ON;
		return 0;
	}
	c->inside = s->call.begins;
	s->kind = c->inside ? STOP_CALL : STOP_RETURN;
	if (c->launching && c->inside && s->call.number == SYS_execve)
		c->launching = false;
	return !c->launching;
}

/* Turns a report into a stop: 1 when it is one for the caller to see. */
static int show(struct tracer *t, const struct wait_report *r, struct stop *s, struct error *e)
{
	int signal = WSTOPSIG(r->status), event = r->status >> 16;
	struct tracee *c = find(t, r->tid);
	unsigned long child = 0;

	if (!c) {
		if (r->tid && (event == PTRACE_EVENT_STOP || event == PTRACE_EVENT_EXIT ||
			       !WIFSTOPPED(r->status)))
			vec_push(&t->early_reports, *r);
		return 0;
	}
	t->stopped = s->tracee = c;
	t->then = GO_ON;
	t->signal = 0;
	s->time = r->time;
	if (!WIFSTOPPED(r->status))
		return show_death(t, r, s, e);
	if (!c->seen) {
		c->seen = true;
		s->kind = STOP_FIRST;
		t->handled--;
		t->then = STAY;
		return 1;
	}
	c->stops++;
	switch (event) {
	case 0:
		if (signal == (SIGTRAP | 0x80))
			return show_call(t, s, e);
		s->kind = STOP_SIGNAL;
		s->signal.number = t->signal = signal;
		return 1;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		ptrace(PTRACE_GETEVENTMSG, c->tid, NULL, &child);
		return show_birth(t, s, (pid_t)child);
	case PTRACE_EVENT_EXEC: return show_exec(t, s);
	case PTRACE_EVENT_EXIT:
		s->kind = STOP_END;
		s->end.last = end(t, c);
		return 1;
	case PTRACE_EVENT_STOP:
		if (signal == SIGTRAP || t->detaching)
			return 0;
		ptrace(PTRACE_LISTEN, c->tid, NULL, NULL);
		t->then = STAY;
		s->kind = STOP_PAUSE;
		s->signal.number = signal;
		return 1;
	}
	return 0;
}

int tracer_next(struct tracer *t, struct stop *s, struct error *e)
{
	for (;;) {
		let_go(t);
		if (t->handled == t->reports.n)
			adopt(t);
		if (t->handled == t->reports.n) {
			int got = t->tracees.n ? collect(t) : 0;

			if (got == 0)
				return 0;
			if (got < 0) {
				s->kind = STOP_WOKEN;
				s->tracee = NULL;
				return 1;
			}
		}
		struct wait_report r = t->reports.v[t->handled++]; /* the vector may grow */
		int shown = show(t, &r, s, e);
		if (shown)
			return shown;
	}
}

void tracer_detach(struct tracer *t)
{
	struct tracee *c;
	struct stop s;

	t->detaching = true;
	let_go(t);
	for (size_t at = 0; (c = map_next_pointer(&t->tracees, &at));)
		ptrace(PTRACE_INTERRUPT, c->tid, NULL, NULL);
	while (tracer_next(t, &s, NULL) > 0)
		;
}
