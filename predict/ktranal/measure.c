/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "record/child.h"
#include "record/program.h"
#include "record/record.h"
#include "usage_log.h"
#include "../common/signals.h"
#include "trace/syscalls.h"
#include "util/map.h"
#include "util/monotonic.h"
#include "util/vec.h"

/* What a program called. */
struct program_calls {
	struct time_calls *v;
	size_t n;
};

/* A measurement in progress. */
struct measurement {
	struct usage_log log;
	VEC(struct program_calls) calls; /* by entry of the log */
	struct map places; /* entry << 32 | id of a call -> place in its calls plus 1 */
	double wall;	   /* of the first process, from its execve to its end */
};

static double seconds(int64_t ns)
{
	return (double)ns * 1e-9;
}

/* False when a signal asks to stop, or time is up: of running processes, or after the end of the
 * command (0: none), which is set when that has ended. */
static bool goes_on(const struct measure *m, pid_t command, bool ended, int64_t start, int64_t *end)
{
	int64_t now = monotonic_ns();

	if (ended && !*end)
		*end = now;
	if (signals_end_watch(command, ended))
		return false;
	if (*end && seconds(now - *end) >= m->patience)
		return false;
	return command || seconds(now - start) < m->length;
}

/* ---- events ---- */

static void count_call(struct measurement *m, const struct event *e)
{
	ptrdiff_t present = usage_log_present(&m->log, (pid_t)e->pid);
	/* The execve of the command comes before its program. */
	size_t entry = present < 0 ? m->log.entries.n : (size_t)present;
	uint64_t *at = map_at(&m->places, (uint64_t)entry << 32 | e->call.id);

	while (m->calls.n <= entry)
		vec_push(&m->calls, (struct program_calls){ 0 });
	struct program_calls *c = &m->calls.v[entry];
	if (!*at) {
		c->v = xreallocarray(c->v, c->n + 1, sizeof(*c->v));
		c->v[c->n++] =
		    (struct time_calls){ .call = xstrdup(syscall_get(e->call.id)->name) };
		*at = c->n;
	}
	c->v[*at - 1].calls += (double)event_calls(e);
	c->v[*at - 1].failed += event_failed(e) ? (double)event_calls(e) : 0;
}

/* For the sink: events of the command and its children, in order. */
static void take(void *arg, const struct event *e)
{
	struct measurement *m = arg;
	const struct usage_entry *first = m->log.entries.v;

	if (e->type == EVENT_SYSCALL)
		count_call(m, e);
	if (first && e->type == EVENT_EXIT && e->exit.last && (pid_t)e->pid == first->pid &&
	    !m->wall)
		m->wall = seconds(e->time - first->begin);
	usage_log_event(&m->log, e);
}

static void take_usage(void *arg, pid_t pid, int64_t time, const struct usage *u)
{
	struct measurement *m = arg;

	usage_log_used(&m->log, pid, time, u);
}

/* ---- the report ---- */

/* Seconds of ticks from which the share of user time of one program can be taken: of 50 ticks, at
 * 250 a second, it has a standard error of at most 0.07. */
static const double enough_ticks = 0.2;

/*
 * The share of user time of each entry: that of all processes of its program together, or of all
 * programs with few ticks together (see usage.h).  The caller frees.
 */
static double *user_shares(const struct usage_entry *entries, size_t n)
{
	struct names programs = { 0 };
	size_t *program = xcalloc(n, sizeof(*program));
	struct usage *sums = xcalloc(n, sizeof(*sums)), all = { 0 }, few = { 0 };
	double *shares = xcalloc(n, sizeof(*shares));

	for (size_t i = 0; i < n; i++) {
		program[i] = names_add(&programs, entries[i].program.name);
		usage_add(&sums[program[i]], &entries[i].usage, 1);
		usage_add(&all, &entries[i].usage, 1);
	}
	for (size_t i = 0; i < programs.n; i++)
		if (sums[i].ticks < enough_ticks)
			usage_add(&few, &sums[i], 1);
	for (size_t i = 0; i < n; i++) {
		const struct usage *sum = &sums[program[i]];

		shares[i] = usage_user_share(sum->ticks < enough_ticks ? &few : sum,
					     usage_user_share(&all, 1));
	}
	names_free(&programs);
	free(program);
	free(sums);
	return shares;
}

static struct time_program row_of(const struct measure *m, const struct usage_entry *e,
				  int64_t start, double share)
{
	static const enum time_end ends[] = {
		[USAGE_RUNNING] = TIME_RUNNING,
		[USAGE_EXIT] = TIME_EXIT,
		[USAGE_EXEC] = TIME_EXEC,
	};
	const struct usage *u = &e->usage;

	return (struct time_program){
		.program = xstrdup(e->program.name),
		.pid = e->pid,
		.start = seconds(e->begin - start),
		.wall = seconds(e->end - e->begin),
		.threads = e->threads,
		.end = ends[e->how],
		.counted =
		    !m->target.nonly || program_is(&e->program, m->target.only, m->target.nonly),
		.usage = { u->cpu * share, u->cpu * (1 - share), (double)u->voluntary,
			   (double)u->involuntary, (double)u->minor_faults,
			   (double)u->major_faults },
	};
}

/* Fills the rows of *r and their sums from the log of a measurement that began at that time. */
static void report(const struct measure *m, const struct usage_log *log, int64_t start,
		   struct time_run *r)
{
	struct map processes = { 0 };
	const struct usage_entry *entries = log->entries.v;
	size_t n = log->entries.n;
	double *shares = user_shares(entries, n);

	r->complete = true;
	r->programs = xcalloc(n, sizeof(*r->programs));
	for (; r->nprograms < n; r->nprograms++) {
		const struct usage_entry *e = &entries[r->nprograms];
		struct time_program *p = &r->programs[r->nprograms];

		*p = row_of(m, e, start, shares[r->nprograms]);
		if (!p->counted)
			continue;
		time_usage_add(&r->usage, &p->usage);
		/* After an exec it is the same process and the same first thread. */
		r->threads += p->threads - (double)*map_at(&processes, e->process);
		*map_at(&processes, e->process) = 1;
		r->complete &= e->known && (!m->target.path || e->how != USAGE_RUNNING);
	}
	r->processes = (double)processes.n;
	free(shares);
	map_free(&processes);
}

/* ---- by a recorder ---- */

static int check_losses(const struct sink *s, struct error *e)
{
	uint64_t records = s->losses[LOST_RING_FULL], calls = s->losses[LOST_UNKNOWN];
	uint64_t lost = records > calls ? records : calls; /* those of calls are among them */

	if (!lost)
		return 0;
	error_set(e, "the kernel had no room for %" PRIu64 " records: the counts would be too low",
		  lost);
	errno = EIO;
	return -1;
}

/* Watches the command to its end, or the processes.  *wall: seconds.  0, or -1, *e and errno: EIO
 * when it was started.
 */
static int run(const struct measure *m, const struct record_target *t, struct recording *r,
	       double *wall, struct error *e)
{
	int64_t start = monotonic_ns(), end = 0;
	int more;

	signals_hold();
	if (record_start(r, -1, t, e))
		return -1;
	signals_catch();
	while ((more = record_poll(r, e)) > 0 && goes_on(m, r->command, r->ended, start, &end))
		if (r->paused)
			signals_pause(r->command, r->paused);
	record_end(r, NULL);
	*wall = seconds((end ? end : monotonic_ns()) - start);
	errno = EIO;
	return more < 0 ? -1 : check_losses(&r->sink, e);
}

static int measure(const struct measure *m, struct record_target target, struct time_run *result,
		   int *status, struct error *e)
{
	struct measurement now = { 0 };
	struct recording r = { 0 };
	double wall = 0;

	target.take = take;
	target.take_arg = &now;
	target.take_usage = take_usage;
	int failed = run(m, &target, &r, &wall, e), why = errno;
	*status = r.status;
	report(m, &now.log, now.log.entries.n ? now.log.entries.v->begin : 0, result);
	result->wall = m->target.path && now.wall > 0 ? now.wall : wall;
	for (size_t i = 0; i < now.calls.n && i < result->nprograms; i++) {
		result->programs[i].calls = now.calls.v[i].v;
		result->programs[i].ncalls = now.calls.v[i].n;
	}
	if (failed) { /* they will be measured in another way */
		time_run_free(result);
		*result = (struct time_run){ 0 };
	}
	vec_free(&now.calls);
	map_free(&now.places);
	usage_log_free(&now.log);
	errno = why;
	return failed;
}

int measure_calls(const struct measure *m, struct time_run *r, int *status, struct error *e)
{
	struct record_target target = m->target;

	target.aggregate = true;
	return measure(m, target, r, status, e);
}

int measure_by_bpf(const struct measure *m, struct time_run *r, int *status, struct error *e)
{
	struct record_target target = m->target;

	target.backend = "bpf";
	target.nonly = 0; /* all processes have rows */
	return measure(m, target, r, status, e);
}

int measure_by_ptrace(const struct measure *m, struct time_run *r, int *status, struct error *e)
{
	struct record_target target = m->target;

	target.backend = "ptrace";
	target.nonly = 0;
	return measure(m, target, r, status, e);
}

/* ---- by wait ---- */

static struct time_usage usage_of(const struct rusage *u)
{
	return (struct time_usage){
		(double)u->ru_utime.tv_sec + (double)u->ru_utime.tv_usec * 1e-6,
		(double)u->ru_stime.tv_sec + (double)u->ru_stime.tv_usec * 1e-6,
		(double)u->ru_nvcsw,
		(double)u->ru_nivcsw,
		(double)u->ru_minflt,
		(double)u->ru_majflt,
	};
}

/* When a process was created, in clock ticks since the boot; UINT64_MAX: unknown. */
static uint64_t created_at(pid_t pid)
{
	static const int starttime[] = { 22 };
	int64_t at;

	return program_stat(pid, starttime, &at, 1) == 1 ? (uint64_t)at : UINT64_MAX;
}

int measure_by_wait(const struct measure *m, struct time_run *r, int *status, struct error *e)
{
	int64_t start = monotonic_ns(), end = 0;
	struct rusage usage;
	struct held_child child;
	siginfo_t info;
	pid_t pid;
	int ended;

	/* Orphans become our children, so that we can wait for them. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signals_hold();
	if (child_start(&child, m->target.path, m->target.argv, e))
		return -1;
	const uint64_t begin = created_at(child.pid);
	child_release(&child);
	signals_catch();
	do {
		pid = waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) ? -1 : info.si_pid;
		bool older = pid > 0 && created_at(pid) < begin; /* left by an earlier run */
		if (pid > 0 && wait4(pid, &ended, 0, &usage) == pid && !older) {
			struct time_usage u = usage_of(&usage);

			time_usage_add(&r->usage, &u);
			r->processes++;
			r->threads++;
		}
		if (pid == child.pid) {
			end = monotonic_ns();
			*status = ended;
		}
	} while ((pid > 0 || errno == EINTR) && goes_on(m, child.pid, end != 0, start, &end));
	int failed = child_failed(&child, e);
	child_close(&child);
	r->wall = seconds((end ? end : monotonic_ns()) - start);
	r->complete = pid < 0 && errno == ECHILD;
	errno = 0;
	return failed;
}
