/* SPDX-License-Identifier: MIT */
/* Derives waits, wake-ups and the use of CPUs from scheduler events. */
#include "graph/derive_parts.h"

enum { CPUS_MOST = 8192 };

static struct derived_cpu *cpu_of(struct derive *d, uint32_t cpu)
{
	uint64_t key = (uint64_t)1 << 32 | cpu, at = derived_known(d, KNOWN_PLACE, &d->places, key);

	if (!at && d->cpus.n < CPUS_MOST) {
		vec_push(&d->cpus, (struct derived_cpu){ 0 });
		*map_at(&d->places, key) = at = d->cpus.n;
	}
	return at ? &d->cpus.v[at - 1] : NULL;
}

static void go_out(struct derive *d, uint32_t thread, const struct event *e, struct derived_cpu *c)
{
	bool preempted = e->change.preempted || e->change.state == STATE_RUNNABLE;
	uint64_t piece = derived_cut(d, thread, e->time);

	if (c)
		*c = (struct derived_cpu){ piece, e->change.next, preempted, 0, c->busy };
	d->threads.v[thread].out = true;
	d->graph->threads.v[thread].cpu = 0;
	graph_block(d->graph, thread, d->threads.v[thread].user);
	if (preempted)
		graph_wake(d->graph, thread, e->time, 0, 0);
}

/* If a softirq on top of thread w ended this wait, w was the waker only if its call is on a socket.
 * That is decided when the call ends, or now if it has ended. */
static void claim(struct derive *d, struct derived_thread *t, uint64_t wait)
{
	struct derived_thread *w = &d->threads.v[t->waker];

	if (!wait || !t->waker_soft)
		return;
	if (w->calls < t->waker_call) {
		vec_push(&w->claimed, wait);
		return;
	}
	/* It may have woken others since. */
	uint64_t since = w->calls - t->waker_call;
	derived_settle_claim(d, wait, since < 64 && w->on_socket >> since & 1, INT64_MIN);
}

/* Notes in the thread's wait for a CPU which thread got the CPU first. */
static void note_follower(struct derive *d, uint32_t thread, const struct derived_cpu *c)
{
	const struct graph_thread *t = &d->graph->threads.v[thread];
	struct piece *p = t->last ? tape_at(&d->graph->tape, t->last - 1) : NULL;

	if (p && p->kind == PIECE_CPU && c)
		p->next = !c->piece ? UINT32_MAX : c->next == t->tid ? 0 : c->next;
}

/* Whether it is known why the thread that left the CPU ran.  Of threads of the kernel, which make
 * no calls, and of one that was not seen before the other waited, only that they did is known. */
static bool is_known(struct derive *d, const struct derived_cpu *c, uint32_t thread)
{
	uint32_t by = c->piece ? tape_read(&d->graph->tape, c->piece - 1)->thread : thread;
	const struct derived_thread *t = &d->threads.v[by];

	return t->born || ((t->calls || !d->has_calls) &&
			   d->graph->threads.v[by].begin < d->graph->threads.v[thread].woken_at);
}

void derived_come_in(struct derive *d, uint32_t thread, int64_t time, const struct derived_cpu *c)
{
	struct derived_thread *t = &d->threads.v[thread];
	bool handed = c && c->next == d->graph->threads.v[thread].tid && !c->preempted &&
		      is_known(d, c, thread);
	uint64_t before = d->graph->tape.n;
	uint64_t wait = graph_resume(d->graph, thread, time, handed ? c->piece : 0, t->runnable);

	note_follower(d, thread, c);
	t->out = false;
	if (wait > before)
		derived_note_open(t, wait);
	claim(d, t, wait);
	t->waker_soft = false;
}

void derived_switch(struct derive *d, uint32_t thread, const struct event *e)
{
	if (e->time < d->graph->threads.v[thread].at) {
		d->late++;
		return;
	}
	struct derived_cpu *c = cpu_of(d, e->change.cpu);
	/* When a thread that the trace begins in got the CPU is unknown. */
	if (e->change.out && c)
		c->busy += c->since ? e->time - c->since : 0;
	if (c)
		c->since = e->change.out ? 0 : e->time;
	if (!e->change.out)
		d->graph->threads.v[thread].cpu = c ? (uint16_t)(c - d->cpus.v + 1) : 0;
	if (d->threads.v[thread].mark_queue)
		return;
	if (e->change.out)
		go_out(d, thread, e, c);
	else if (d->threads.v[thread].out)
		derived_come_in(d, thread, e->time, c);
	if (!e->change.out || e->change.state != STATE_DEAD)
		return;
	if (d->threads.v[thread].exited)
		derived_end_thread(d, thread);
	else
		d->threads.v[thread].dead = true;
}

void derived_wake(struct derive *d, const struct event *e)
{
	uint32_t target = derived_find(d, e->wake.target), w = derived_find(d, e->tid);
	bool soft = e->wake.context == WAKE_SOFTIRQ;
	bool known = w != GRAPH_NOBODY && e->wake.context != WAKE_INTERRUPT && w != target;

	if (target == GRAPH_NOBODY || !d->threads.v[target].out || d->threads.v[target].mark_queue)
		return;
	struct graph_thread *g = &d->graph->threads.v[target];
	if (!g->waits || g->woken || e->time < g->at)
		return;
	uint64_t request = derived_request(d, target, e);
	uint64_t cause = request			? request
			 : !known			? 0
			 : d->graph->threads.v[w].waits ? d->graph->threads.v[w].last
							: derived_cut(d, w, e->time);
	soft &= cause && !request;
	graph_wake(d->graph, target, e->time, cause, soft ? PIECE_GUESS : 0);
	struct derived_thread *t = &d->threads.v[target];
	known &= !request;
	t->waker = known ? w : 0;
	t->waker_call = known ? d->threads.v[w].calls + 1 : 0;
	t->waker_soft = soft;
}
