/* SPDX-License-Identifier: MIT */
#include "trace/reorder.h"

#include <string.h>

#include "util/vec.h"

enum { STEPS = 32 /* that an item is moved ahead in the line, at most */ };

struct reorder_entry {
	int64_t time;
	uint64_t sequence;
	size_t size;
	void *item;
};

static bool before(const struct reorder_entry *a, const struct reorder_entry *b)
{
	return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

/* ---- the line ---- */

/* Makes room for one more at its end. */
static void make_room(struct reorder *r)
{
	size_t n = r->end - r->first;

	if (r->end < r->room)
		return;
	if (2 * n >= r->room) {
		r->room = 2 * n + STEPS;
		r->line = xreallocarray(r->line, r->room, sizeof(*r->line));
	}
	memmove(r->line, r->line + r->first, n * sizeof(*r->line));
	r->first = 0;
	r->end = n;
}

/* False if e belongs too far ahead of the end. */
static bool join_line(struct reorder *r, const struct reorder_entry *e)
{
	make_room(r);
	size_t at = r->end;
	while (at > r->first && before(e, &r->line[at - 1])) {
		if (r->end - at == STEPS)
			return false;
		at--;
	}
	memmove(r->line + at + 1, r->line + at, (r->end - at) * sizeof(*e));
	r->line[at] = *e;
	r->end++;
	return true;
}

/* ---- the heap ---- */

static void swap(struct reorder *r, size_t a, size_t b)
{
	struct reorder_entry entry = r->heap.v[a];

	r->heap.v[a] = r->heap.v[b];
	r->heap.v[b] = entry;
}

static void join_heap(struct reorder *r, const struct reorder_entry *e)
{
	const struct reorder_entry *v;

	vec_push(&r->heap, *e);
	v = r->heap.v;
	for (size_t i = r->heap.n - 1; i && before(&v[i], &v[(i - 1) / 2]); i = (i - 1) / 2)
		swap(r, i, (i - 1) / 2);
}

static void leave_heap(struct reorder *r)
{
	r->heap.v[0] = r->heap.v[--r->heap.n];
	for (size_t i = 0;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < r->heap.n && before(&r->heap.v[child + 1], &r->heap.v[child]))
			child++;
		if (child >= r->heap.n || !before(&r->heap.v[child], &r->heap.v[i]))
			return;
		swap(r, i, child);
		i = child;
	}
}

/* ---- both ---- */

/* True if the earliest item is in the heap. */
static bool heap_is_first(const struct reorder *r)
{
	return r->heap.n && (r->first == r->end || before(r->heap.v, &r->line[r->first]));
}

void reorder_push(struct reorder *r, int64_t time, uint64_t sequence, size_t size, void *item)
{
	const struct reorder_entry e = { time, sequence, size, item };

	if (!join_line(r, &e))
		join_heap(r, &e);
	r->held += size;
	r->n++;
}

void *reorder_pop(struct reorder *r, bool all_in)
{
	if (!r->n || (!all_in && r->held <= r->window))
		return NULL;
	bool heap = heap_is_first(r);
	struct reorder_entry first = heap ? r->heap.v[0] : r->line[r->first++];
	if (heap)
		leave_heap(r);
	r->n--;
	r->held -= first.size;
	if (r->begun && first.time < r->last)
		r->late++;
	else
		r->last = first.time;
	r->begun = true;
	return first.item;
}

bool reorder_is_after(const struct reorder *r, int64_t time, uint64_t sequence)
{
	const struct reorder_entry e = { .time = time, .sequence = sequence };

	return !r->n || before(&e, heap_is_first(r) ? r->heap.v : &r->line[r->first]);
}

void reorder_free(struct reorder *r)
{
	vec_free(&r->heap);
	free(r->line);
	*r = (struct reorder){ 0 };
}
