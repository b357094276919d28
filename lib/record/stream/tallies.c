/* SPDX-License-Identifier: MIT */
#include "record/stream/tallies.h"

#include <stdlib.h>

#include "record/callshape.h"
#include "util/vec.h"

/* Those of one thread. */
struct kinds {
	struct counted_kind {
		struct record_kind kind;
		bool wanted;
		struct event first;
		struct record_tally *stored; /* of these calls; NULL: none */
	} * v;
	size_t n, cap;
};

void tallies_add(struct tallies *a, const struct record_kind *kind, const struct event *first)
{
	struct kinds *k = map_pointer(&a->threads, kind->tid);
	struct counted_kind new = { .kind = *kind, .wanted = first };

	if (first)
		new.first = *first;
	if (!k)
		*map_at(&a->threads, kind->tid) = (uintptr_t)(k = xcalloc(1, sizeof(*k)));
	vec_push(k, new);
}

/* Calls of a kind that remain to be stored. */
struct rest {
	struct sink *sink;
	struct event event;
	uint64_t *size;	 /* in the event; NULL: the calls have none */
	uint64_t longer; /* so many have a size that is larger by one than that in the event */
	int64_t end;	 /* ns */
	struct record_tally tally;
};

static void store_some(struct rest *r, uint64_t n, uint64_t ns)
{
	struct event e = r->event;

	if (!n)
		return;
	e.call.more = n - 1;
	e.call.flags |= n > 1 ? CALL_SEVERAL : 0;
	e.call.duration = (int64_t)ns;
	e.time = r->end - e.call.duration;
	sink_store_counted(r->sink, &e);
}

/* Stores n calls of that duration. */
static void store(struct rest *r, uint64_t n, uint64_t ns)
{
	uint64_t longer = n < r->longer ? n : r->longer;

	store_some(r, n - longer, ns);
	r->longer -= longer;
	if (longer) {
		++*r->size;
		store_some(r, longer, ns);
		--*r->size;
	}
}

/* The shortest and the longest call are events of their own, so that extremes are exact. */
static void store_extreme(struct rest *r, uint64_t ns)
{
	unsigned i = record_time(ns);

	r->tally.times[i].calls--;
	r->tally.times[i].ns -= ns;
	store(r, 1, ns);
}

/* Where the size of a call stands in its event; NULL: it has none. */
static uint64_t *size_of(struct event *e)
{
	const struct record_shape *shape = callshape_get(e->call.id);

	if (shape->size == RECORD_NO_ARG || (shape->size == RECORD_RESULT && event_failed(e)))
		return NULL;
	return shape->size == RECORD_RESULT ? (uint64_t *)&e->call.result
					    : &e->call.args[shape->size];
}

/* whole: no call of the kind was stored before. */
static void store_tally(struct rest *r, uint64_t calls, bool whole)
{
	r->event.call.object = r->event.call.cpu = 0; /* those of the first */
	r->size = size_of(&r->event);
	if (r->size) {
		*r->size = r->tally.size / calls;
		r->longer = r->tally.size % calls;
	}
	if (whole)
		store_extreme(r, r->tally.least);
	if (whole && calls > 1)
		store_extreme(r, r->tally.most);
	for (unsigned i = 0; i < RECORD_TIMES; i++) {
		uint64_t n = r->tally.times[i].calls, ns = r->tally.times[i].ns;

		if (n) {
			store(r, n - ns % n, ns / n);
			store(r, ns % n, ns / n + 1);
		}
	}
}

/* Takes those away that were stored before.  Returns how many are left. */
static uint64_t subtract(struct record_tally *t, const struct record_tally *stored)
{
	uint64_t calls = 0;

	t->size -= stored ? stored->size : 0;
	for (unsigned i = 0; i < RECORD_TIMES; i++) {
		t->times[i].calls -= stored ? stored->times[i].calls : 0;
		t->times[i].ns -= stored ? stored->times[i].ns : 0;
		calls += t->times[i].calls;
	}
	return calls;
}

static uint64_t store_kind(struct tallies *a, struct counted_kind *k, int64_t time, bool keep)
{
	struct rest r = { .sink = a->sink, .event = k->first, .end = time };
	struct record_tally now;

	if (!a->take(a->arg, &k->kind, &now, keep))
		return 0;
	r.tally = now;
	uint64_t calls = subtract(&r.tally, k->stored);
	if (calls && k->wanted)
		store_tally(&r, calls, !k->stored && !keep);
	if (keep && !k->stored)
		k->stored = xmalloc(sizeof(*k->stored));
	if (keep)
		*k->stored = now;
	return calls;
}

static uint64_t store_kinds(struct tallies *a, struct kinds *k, int64_t time, bool keep)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < k->n; i++)
		calls += store_kind(a, &k->v[i], time, keep);
	return calls;
}

static void free_kinds(struct kinds *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->v[i].stored);
	vec_free(k);
	free(k);
}

uint64_t tallies_store(struct tallies *a, uint32_t tid, int64_t time)
{
	struct kinds *k = map_pointer(&a->threads, tid);
	uint64_t calls = k ? store_kinds(a, k, time, false) : 0;

	if (k) {
		map_remove(&a->threads, tid);
		free_kinds(k);
	}
	return calls;
}

uint64_t tallies_store_so_far(struct tallies *a, int64_t time)
{
	uint64_t calls = 0;
	struct kinds *k;

	for (size_t at = 0; (k = map_next_pointer(&a->threads, &at));)
		calls += store_kinds(a, k, time, true);
	return calls;
}

uint64_t tallies_store_all(struct tallies *a, int64_t time)
{
	uint64_t calls = 0, tid, k;

	for (size_t at = 0; map_next(&a->threads, &at, &tid, &k);)
		calls += tallies_store(a, (uint32_t)tid, time);
	return calls;
}

void tallies_free(struct tallies *a)
{
	struct kinds *k;

	for (size_t at = 0; (k = map_next_pointer(&a->threads, &at));)
		free_kinds(k);
	map_free(&a->threads);
}
