/* SPDX-License-Identifier: MIT */
/* What the kernel counts of each program of a command: its calls, or what it uses. */
#include "measure.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "record/record.h"
#include "../common/signals.h"
#include "trace/syscalls.h"
#include "util/map.h"
#include "util/monotonic.h"
#include "util/vec.h"
#include "view/processes.h"

/* A count of calls in progress. */
struct count {
	VEC(struct time_program) programs;
	struct processes processes;
	struct map present; /* process -> its program, as a place in programs plus 1 */
	struct map calls;   /* program << 32 | id of a call -> place in its calls plus 1 */
	bool launched;	    /* the command runs its program */
};

static double seconds(int64_t ns)
{
	return (double)ns * 1e-9;
}

static size_t begin_program(struct count *c, size_t process, const struct event *e)
{
	vec_push(&c->programs, (struct time_program){
				   .program = xstrdup(processes_name(&c->processes, process)),
				   .pid = e->pid,
				   .start = seconds(e->time),
				   .threads = 1,
				   .end = TIME_RUNNING,
				   .counted = true,
			       });
	*map_at(&c->present, process) = c->programs.n;
	return c->programs.n - 1;
}

static void end_program(struct count *c, size_t process, enum time_end how, int64_t time)
{
	const uint64_t *at = map_find(&c->present, process);

	if (!at)
		return;
	struct time_program *p = &c->programs.v[*at - 1];
	p->end = how;
	p->wall = seconds(time) - p->start;
	map_remove(&c->present, process);
}

static void count_call(struct count *c, size_t program, const struct event *e)
{
	struct time_program *p = &c->programs.v[program];
	uint64_t *at = map_at(&c->calls, (uint64_t)program << 32 | e->call.id);

	if (!*at) {
		p->calls = xreallocarray(p->calls, p->ncalls + 1, sizeof(*p->calls));
		p->calls[p->ncalls++] =
		    (struct time_calls){ .call = xstrdup(syscall_get(e->call.id)->name) };
		*at = p->ncalls;
	}
	p->calls[*at - 1].calls += (double)event_calls(e);
	p->calls[*at - 1].failed += event_failed(e) ? (double)event_calls(e) : 0;
}

static void add_counter(struct time_usage *u, const char *name, double value)
{
	const struct {
		const char *name;
		double *sum;
	} sums[] = {
		{ "user", &u->user },
		{ "system", &u->system },
		{ "minor_faults", &u->minor_faults },
		{ "major_faults", &u->major_faults },
	};

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		if (!strcmp(name, sums[i].name))
			*sums[i].sum += value;
}

/* For the sink: events of the command and its children, in order. */
static void take(void *arg, const struct event *e)
{
	struct count *c = arg;

	if (!e->pid)
		return;
	size_t process = processes_event(&c->processes, e);
	if (e->type == EVENT_EXEC && c->launched)
		end_program(c, process, TIME_EXEC, e->time);
	const uint64_t *at = map_find(&c->present, process);
	/* What a process used before a program that is counted. */
	if (!at && (e->type == EVENT_COUNTER || e->type == EVENT_EXIT))
		return;
	size_t program = at ? *at - 1 : begin_program(c, process, e);
	struct time_program *p = &c->programs.v[program];

	switch (e->type) {
	case EVENT_EXEC:
		/* Before this the command only made the execve of it. */
		free(p->program);
		p->program = xstrdup(processes_name(&c->processes, process));
		c->launched = true;
		break;
	case EVENT_SYSCALL: count_call(c, program, e); break;
	case EVENT_FORK: p->threads += e->fork.child_pid == e->pid; break;
	case EVENT_COUNTER: add_counter(&p->usage, e->counter.name, e->counter.value); break;
	case EVENT_EXIT:
		if (e->exit.last)
			end_program(c, process, TIME_EXIT, e->time);
		break;
	default: break;
	}
}

/* False when a signal asks to stop, or processes outlive the command for too long. */
static bool goes_on(const struct measure *m, const struct recording *r, int64_t *end)
{
	int64_t now = monotonic_ns();

	if (r->ended && !*end)
		*end = now;
	return !signals_end_watch(r->command, r->ended) &&
	       !(*end && seconds(now - *end) >= m->patience);
}

static void report(const struct count *c, const struct recording *r, double wall,
		   struct time_run *run)
{
	run->wall = wall;
	run->complete = true;
	run->processes = (double)r->sink.processes;
	run->threads = (double)r->sink.threads;
	run->programs = c->programs.v;
	run->nprograms = c->programs.n;
	for (size_t i = 0; i < run->nprograms; i++) {
		time_usage_add(&run->usage, &run->programs[i].usage);
		run->complete &= run->programs[i].end != TIME_RUNNING;
	}
}

static int check_losses(const struct sink *s, struct error *e)
{
	uint64_t lost = s->losses[LOST_RING_FULL] + s->losses[LOST_UNKNOWN];

	if (!lost)
		return 0;
	error_set(e, "the kernel had no room for %" PRIu64 " records: the counts would be too low",
		  lost);
	errno = EIO;
	return -1;
}

/* Runs the command to its end.  *wall: seconds.  0, or -1, *e and errno: EIO when it was started.
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
	while ((more = record_poll(r, e)) > 0 && goes_on(m, r, &end))
		if (r->paused)
			signals_pause(r->command, r->paused);
	record_end(r, NULL);
	*wall = seconds((end ? end : monotonic_ns()) - start);
	errno = EIO;
	return more < 0 ? -1 : check_losses(&r->sink, e);
}

int measure_calls(const struct measure *m, struct time_run *result, int *status, struct error *e)
{
	struct count c = { 0 };
	struct record_target target = m->target;
	struct recording r = { 0 };
	double wall = 0;

	target.aggregate = true;
	target.take = take;
	target.take_arg = &c;
	int failed = run(m, &target, &r, &wall, e), why = errno;
	*status = r.status;
	report(&c, &r, wall, result);
	processes_free(&c.processes);
	map_free(&c.present);
	map_free(&c.calls);
	errno = why;
	return failed;
}

/* ---- what programs use ---- */

/* Such a measurement in progress. */
struct measurement {
	struct usage_log log;
	double wall; /* of the command, from its execve to its end */
};

static void take_process(void *arg, const struct event *e)
{
	struct measurement *m = arg;
	const struct usage_entry *command = m->log.entries.v;

	if (command && e->type == EVENT_EXIT && e->exit.last && (pid_t)e->pid == command->pid &&
	    !m->wall)
		m->wall = seconds(e->time - command->begin);
	usage_log_event(&m->log, e, e->time);
}

static void take_usage(void *arg, pid_t pid, int64_t time, const struct usage *u)
{
	struct measurement *m = arg;

	usage_log_used(&m->log, pid, time, u);
}

int measure_by_bpf(const struct measure *m, struct time_run *result, int *status, struct error *e)
{
	struct measurement now = { 0 };
	struct record_target target = m->target;
	struct recording r = { 0 };
	double wall = 0;

	/* All processes have rows. */
	target.nonly = 0;
	target.take = take_process;
	target.take_arg = &now;
	target.take_usage = take_usage;
	int failed = run(m, &target, &r, &wall, e), why = errno;
	*status = r.status;
	if (!failed) {
		measure_report(m, &now.log, now.log.entries.n ? now.log.entries.v->begin : 0,
			       result);
		result->wall = now.wall > 0 ? now.wall : wall;
	}
	usage_log_free(&now.log);
	errno = why;
	return failed;
}
