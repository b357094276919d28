/* SPDX-License-Identifier: MIT */
#include "graph/derive.h"

#include <string.h>

#include "graph/derive_parts.h"
#include "trace/syscalls.h"

enum { OPEN_MOST = 4096, CPUS_MOST = 8192 };

static const int64_t time_most = (int64_t)1 << 55; /* ns: a year */

/* ---- states and threads ---- */

uint16_t derived_state(struct derive *d, uint32_t thread, const char *word)
{
	struct graph *g = d->graph;

	return graph_state(g, g->threads.v[thread].program, (uint32_t)names_add(&g->words, word));
}

/* A wait of that kind; "other" is one of which nothing is known. */
uint16_t derived_activity(struct derive *d, uint32_t thread, enum activity activity)
{
	uint32_t program = d->graph->threads.v[thread].program;
	uint64_t key = (uint64_t)program << 32 | 1u << 31 | activity;
	uint64_t state = derived_known(d, KNOWN_CALL, &d->by_call, key);

	if (!state) {
		const char *word = activity == RUNS_CALL ? "other" : activity_name(activity);

		state = derived_state(d, thread, word) + 1u;
		*map_at(&d->by_call, key) = state;
	}
	return (uint16_t)(state - 1);
}

/* "write pipe": a call and what it works on. */
uint16_t derived_call_state(struct derive *d, uint32_t thread, const struct event *e)
{
	uint32_t program = d->graph->threads.v[thread].program;
	uint64_t key = (uint64_t)program << 32 | e->call.id << 8 | (e->call.kind & 0xff);
	uint64_t state = derived_known(d, KNOWN_CALL, &d->by_call, key);

	if (!state) {
		const char *name = syscall_get(e->call.id)->name;
		bool plain = e->call.kind == FD_UNKNOWN || e->call.kind == FD_FILE;
		char *word =
		    plain ? xstrdup(name) : xasprintf("%s %s", name, fd_kind_name(e->call.kind));

		state = derived_state(d, thread, word) + 1u;
		*map_at(&d->by_call, key) = state;
		free(word);
	}
	return (uint16_t)(state - 1);
}

uint32_t derived_find(struct derive *d, uint32_t tid)
{
	uint64_t known = derived_known(d, KNOWN_THREAD, &d->by_tid, tid);

	return known ? (uint32_t)known - 1 : GRAPH_NOBODY;
}

/* From now on it is that thread, plus 1; 0: none. */
static void name_thread(struct derive *d, uint32_t tid, uint32_t number)
{
	derived_known_at(d, (uint64_t)tid << 2 | KNOWN_THREAD)->value = 0;
	if (number)
		*map_at(&d->by_tid, tid) = number;
	else
		map_remove(&d->by_tid, tid);
}

/* The program that the process runs is that of its threads. */
static void set_program(struct derive *d, uint32_t thread)
{
	struct graph_thread *t = &d->graph->threads.v[thread];
	size_t process = processes_find(&d->processes, t->pid);
	const char *name = process == SIZE_MAX ? "" : processes_name(&d->processes, process);

	t->program = (uint32_t)names_add(&d->graph->programs, name);
	d->threads.v[thread].user = derived_state(d, thread, "user");
	d->threads.v[thread].runnable = derived_activity(d, thread, RUNNABLE);
}

static void end_thread(struct derive *d, uint32_t thread)
{
	struct derived_thread *t = &d->threads.v[thread];

	vec_free(&t->open);
	vec_free(&t->claimed);
	name_thread(d, d->graph->threads.v[thread].tid, 0);
}

static uint32_t begin_thread(struct derive *d, uint32_t pid, uint32_t tid, int64_t time,
			     uint64_t by)
{
	uint32_t former = derived_find(d, tid), number;

	/* Its end was not seen. */
	if (former != GRAPH_NOBODY)
		end_thread(d, former);
	number = graph_thread(d->graph, pid, tid, time, by);
	vec_push(&d->threads, (struct derived_thread){ 0 });
	name_thread(d, tid, number + 1);
	set_program(d, number);
	if (by) {
		/* Runnable since it was born. */
		d->threads.v[number].out = d->scheduled;
		if (d->scheduled)
			graph_block(d->graph, number, d->threads.v[number].user);
		graph_wake(d->graph, number, time, 0, 0);
	}
	return number;
}

struct derived_thread *derived_thread(struct derive *d, const struct event *e, uint32_t *number)
{
	*number = derived_find(d, e->tid);
	if (*number == GRAPH_NOBODY)
		*number = begin_thread(d, e->pid, e->tid, e->time, 0);
	return &d->threads.v[*number];
}

/* ---- pieces that are named later ---- */

/* Only after a gap, or in a call that lasts for as long as the trace, are there so many. */
static void note_open(struct derived_thread *t, uint64_t piece)
{
	if (piece && t->open.n < OPEN_MOST && (!t->open.n || t->open.v[t->open.n - 1] != piece))
		vec_push(&t->open, piece);
}

static void come_in(struct derive *d, uint32_t thread, int64_t time, const struct derived_cpu *c);

/* t runs up to that time, it is not known yet in which call. */
uint64_t derived_cut(struct derive *d, uint32_t thread, int64_t time)
{
	struct derived_thread *t = &d->threads.v[thread];

	if (d->graph->threads.v[thread].waits) /* that it took a CPU was not seen */
		come_in(d, thread, time, NULL);
	uint64_t piece = graph_run(d->graph, thread, time, t->user, time, t->user);

	note_open(t, piece);
	return piece;
}

/* A wait that a softirq ended on top of w, in its call number `call`, which is over: by that call?
 */
static void settle_claim(struct derive *d, uint64_t wait, bool on_socket, int64_t enter)
{
	struct piece *p = tape_at(&d->graph->tape, wait - 1);

	if (p->kind == PIECE_WAIT && p->flags & PIECE_GUESS) {
		if (on_socket && enter <= p->end)
			p->flags &= (uint8_t)~PIECE_GUESS;
		else
			graph_retract(d->graph, wait);
	}
}

/* An interrupt said that there is room: the last one who took something before had made it. */
static void made_room(struct derive *d, const struct graph_queue *q, uint64_t wait)
{
	for (uint64_t i = q->gets; i > 0 && i + TAKERS > q->gets; i--)
		if (graph_attach(d->graph, wait, q->takers[(i - 1) % TAKERS]))
			return;
}

/* A wait in a call on a queue is for room, or for something in it. */
static void name_queue(struct derive *d, uint64_t wait, const struct event *call)
{
	struct piece *p = tape_at(&d->graph->tape, wait - 1);
	enum direction direction = call ? derived_direction(call) : NO_DIRECTION;
	uint32_t queue = derived_queue(d, call ? call->call.object : 0, direction);

	if (!queue || p->end <= call->time)
		return;
	p->queue = queue - 1;
	p->flags |= direction == DIRECTION_PUT ? PIECE_FULL : PIECE_EMPTY;
	if (direction != DIRECTION_PUT)
		return;
	d->graph->queues.v[queue - 1].bounded = true;
	if (call->call.kind != FD_PIPE)
		made_room(d, &d->graph->queues.v[queue - 1], wait);
}

/* What the open pieces of a thread are, now that its call from enter on is known; NULL: none is. */
void derived_name_open(struct derive *d, uint32_t thread, const struct event *call)
{
	struct derived_thread *t = &d->threads.v[thread];
	uint16_t state = call ? derived_call_state(d, thread, call) : 0;
	enum activity activity = call && t->open.n ? waiting_for(call) : RUNS_CALL;
	bool alone = activity == WAITS_TIMER;
	bool socket = activity == WAITS_PEER || activity == WAITS_WORK || activity == WAITS_OTHER;

	for (size_t i = 0; i < t->open.n; i++) {
		struct piece *p = tape_at(&d->graph->tape, t->open.v[i] - 1);
		bool within = call && p->end > call->time;

		if (p->kind == PIECE_RUN && within) {
			p->enter = p->start > call->time ? p->start : call->time;
			p->state = state;
		} else if (p->kind == PIECE_WAIT || p->kind == PIECE_DELAY) {
			name_queue(d, t->open.v[i], call);
			p = tape_at(&d->graph->tape, t->open.v[i] - 1);
			p->state = derived_activity(d, thread,
						    within	 ? activity
						    : t->faulted ? WAITS_FAULT
								 : RUNS_CALL);
			t->lone = within && socket && p->kind == PIECE_DELAY ? t->open.v[i] : 0;
			if (p->kind == PIECE_WAIT && (alone || (!socket && p->flags & PIECE_GUESS)))
				graph_retract(d->graph, t->open.v[i]);
		}
	}
	t->open.n = 0;
}

/* ---- the scheduler ---- */

static struct derived_cpu *cpu_of(struct derive *d, uint32_t cpu)
{
	uint64_t key = (uint64_t)1 << 32 | cpu, at = derived_known(d, KNOWN_PLACE, &d->places, key);

	if (!at && d->cpus.n < CPUS_MOST) {
		vec_push(&d->cpus, (struct derived_cpu){ 0 });
		*map_at(&d->places, key) = at = d->cpus.n;
	}
	return at ? &d->cpus.v[at - 1] : NULL;
}

static void go_out(struct derive *d, uint32_t thread, const struct event *e)
{
	struct derived_cpu *c = cpu_of(d, e->change.cpu);
	bool preempted = e->change.preempted || e->change.state == STATE_RUNNABLE;
	uint64_t piece = derived_cut(d, thread, e->time);

	if (c)
		*c = (struct derived_cpu){ piece, e->change.next, preempted, 0,
					   c->busy + (e->time - c->since) };
	d->threads.v[thread].out = true;
	d->graph->threads.v[thread].cpu = 0;
	graph_block(d->graph, thread, d->threads.v[thread].user);
	if (preempted)
		graph_wake(d->graph, thread, e->time, 0, 0);
}

/* The call in which w ended the wait of t in a softirq is over, or will be. */
static void claim(struct derive *d, struct derived_thread *t, uint64_t wait)
{
	struct derived_thread *w = &d->threads.v[t->waker];

	if (!wait || !t->waker_soft)
		return;
	if (w->calls < t->waker_call)
		vec_push(&w->claimed, wait);
	else
		settle_claim(d, wait, w->socket_call == t->waker_call, INT64_MIN);
}

/* Who followed the thread that left the CPU before this one took it. */
static void note_follower(struct derive *d, uint32_t thread, const struct derived_cpu *c)
{
	const struct graph_thread *t = &d->graph->threads.v[thread];
	struct piece *p = t->last ? tape_at(&d->graph->tape, t->last - 1) : NULL;

	if (p && p->kind == PIECE_CPU && c)
		p->next = !c->piece ? UINT32_MAX : c->next == t->tid ? 0 : c->next;
}

static void come_in(struct derive *d, uint32_t thread, int64_t time, const struct derived_cpu *c)
{
	struct derived_thread *t = &d->threads.v[thread];
	bool handed = c && c->next == d->graph->threads.v[thread].tid && !c->preempted;
	uint64_t before = d->graph->tape.n;
	uint64_t wait = graph_resume(d->graph, thread, time, handed ? c->piece : 0, t->runnable);

	note_follower(d, thread, c);
	t->out = false;
	if (wait > before)
		note_open(t, wait);
	claim(d, t, wait);
	t->waker_soft = false;
}

static void take_switch(struct derive *d, uint32_t thread, const struct event *e)
{
	if (e->time < d->graph->threads.v[thread].at) {
		d->late++;
		return;
	}
	struct derived_cpu *c = cpu_of(d, e->change.cpu);
	if (!e->change.out && c)
		c->since = e->time;
	if (!e->change.out)
		d->graph->threads.v[thread].cpu = c ? (uint16_t)(c - d->cpus.v + 1) : 0;
	if (d->threads.v[thread].mark_queue)
		return;
	if (e->change.out)
		go_out(d, thread, e);
	else if (d->threads.v[thread].out)
		come_in(d, thread, e->time, c);
	if (e->change.out && e->change.state == STATE_DEAD && d->threads.v[thread].exited)
		end_thread(d, thread);
}

static void take_wake(struct derive *d, const struct event *e)
{
	uint32_t target = derived_find(d, e->wake.target), w = derived_find(d, e->tid);
	bool soft = e->wake.context == WAKE_SOFTIRQ;
	bool known = w != GRAPH_NOBODY && e->wake.context != WAKE_INTERRUPT && w != target;

	if (target == GRAPH_NOBODY || !d->threads.v[target].out || d->threads.v[target].mark_queue)
		return;
	struct graph_thread *g = &d->graph->threads.v[target];
	if (!g->waits || g->woken || e->time < g->at)
		return;
	uint64_t cause = !known				? 0
			 : d->graph->threads.v[w].waits ? d->graph->threads.v[w].last
							: derived_cut(d, w, e->time);
	graph_wake(d->graph, target, e->time, cause, cause && soft ? PIECE_GUESS : 0);
	struct derived_thread *t = &d->threads.v[target];
	t->waker = known ? w : 0;
	t->waker_call = known ? d->threads.v[w].calls + 1 : 0;
	t->waker_soft = cause && soft;
}

/* ---- calls ---- */

/* Whoever sent, in the call at hand, what t now received is at the other end. */
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
	if (on_socket)
		t->socket_call = t->calls;
	for (size_t i = 0; i < t->claimed.n; i++)
		settle_claim(d, t->claimed.v[i], on_socket, e->time);
	t->claimed.n = 0;
}

/* With a scheduler: the call is over, and what it did is on the tape but for its end. */
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
		come_in(d, thread, end, NULL);
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
	graph_run(d->graph, thread, end, t->user, e->time, state);
	if (direction == DIRECTION_GET)
		derived_get(d, thread, end, state, e);
	else if (direction == DIRECTION_PUT)
		derived_put(d, thread, end, state, e);
	d->threads.v[thread].faulted = false;
}

/* ---- all events ---- */

static void take_fork(struct derive *d, uint32_t parent, const struct event *e)
{
	uint64_t by = derived_cut(d, parent, e->time);

	begin_thread(d, e->fork.child_pid, e->fork.child_tid, e->time, by);
}

static void take_exit(struct derive *d, uint32_t thread, const struct event *e)
{
	uint64_t piece = derived_cut(d, thread, e->time);

	d->threads.v[thread].exited = true;
	if (d->scheduled)
		return;
	if (e->exit.last)
		*map_at(&d->exits, e->pid) = piece;
	end_thread(d, thread);
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
		if (d->scheduled)
			take_call(d, thread, e);
		else
			derived_call_alone(d, thread, e);
		break;
	case EVENT_SWITCH: take_switch(d, thread, e); break;
	case EVENT_FAULT: t->faulted = true; break;
	case EVENT_FORK: take_fork(d, thread, e); break;
	case EVENT_COMM:
	case EVENT_EXEC: set_program(d, thread); break;
	case EVENT_EXIT: take_exit(d, thread, e); break;
	case EVENT_MARK: derived_mark(d, thread, e); break;
	default: break;
	}
}

void derive_event(struct derive *d, const struct event *e)
{
	/* Sums of times that no clock shows would overflow. */
	if (event_end(e) > time_most || event_end(e) < e->time || e->time < -time_most)
		return;
	if (e->type == EVENT_WAKE)
		take_wake(d, e);
	else if (e->type == EVENT_LOST && e->lost.count)
		graph_lost(d->graph, e->time,
			   e->lost.until < time_most ? e->lost.until : time_most);
	else if (e->type == EVENT_FD || e->type == EVENT_ADDRESS)
		derived_define(d, e);
	if (e->type != EVENT_HOST && (!processes_own(e) || !e->tid))
		return;
	processes_event(&d->processes, e);
	if (e->type == EVENT_HOST)
		return;
	if (e->type == EVENT_SYSCALL && e->call.duration < 0 && !(e->call.flags & CALL_UNFINISHED))
		return;
	if (e->type == EVENT_SWITCH && !d->scheduled) {
		derived_release(d, true);
		d->scheduled = true;
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
}

void derive_end(struct derive *d)
{
	derived_release(d, true);
	for (uint32_t i = 0; i < d->threads.n; i++)
		derived_name_open(d, i, NULL);
	/* One that was used only until the program was bound to others does not count. */
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
		vec_free(&d->threads.v[i].claimed);
	}
	vec_free(&d->threads);
	vec_free(&d->objects);
	vec_free(&d->cpus);
	map_free(&d->by_tid);
	map_free(&d->by_name);
	map_free(&d->places);
	connections_free(&d->connections);
	map_free(&d->by_call);
	map_free(&d->futexes);
	map_free(&d->exits);
	map_free(&d->tags);
	map_free(&d->mark_queues);
	names_free(&d->mark_names);
	reorder_free(&d->held);
	processes_free(&d->processes);
}
