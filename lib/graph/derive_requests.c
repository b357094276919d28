/* SPDX-License-Identifier: MIT */
/*
 * Requests that are carried out while their thread goes on: those to block devices, and operations
 * of io_uring.  A wait that the end of such a request ended was for its beginning, which may be
 * long before the wait.
 */
#include "graph/derive_parts.h"
#include "trace/syscalls.h"
#include "util/hash.h"

enum {
	REQUESTS_MOST = 1 << 16, /* requests that are open at a time; devices have fewer */
	NEAR = 50000, /* ns from the end of a request to the wake-up in the same interrupt */
};

/* ---- block devices ---- */

void derived_block(struct derive *d, const struct event *e)
{
	uint64_t which[] = { e->block.device, e->block.sector };
	uint64_t key = hash_bytes((const char *)which, sizeof(which));
	uint32_t thread = derived_find(d, e->tid);

	if (!d->scheduled)
		return;
	if (!e->block.complete) {
		if (d->requests.n >= REQUESTS_MOST)
			map_free(&d->requests);
		if (thread != GRAPH_NOBODY && !d->graph->threads.v[thread].waits)
			*map_at(&d->requests, key) = derived_cut(d, thread, e->time);
		return;
	}
	const uint64_t *at = map_find(&d->requests, key);
	d->completed.piece = at ? *at : 0;
	d->completed.tid = e->tid;
	d->completed.cpu = e->block.cpu;
	d->completed.time = e->time;
	if (at)
		map_remove(&d->requests, key);
}

uint64_t derived_request(const struct derive *d, uint32_t target, const struct event *wake)
{
	const struct graph_thread *t = &d->graph->threads.v[target];
	/* The CPU, too, because all idle CPUs have thread 0. */
	bool same = wake->tid == d->completed.tid && wake->wake.from == d->completed.cpu &&
		    wake->wake.context != WAKE_THREAD && wake->time >= d->completed.time &&
		    wake->time - d->completed.time < NEAR;

	if (!same || !d->completed.piece)
		return 0;
	const struct piece *p = tape_read(&d->graph->tape, d->completed.piece - 1);
	/* One that the thread issued and then waited for is a wait of its own. */
	if (p->thread == target && (t->at - p->end) * 10 < wake->time - p->end)
		return 0;
	return d->completed.piece;
}

/* ---- io_uring ---- */

void derived_note_submission(struct derived_thread *t, uint64_t piece, const struct event *e)
{
	const struct derived_submission s = { e->time, event_end(e), piece };

	if (e->call.kind != FD_IOURING)
		return;
	if (t->submitted.n < SUBMITTED)
		vec_push(&t->submitted, s);
	else
		t->submitted.v[t->nsubmitted % SUBMITTED] = s;
	t->nsubmitted++;
}

/* Returns the piece that ended the call in which something was submitted at `time`, plus 1; 0: that
 * call has not ended, or was too long ago. */
static uint64_t submission_at(const struct derived_thread *t, int64_t time)
{
	for (uint64_t i = t->nsubmitted; i > 0 && i + SUBMITTED > t->nsubmitted; i--) {
		const struct derived_submission *s = &t->submitted.v[(i - 1) % SUBMITTED];

		if (s->from <= time && time <= s->until)
			return s->piece;
	}
	return 0;
}

void derived_operation(struct derive *d, uint32_t thread, const struct event *e)
{
	struct derived_thread *t = &d->threads.v[thread];
	const struct event call = syscall_of_uring(e);
	enum direction direction = derived_direction(&call);
	int64_t end = event_end(e);

	if (!d->scheduled || !e->uring.complete || t->out || t->mark_queue)
		return;
	/* It completes when the thread is back from the wait, if it was waited for. */
	uint64_t wait = t->open.n ? t->open.v[t->open.n - 1] : 0;
	const struct piece *p = wait ? tape_at(&d->graph->tape, wait - 1) : NULL;
	bool waited = p && (p->kind == PIECE_DELAY || p->kind == PIECE_WAIT) && p->end > e->time &&
		      p->end <= end;

	if (waited)
		t->operation = waiting_for(&call);
	if (waited && p->kind == PIECE_DELAY) {
		t->lone = wait;
		graph_attach(d->graph, wait, submission_at(t, e->time));
	}
	if (direction == NO_DIRECTION)
		return;
	derived_cut(d, thread, end);
	uint16_t state = derived_call_state(d, thread, &call);
	if (direction == DIRECTION_GET)
		derived_get(d, thread, end, state, &call);
	else
		derived_put(d, thread, end, state, &call);
}
