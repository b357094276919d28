/* SPDX-License-Identifier: MIT */
/* Pieces whose state becomes known only after they were added. */
#include "graph/derive_parts.h"

enum { OPEN_MOST = 4096 };

/* More pieces than OPEN_MOST are open only after a gap or in a call as long as the trace. */
void derived_note_open(struct derived_thread *t, uint64_t piece)
{
	if (piece && t->open.n < OPEN_MOST)
		vec_push(&t->open, piece);
}

uint64_t derived_cut(struct derive *d, uint32_t thread, int64_t time)
{
	struct derived_thread *t = &d->threads.v[thread];

	if (d->graph->threads.v[thread].waits) /* the switch to a CPU is missing */
		derived_come_in(d, thread, time, NULL);
	uint64_t before = d->graph->tape.n;
	uint64_t piece = graph_run(d->graph, thread, time, t->user, time, t->user);

	/* Otherwise it is an earlier piece, whose state is known. */
	if (piece > before)
		derived_note_open(t, piece);
	return piece;
}

void derived_settle_claim(struct derive *d, uint64_t wait, bool on_socket, int64_t enter)
{
	struct piece *p = tape_at(&d->graph->tape, wait - 1);

	if (p->kind == PIECE_WAIT && p->flags & PIECE_GUESS) {
		if (on_socket && enter <= p->end)
			p->flags &= (uint8_t)~PIECE_GUESS;
		else
			graph_retract(d->graph, wait);
	}
}

/* An interrupt ended a wait for room in a queue.  Its cause is the last get before it. */
static void made_room(struct derive *d, const struct graph_queue *q, uint64_t wait)
{
	for (uint64_t i = q->gets; i > 0 && i + TAKERS > q->gets; i--)
		if (graph_attach(d->graph, wait, q->takers[(i - 1) % TAKERS]))
			return;
}

void derived_name_queue(struct derive *d, uint64_t wait, const struct event *call)
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

/* Nobody was seen to end a wait for a child: perf does not record what a process that ends does
 * last.  The child did it, whose last piece that was seen is taken for the cause. */
static void ended_by_child(struct derive *d, uint64_t wait, int64_t child)
{
	const uint64_t *at = map_find(&d->exits, (uint64_t)child);
	uint32_t lives = derived_find(d, (uint32_t)child);
	uint64_t last = at ? *at : lives != GRAPH_NOBODY ? d->graph->threads.v[lives].last : 0;

	if (graph_attach(d->graph, wait, last))
		tape_at(&d->graph->tape, wait - 1)->flags |= PIECE_GUESS;
}

/* A call that a signal interrupts comes after those of the signal's handler.  The pieces that ended
 * before the handler began are looked at once more then. */
static void reopen(struct derive *d, struct derived_thread *t, const struct event *call)
{
	size_t n = 0;

	for (size_t i = 0; i < t->passed.n; i++)
		if (tape_read(&d->graph->tape, t->passed.v[i] - 1)->end > call->time)
			derived_note_open(t, t->passed.v[i]);
		else
			t->passed.v[n++] = t->passed.v[i];
	t->passed.n = n;
}

void derived_name_open(struct derive *d, uint32_t thread, const struct event *call)
{
	struct derived_thread *t = &d->threads.v[thread];

	if (call && call->time < t->signalled)
		reopen(d, t, call);
	uint16_t state = call ? derived_call_state(d, thread, call) : 0;
	enum activity activity = call && t->open.n ? waiting_for(call) : RUNS_CALL;

	if (activity == WAITS_OTHER && t->operation)
		activity = t->operation;
	t->operation = RUNS_USER;
	bool alone = activity == WAITS_TIMER;
	bool socket = activity == WAITS_PEER || activity == WAITS_WORK || activity == WAITS_OTHER;

	for (size_t i = 0; i < t->open.n; i++) {
		struct piece *p = tape_at(&d->graph->tape, t->open.v[i] - 1);
		bool within = call && p->end > call->time;

		if (call && !within && p->end <= t->signalled) {
			t->passed.n %= OPEN_MOST;
			vec_push(&t->passed, t->open.v[i]);
		}
		if (p->kind == PIECE_RUN && within) {
			p->enter = p->start > call->time ? p->start : call->time;
			p->state = state;
		} else if (p->kind == PIECE_WAIT || p->kind == PIECE_DELAY) {
			derived_name_queue(d, t->open.v[i], call);
			p = tape_at(&d->graph->tape, t->open.v[i] - 1);
			uint16_t why = derived_activity(d, thread,
							within	     ? activity
							: t->faulted ? WAITS_FAULT
								     : RUNS_CALL);
			/* Who waits for another thread is where it was when the wait began. */
			bool at_place = within && (alone || p->kind == PIECE_DELAY);
			p->state = at_place ? graph_state_at(d->graph, why, t->place) : why;
			t->lone = within && socket ? t->open.v[i] : 0;
			if (p->kind == PIECE_WAIT && (alone || (!socket && p->flags & PIECE_GUESS)))
				graph_retract(d->graph, t->open.v[i]);
			if (within && activity == WAITS_CHILD)
				ended_by_child(d, t->open.v[i], call->call.result);
		}
	}
	t->open.n = 0;
}
