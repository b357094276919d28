/* SPDX-License-Identifier: MIT */
#include "view/idle.h"

#include <string.h>

#include "trace/syscalls.h"

enum { SPANS_MOST = 256 }; /* of a thread between two calls */

static const int64_t time_most = (int64_t)1 << 55; /* ns; about a year */

/* ---- sums ---- */

void idle_sum_add(struct idle_sum *sum, int64_t time)
{
	sum->time += time;
	sum->times++;
	sum->longest = time > sum->longest ? time : sum->longest;
}

static void add(struct idle_thread *t, enum idle_source source, enum activity activity,
		int64_t time, uint64_t waker)
{
	struct idle_sum *sum = &t->sums[source][activity];

	if (time < 0)
		return;
	idle_sum_add(sum, time);
	if (waker)
		*map_at(&sum->wakers, waker) += (uint64_t)time;
}

static void report(const struct idle *idle, const struct idle_thread *t, enum activity activity,
		   int64_t from, int64_t to, uint32_t cpu, const struct event *call)
{
	if (idle->take && to > from)
		idle->take(idle->arg, &(struct idle_piece){ t, activity, from, to, cpu, call });
}

/* Reports what the thread did up to `to`, apart from the times in its spans off the CPU. */
static void report_running(const struct idle *idle, struct idle_thread *t, enum activity activity,
			   int64_t to, const struct event *call)
{
	int64_t from = t->reported;

	if (!idle->take)
		return;
	for (size_t i = 0; i < t->spans.n && t->spans.v[i].begin < to; i++) {
		const struct idle_span *s = &t->spans.v[i];

		if (s->end <= from && s->begin < from)
			continue;
		report(idle, t, activity, from, s->begin, t->cpu, call);
		from = s->end > from ? s->end : from;
		t->cpu = s->cpu;
	}
	report(idle, t, activity, from, to, t->cpu, call);
	t->reported = to > from ? to : from;
}

/* Whether a span belongs to a call that a thread was in from `start` to `end`.  Where recording
 * began in a call, the span began before it.  A stopped thread is in none. */
static bool is_within(const struct idle_span *s, int64_t start, int64_t end)
{
	return s->end > start && s->begin <= end && s->state != STATE_STOPPED;
}

/* Whether the thread may have fallen asleep.  Perf events do not tell why a thread left its CPU
 * unless another one took it. */
static bool may_sleep(const struct idle_span *s)
{
	return s->state == STATE_SLEEPING || (s->state == STATE_UNKNOWN && !s->faulted);
}

static void charge_span(const struct idle *idle, struct idle_thread *t, const struct idle_span *s,
			enum activity activity, const struct event *call)
{
	if (s->woken > s->begin)
		add(t, IDLE_SCHEDULER, activity, s->woken - s->begin, s->waker);
	if (s->end > s->woken)
		add(t, IDLE_SCHEDULER, RUNNABLE, s->end - s->woken, 0);
	report(idle, t, activity, s->begin, s->woken, 0, call);
	report(idle, t, RUNNABLE, s->woken, s->end, 0, call);
}

/*
 * Attributes the spans off the CPU from `start` to `end` to a call, the others to none.  Returns
 * the ns off the CPU within the call.
 *
 * A thread falls asleep in calls only.  If it did outside of all known ones, a signal interrupted a
 * call, which comes when it is over, after those of the handler: these spans are kept for it.
 */
static int64_t charge_spans(const struct idle *idle, struct idle_thread *t, int64_t start,
			    int64_t end, enum activity activity, const struct event *call)
{
	int64_t inside = 0;
	size_t kept = 0;

	for (size_t i = 0; i < t->spans.n; i++) {
		const struct idle_span *s = &t->spans.v[i];

		if (is_within(s, start, end)) {
			charge_span(idle, t, s, activity == RUNS_CALL ? WAITS_OTHER : activity,
				    call);
			inside += s->end - s->begin;
		} else if (call && may_sleep(s)) {
			t->spans.v[kept++] = *s;
		} else {
			charge_span(idle, t, s,
				    s->state == STATE_STOPPED ? WAITS_SIGNAL
				    : s->faulted	      ? WAITS_FAULT
							      : WAITS_OTHER,
				    NULL);
			t->off_outside += s->end - s->begin;
		}
	}
	t->spans.n = kept;
	return inside;
}

/* Returns what a call waits for.  A call that waits for io_uring operations waits for what the last
 * one did. */
static enum activity activity_of(const struct idle_thread *t, const struct event *e, int64_t end)
{
	static unsigned enter;
	enum activity activity = waiting_for(e);

	if (!enter)
		enter = syscall_by_name("io_uring_enter");
	bool waits = e->call.id == enter && t->operation != RUNS_CALL;
	return waits && t->operation_end >= e->time && t->operation_end <= end ? t->operation
									       : activity;
}

/*
 * Without events of the scheduler: what passed before each signal is a part of the call that it
 * interrupted, which comes when it is over, after those of the handler, or else the program's own.
 * Returns the ns that are the call's.
 */
static int64_t charge_held(const struct idle *idle, struct idle_thread *t, enum activity activity,
			   const struct event *call)
{
	int64_t inside = 0;

	for (size_t i = 0; i < t->spans.n; i++) {
		const struct idle_span *s = &t->spans.v[i];
		int64_t from = call && call->time < s->end ? call->time : s->end;

		from = from > s->begin ? from : s->begin;
		report(idle, t, RUNS_USER, s->begin, from, t->cpu, NULL);
		report(idle, t, activity, from, s->end, t->cpu, call);
		inside += s->end - from;
	}
	t->spans.n = 0;
	return inside;
}

/* Reports a call and what the thread did before it. */
static void report_call(const struct idle *idle, struct idle_thread *t, enum activity activity,
			const struct event *e, int64_t duration)
{
	bool held = !idle->scheduled && t->spans.n;
	bool interrupted = held && e->time < t->spans.v[t->spans.n - 1].end;
	int64_t end = e->time + duration;

	if (interrupted || (held && t->returned)) {
		int64_t inside = charge_held(idle, t, activity, e);

		/* What is left of it came after the last handler. */
		if (interrupted && !(e->call.flags & CALL_UNFINISHED))
			end = t->reported + duration - inside;
	}
	report_running(idle, t, RUNS_USER, e->time, NULL);
	report_running(idle, t, activity, end, e);
	t->returned = syscall_role(e->call.id) == ROLE_SIGRETURN;
}

static void charge_call(struct idle *idle, struct idle_thread *t, const struct event *e,
			int64_t duration)
{
	enum activity activity = activity_of(t, e, e->time + duration);
	bool short_one = duration < idle->shortest;
	/* The result of the call is the child whose end was waited for. */
	uint64_t waker =
	    activity == WAITS_CHILD && !short_one && e->call.result > 0 && !event_failed(e)
		? host_same(e->pid, (uint32_t)e->call.result)
		: 0;

	enum activity guess = short_one ? RUNS_CALL : activity;
	report_call(idle, t, idle->scheduled ? RUNS_CALL : guess, e, duration);
	add(t, IDLE_CALLS, guess, duration, waker);
	/* The duration of a call that a signal interrupted is the sum of its parts. */
	int64_t end = e->call.flags & CALL_RESTARTED ? INT64_MAX : e->time + duration;
	int64_t inside = charge_spans(idle, t, e->time, end, activity, e);
	add(t, IDLE_SCHEDULER, RUNS_CALL, duration - inside, 0);
	t->off_outside += inside > duration ? inside - duration : 0;
	t->in_calls += duration;
	t->faulted = false;
}

/* ---- the scheduler ---- */

/* Merges the two neighbouring spans that are closest together: a call hardly ever begins between
 * them.  The sums of blocked and runnable time do not change. */
static void merge_closest(struct idle_thread *t)
{
	struct idle_span *s = t->spans.v;
	size_t best = 0;

	for (size_t i = 1; i + 1 < t->spans.n; i++)
		if (s[i + 1].end - s[i].begin < s[best + 1].end - s[best].begin)
			best = i;
	s += best;
	int64_t blocked = s[0].woken - s[0].begin + s[1].woken - s[1].begin;
	int64_t off = s[0].end - s[0].begin + s[1].end - s[1].begin;
	s[1].begin = s[0].begin;
	s[1].woken = s[1].begin + blocked;
	s[1].end = s[1].begin + off;
	memmove(s, s + 1, (--t->spans.n - best) * sizeof(*s));
}

static void push_span(struct idle_thread *t, const struct idle_span *span)
{
	if (t->spans.n == SPANS_MOST)
		merge_closest(t);
	vec_push(&t->spans, *span);
}

/* What passed before a signal waits for the call that it may have interrupted. */
static void hold(struct idle_thread *t, int64_t time)
{
	t->returned = false;
	if (time <= t->reported)
		return;
	push_span(t, &(struct idle_span){ .begin = t->reported, .woken = time, .end = time });
	t->reported = time;
}

/* The thread takes a CPU, or is dead. */
static void come_in(struct idle_thread *t, int64_t time, uint32_t cpu)
{
	bool preempted = t->state == STATE_RUNNABLE;
	bool woken_up = t->woken_at >= t->out_at && (t->unseen || !preempted);
	int64_t woken = woken_up ? t->woken_at : preempted ? t->out_at : time;

	t->out = t->unseen = false;
	if (time < t->out_at)
		return;
	push_span(t, &(struct idle_span){ t->out_at, woken < time ? woken : time, time, cpu,
					  t->waker, t->state, t->faulted });
	t->faulted = false;
}

static void go_out(struct idle_thread *t, const struct event *e)
{
	t->out = true;
	t->unseen = false;
	t->out_at = e->time;
	t->woken_at = INT64_MIN;
	t->waker = 0;
	t->state = e->change.preempted ? STATE_RUNNABLE : e->change.state;
	t->cpu = t->cpu ? t->cpu : e->change.cpu + 1; /* on which it was from the first on */
}

static void wake(struct idle *idle, const struct event *e)
{
	const uint64_t *at = map_find(&idle->by_tid, e->wake.target);
	struct idle_thread *t = at ? &idle->threads.v[*at - 1] : NULL;

	/* Only the first wake-up counts, since a runnable thread cannot be woken again. */
	if (!t || !t->out || t->woken_at >= t->out_at || e->time < t->out_at)
		return;
	t->woken_at = e->time;
	t->waker = e->wake.context == WAKE_THREAD ? e->tid : IDLE_NO_THREAD + e->wake.context;
}

/* ---- threads ---- */

static struct idle_thread *find(const struct idle *idle, uint32_t tid)
{
	const uint64_t *at = map_find(&idle->by_tid, tid);

	return at ? &idle->threads.v[*at - 1] : NULL;
}

static void end_thread(struct idle *idle, struct idle_thread *t, int64_t time)
{
	if (t->ended)
		return;
	t->ended = true;
	t->end = time > t->end ? time : t->end;
	if (t->out && idle->scheduled)
		come_in(t, t->end, 0);
	if (t->inside)
		charge_call(idle, t, &t->call, t->end - t->call.time);
	if (!idle->scheduled)
		charge_held(idle, t, RUNS_USER, NULL);
	report_running(idle, t, RUNS_USER, t->end, NULL);
	charge_spans(idle, t, INT64_MAX, INT64_MAX, RUNS_CALL, NULL);
	vec_free(&t->spans);
	int64_t user = t->end - t->begin - t->in_calls;
	add(t, IDLE_CALLS, RUNS_USER, user, 0);
	add(t, IDLE_SCHEDULER, RUNS_USER, user - t->off_outside, 0);
}

/* Adds a thread.  It is off the CPU until an event says otherwise, and runnable if it was just
 * born. */
static struct idle_thread *begin_thread(struct idle *idle, const struct processes *p, uint32_t pid,
					uint32_t tid, int64_t time, bool born)
{
	struct idle_thread *former = find(idle, tid);

	/* The exit of the thread that had this ID before is missing. */
	if (former)
		end_thread(idle, former, former->end);
	vec_push(&idle->threads,
		 (struct idle_thread){ .pid = pid,
				       .tid = tid,
				       .process = processes_find(p, pid),
				       .begin = time,
				       .end = time,
				       .reported = time,
				       .out = true,
				       .out_at = time,
				       .woken_at = INT64_MIN,
				       .state = born ? STATE_RUNNABLE : STATE_UNKNOWN,
				       .operation = RUNS_CALL,
				       .unseen = true });
	*map_at(&idle->by_tid, tid) = idle->threads.n;
	return &idle->threads.v[idle->threads.n - 1];
}

/*
 * The execve of another thread, which took the number of this one, cut the call off that this one
 * was in: it went on until then, or, with events of the scheduler, until the thread was woken to
 * die.  Of the execve the rest is left.
 */
static void cut_off(struct idle *idle, struct idle_thread *t, struct event *exec)
{
	int64_t at = exec->time > t->call.time ? exec->time : t->call.time;

	if (t->spans.n && t->spans.v[t->spans.n - 1].end > at)
		at = t->spans.v[t->spans.n - 1].end;
	charge_call(idle, t, &t->call, at - t->call.time);
	if (exec->call.duration >= 0)
		exec->call.duration = event_end(exec) > at ? event_end(exec) - at : 0;
	exec->time = at;
	t->out &= t->state != STATE_DEAD; /* what left its CPU for good is not what runs now */
}

static void take_call(struct idle *idle, struct idle_thread *t, const struct event *e)
{
	struct event rest;
	int status;

	if (t->inside && syscall_role(e->call.id) == ROLE_EXEC) {
		rest = *e;
		cut_off(idle, t, &rest);
		e = &rest;
	}
	t->exits = syscall_never_returns(e->call.id);
	if (t->exits && syscall_ends_process(e, &status))
		*map_at(&idle->ends, e->pid) = (uint64_t)e->time;
	t->inside = e->call.flags & CALL_UNFINISHED;
	t->out &= t->inside || !t->unseen; /* a thread that calls has run */
	t->cpu = t->cpu ? t->cpu : e->call.cpu;
	if (t->inside) {
		t->call = *e;
		t->call.call.path = t->call.call.text = NULL;
	} else if (e->call.duration >= 0 && !(e->call.flags & CALL_NO_TIME)) {
		idle->timed++;
		charge_call(idle, t, e, e->call.duration);
	}
}

static void take_operation(struct idle_thread *t, const struct event *e)
{
	const struct event call = syscall_of_uring(e);

	if (!e->uring.complete)
		return;
	t->operation = waiting_for(&call);
	t->operation_end = event_end(e);
}

void idle_event(struct idle *idle, const struct processes *p, const struct event *e)
{
	struct idle_thread *t = find(idle, e->tid);

	/* Leaves out times that cannot be real, so that sums of times do not overflow. */
	if (event_end(e) > time_most || event_end(e) < e->time || e->time < -time_most) {
		idle->beyond++;
		return;
	}
	if (e->type == EVENT_WAKE)
		wake(idle, e);
	idle->now = event_end(e) > idle->now ? event_end(e) : idle->now;
	/* Thread 0 is the idle one, or that of a log without thread IDs. */
	if (!processes_own(e) ||
	    (!host_local(e->tid) && e->type != EVENT_SYSCALL && e->type != EVENT_EXIT))
		return;
	/* What a thread does after its exit, such as leaving the CPU, does not belong to a new
	 * thread. */
	if (t && t->ended && e->type != EVENT_SYSCALL)
		return;
	if (!t || t->ended)
		t = begin_thread(idle, p, e->pid, e->tid, e->time, false);
	if (e->type == EVENT_SWITCH && e->time < t->end) {
		idle->late++;
		return;
	}
	t->end = event_end(e) > t->end ? event_end(e) : t->end;
	switch (e->type) {
	case EVENT_SYSCALL: take_call(idle, t, e); break;
	case EVENT_SWITCH:
		idle->scheduled = true;
		if (e->change.out)
			go_out(t, e);
		else if (t->out)
			come_in(t, e->time, e->change.cpu + 1);
		break;
	case EVENT_FAULT: t->faulted = true; break;
	case EVENT_SIGNAL:
		if (idle->take && !idle->scheduled)
			hold(t, e->time);
		break;
	case EVENT_URING: take_operation(t, e); break;
	case EVENT_EXIT: end_thread(idle, t, e->time); break;
	case EVENT_FORK:
		begin_thread(idle, p, e->fork.child_pid, e->fork.child_tid, e->time, true);
		break;
	default: break;
	}
}

void idle_end(struct idle *idle)
{
	for (size_t i = 0; i < idle->threads.n; i++) {
		struct idle_thread *t = &idle->threads.v[i];

		/* Not all traces have the ends of threads; exit_group() ends all of a process. */
		const uint64_t *end = map_find(&idle->ends, t->pid);
		bool later = !end || (int64_t)*end < t->begin;
		end_thread(idle, t, t->exits ? t->end : later ? idle->now : (int64_t)*end);
	}
}

uint64_t idle_waker(const struct idle_sum *sum, double *share)
{
	uint64_t waker, time, best = 0, most = 0;

	for (size_t at = 0; map_next(&sum->wakers, &at, &waker, &time);)
		if (time > most || (time == most && waker < best)) {
			best = waker;
			most = time;
		}
	*share = sum->time > 0 ? (double)most / (double)sum->time : 0;
	return best;
}

void idle_free(struct idle *idle)
{
	for (size_t i = 0; i < idle->threads.n; i++)
		for (int s = 0; s < IDLE_SOURCES; s++)
			for (int a = 0; a < ACTIVITIES; a++)
				map_free(&idle->threads.v[i].sums[s][a].wakers);
	vec_free(&idle->threads);
	map_free(&idle->by_tid);
	map_free(&idle->ends);
}
