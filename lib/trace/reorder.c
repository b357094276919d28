/* SPDX-License-Identifier: MIT */
#include "trace/reorder.h"

#include "util/vec.h"

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

static void swap(struct reorder *r, size_t a, size_t b)
{
	struct reorder_entry entry = r->v[a];

	r->v[a] = r->v[b];
	r->v[b] = entry;
}

void reorder_push(struct reorder *r, int64_t time, uint64_t sequence, size_t size, void *item)
{
	vec_push(r, (struct reorder_entry){ time, sequence, size, item });
	r->held += size;
	for (size_t i = r->n - 1; i && before(&r->v[i], &r->v[(i - 1) / 2]); i = (i - 1) / 2)
		swap(r, i, (i - 1) / 2);
}

static void sift_down(struct reorder *r)
{
	for (size_t i = 0;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < r->n && before(&r->v[child + 1], &r->v[child]))
			child++;
		if (child >= r->n || !before(&r->v[child], &r->v[i]))
			return;
		swap(r, i, child);
		i = child;
	}
}

void *reorder_pop(struct reorder *r, bool all_in)
{
	if (!r->n || (!all_in && r->held <= r->window))
		return NULL;
	struct reorder_entry first = r->v[0];
	r->v[0] = r->v[--r->n];
	sift_down(r);
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
	return !r->n || before(&(struct reorder_entry){ .time = time, .sequence = sequence }, r->v);
}

void reorder_free(struct reorder *r)
{
	vec_free(r);
	*r = (struct reorder){ 0 };
}
