/* SPDX-License-Identifier: MIT */
#include "graph/derive.h"

#include "graph/derive_parts.h"

static const int64_t time_most = (int64_t)1 << 55; /* ns; about a year */

/* ---- calls ---- */

/*
 * Learns which sockets are connected.  If a wake-up by a thread that was sending made the receive
 * in t possible, the object that it sent on and the object that t received from are the two ends of
 * a connection.  Either call may end first.
 */
static void learn_peers(struct derive *d, uint32_t thread, const struct event *e,
			enum direction direction)
{
	struct derived_thread *t = &d->threads.v[thread];

	if (direction == DIRECTION_GET && t->waker_call) {
		struct derived_thread *w = &d->threads.v[t->waker];

		if (w->sent_call == t->waker_call) {
			derived_learn(d, w->sent_object, e->call.object);
		} else if (w->calls < t->waker_call) {
			w->reader_call = t->waker_call;
			w->reader_object = e->call.object;
		}
	} else if (direction == DIRECTION_PUT) {
		t->sent_call = t->calls;
		t->sent_object = e->call.object;
		if (t->reader_call == t->calls)
			derived_learn(d, e->call.object, t->reader_object);
	}
	t->waker_call = 0;
}

static void end_call(struct derive *d, uint32_t thread, const struct event *e)
{
	struct derived_thread *t = &d->threads.v[thread];
	bool on_socket = fd_kind_is_socket(e->call.kind);

	t->calls++;
	d->has_calls = true;
	t->on_socket = t->on_socket << 1 | on_socket;
	for (size_t i = 0; i < t->claimed.n; i++)
		derived_settle_claim(d, t->claimed.v[i], on_socket, e->time);
	t->claimed.n = 0;
}

/* Takes a call when the trace has scheduler events: everything it did is on the tape already,
 * except for its end. */
static void take_call(struct derive *d, uint32_t thread, const struct event *e)
{
	struct derived_thread *t = &d->threads.v[thread];
	struct graph_thread *g = &d->graph->threads.v[thread];
	int64_t end = event_end(e);

	if (t->mark_queue) {
		end_call(d, thread, e);
		return;
	}
	if (t->out && !(e->call.flags & CALL_UNFINISHED))
		derived_come_in(d, thread, end, NULL);
	enum direction direction = derived_direction(e);
	end_call(d, thread, e);
	if (!(e->call.flags & CALL_UNFINISHED))
		learn_peers(d, thread, e, direction);
	derived_name_open(d, thread, e);
	if (e->call.flags & CALL_UNFINISHED)
		return;
	uint16_t state = derived_call_state(d, thread, e);
	if (direction == DIRECTION_GET && g->at <= e->time) {
		graph_run(d->graph, thread, e->time, t->user, e->time, t->user);
		derived_get(d, thread, e->time, t->user, e);
		direction = NO_DIRECTION;
	}
	uint64_t piece = graph_run(d->graph, thread, end, t->user, e->time, state);
	derived_note_submission(&d->threads.v[thread], piece, e);
	if (direction == DIRECTION_GET)
		derived_get(d, thread, end, state, e);
	else if (direction == DIRECTION_PUT)
		derived_put(d, thread, end, state, e);
	d->threads.v[thread].faulted = false;
}

/* ---- all events ---- */

/* Who sleeps makes no thread: the recorder tells so of those that it found (ktranal record -p). */
static void take_fork(struct derive *d, uint32_t parent, const struct event *e)
{
	uint64_t by = d->threads.v[parent].out ? 0 : derived_cut(d, parent, e->time);

	derived_begin_thread(d, e->fork.child_pid, e->fork.child_tid, e->time, by);
}

static void take_exit(struct derive *d, uint32_t thread, const struct event *e)
{
	struct derived_thread *t = &d->threads.v[thread];
	/* A wait that a mark began ends with its thread at the latest. */
	if (t->mark_queue && e->time > d->graph->threads.v[thread].at)
		graph_delay(d->graph, thread, e->time, derived_activity(d, thread, WAITS_QUEUE), 0);
	t->mark_queue = 0;
	uint64_t piece =
	    t->dead ? d->graph->threads.v[thread].last : derived_cut(d, thread, e->time);

	t->exited = true;
	*map_at(&d->exits, e->tid) = piece;
	if (e->exit.last)
		*map_at(&d->exits, e->pid) = piece;
	if (!d->scheduled || t->dead)
		derived_end_thread(d, thread);
}

/* What the thread did before belongs to the former program; a state that a mark began goes on when
 * only the name changes. */
static void change_program(struct derive *d, uint32_t thread, const struct event *e)
{
	struct derived_thread *t = &d->threads.v[thread];
	uint16_t user = t->user;
	bool marked = e->type == EVENT_COMM && user != derived_state(d, thread, "user", RUNS_USER);

	if (d->scheduled && !t->out && !t->mark_queue)
		derived_cut(d, thread, e->time);
	derived_set_program(d, thread);
	if (marked)
		t->user = user;
}

void derived_follow(struct derive *d, const struct event *e)
{
	uint32_t thread;
	struct derived_thread *t = derived_thread(d, e, &thread);

	if (d->taken && (e->type == EVENT_FAULT ||
			 (e->type == EVENT_SYSCALL && !(e->call.flags & CALL_UNFINISHED))))
		d->taken(d->taken_arg, e,
			 e->type == EVENT_FAULT ? t->user : derived_call_state(d, thread, e),
			 t->user);
	switch (e->type) {
	case EVENT_SYSCALL:
		if (!t->place && e->time < t->signalled) {
			t->place = t->outer;
			t->outer = 0;
		}
		if (d->scheduled)
			take_call(d, thread, e);
		else
			derived_call_alone(d, thread, e);
		d->threads.v[thread].place = 0;
		break;
	case EVENT_STACK:
		if (d->at_places)
			t->place = (uint32_t)names_add(&d->graph->words, e->stack.frames) + 1;
		break;
	case EVENT_SWITCH: derived_switch(d, thread, e); break;
	case EVENT_URING: derived_operation(d, thread, e); break;
	case EVENT_FAULT: t->faulted = true; break;
	case EVENT_SIGNAL: /* the call that it interrupts may come after those of its handler */
		t->outer = t->place;
		t->place = 0;
		t->signalled = e->time;
		break;
	case EVENT_FORK: take_fork(d, thread, e); break;
	case EVENT_FD:
	case EVENT_ADDRESS: derived_define(d, e); break;
	case EVENT_COMM:
	case EVENT_EXEC: change_program(d, thread, e); break;
	case EVENT_EXIT: take_exit(d, thread, e); break;
	case EVENT_MARK: derived_mark(d, thread, e); break;
	default: break;
	}
}

/* Whether a thread that has exited, or of which nothing else is known, leaves its CPU.  Without
 * this, that switch would begin a new thread, which would then be the last one of the run, and the
 * path would end in it, unexplained. */
static bool is_over(struct derive *d, const struct event *e)
{
	return e->type == EVENT_SWITCH && derived_find(d, e->tid) == GRAPH_NOBODY &&
	       ((e->change.out && e->change.state == STATE_DEAD) || map_find(&d->exits, e->tid));
}

/* Events come nearly in the order of their ends, unless the clock was set meanwhile. */
static void note_step(struct derive *d, const struct event *e)
{
	int64_t end = event_end(e);

	if (e->type != EVENT_SWITCH && (e->type != EVENT_SYSCALL || e->call.duration < 0))
		return;
	d->back = d->latest - end > d->back ? d->latest - end : d->back;
	d->latest = end;
}

void derive_event(struct derive *d, const struct event *e)
{
	/* Leaves out times that cannot be real, so that sums of times do not overflow. */
	if (event_end(e) > time_most || event_end(e) < e->time || e->time < -time_most) {
		d->unreal++;
		return;
	}
	note_step(d, e);
	d->has_wakes |= e->type == EVENT_WAKE;
	if (e->type == EVENT_WAKE)
		derived_wake(d, e);
	else if (e->type == EVENT_BLOCK)
		derived_block(d, e);
	else if (e->type == EVENT_LOST && (e->lost.count || e->lost.class == LOST_BLOCKS))
		graph_lost(d->graph, e->time,
			   e->lost.until < time_most ? e->lost.until : time_most);
	else if (e->type == EVENT_HOST)
		processes_event(&d->processes, e);
	/* Thread 0 is the idle one, or that of a log without thread IDs. */
	if (!processes_own(e) || (!e->tid && e->type != EVENT_SYSCALL))
		return;
	const unsigned last = d->scheduled ? CALL_UNFINISHED : CALL_UNFINISHED | CALL_NO_RESULT;
	if (e->type == EVENT_SYSCALL && e->call.duration < 0 && !(e->call.flags & last))
		return;
	if (e->type == EVENT_SWITCH && !d->scheduled) {
		derived_release(d, true);
		d->scheduled = true;
	}
	if (is_over(d, e))
		return;
	/* perf names all threads of the system at the beginning; when one of them ran is not said
	 * by that. */
	if ((e->type == EVENT_ATTACH || e->type == EVENT_COMM) &&
	    derived_find(d, e->tid) == GRAPH_NOBODY) {
		processes_event(&d->processes, e);
		return;
	}
	if (d->scheduled)
		derived_follow(d, e);
	else
		derived_hold(d, e);
}

void derive_begin(struct derive *d, const struct source_info *info)
{
	processes_begin(&d->processes, info->command);
	connections_begin(&d->connections);
	d->held.window = 4 << 20;
	d->latest = -time_most;
	if (d->request_from)
		d->request_queue = graph_queue(d->graph, "request") + 1;
}

void derive_end(struct derive *d)
{
	derived_release(d, true);
	for (uint32_t i = 0; i < d->threads.n; i++) {
		const struct derived_thread *t = &d->threads.v[i];

		d->waiting += t->out && !t->dead && !t->exited;
		derived_name_open(d, i, NULL);
	}
	/* A CPU that was used only until the program was bound to other CPUs does not count. */
	int64_t most = 0;
	for (size_t i = 0; i < d->cpus.n; i++)
		most = d->cpus.v[i].busy > most ? d->cpus.v[i].busy : most;
	for (size_t i = 0; i < d->cpus.n; i++)
		d->graph->cpus += d->cpus.v[i].busy > most / 20;
}

void derive_free(struct derive *d)
{
	for (size_t i = 0; i < d->threads.n; i++) {
		vec_free(&d->threads.v[i].open);
		vec_free(&d->threads.v[i].passed);
		vec_free(&d->threads.v[i].claimed);
		vec_free(&d->threads.v[i].submitted);
	}
	vec_free(&d->threads);
	vec_free(&d->objects);
	vec_free(&d->cpus);
	map_free(&d->by_tid);
	map_free(&d->by_name);
	map_free(&d->places);
	connections_free(&d->connections);
	map_free(&d->by_call);
	map_free(&d->requests);
	map_free(&d->futexes);
	map_free(&d->exits);
	map_free(&d->tags);
	map_free(&d->mark_queues);
	names_free(&d->mark_names);
	map_free(&d->open_requests);
	reorder_free(&d->held);
	processes_free(&d->processes);
}
