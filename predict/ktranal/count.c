/* SPDX-License-Identifier: MIT */
/* What the kernel counts of each program of a command: its calls, or what it uses. */
#include "measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "record/record.h"
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
	double wall;	   /* of the command, from its execve to its end */
};

static double seconds(int64_t ns)
{
	return (double)ns * 1e-9;
}

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
	const struct usage_entry *command = m->log.entries.v;

	if (e->type == EVENT_SYSCALL)
		count_call(m, e);
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

/* False when a signal asks to stop, or processes outlive the command for too long. */
static bool goes_on(const struct measure *m, const struct recording *r, int64_t *end)
{
	int64_t now = monotonic_ns();

	if (r->ended && !*end)
		*end = now;
	return !signals_end_watch(r->command, r->ended) &&
	       !(*end && seconds(now - *end) >= m->patience);
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

/* aggregate: also counts calls. */
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
	measure_report(m, &now.log, now.log.entries.n ? now.log.entries.v->begin : 0, result);
	result->wall = now.wall > 0 ? now.wall : wall;
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

	target.nonly = 0; /* all processes have rows */
	return measure(m, target, r, status, e);
}
