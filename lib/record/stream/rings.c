/* SPDX-License-Identifier: MIT */
#include "record/stream/rings.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "util/monotonic.h"
#include "util/xalloc.h"

enum {
	/* 16 MB hold some 200,000 calls by bpf: what a CPU that makes nothing but short calls does
	 * in a tenth of a second, in which the reader may not run.  The memory cannot be swapped
	 * out, so that with many CPUs each gets less. */
	ALL_BYTES = 32 << 20,
	LEAST = 1 << 20,
	MOST = 16 << 20,
};

size_t rings_size(size_t n)
{
	size_t bytes = LEAST;

	while (2 * bytes * n <= ALL_BYTES && 2 * bytes <= MOST)
		bytes *= 2;
	return bytes;
}

int rings_open(struct rings *r, const struct ring_layout *layout, const int *fds, size_t n,
	       size_t bytes)
{
	*r = (struct rings){ .layout = layout, .v = xcalloc(n, sizeof(*r->v)), .n = n };
	for (size_t i = 0; i < n; i++) {
		struct ring *x = &r->v[i];

		x->bytes = bytes;
		if (layout->map(x, fds[i], bytes)) {
			int why = errno;

			rings_close(r);
			errno = why;
			return -1;
		}
		x->position = x->told = x->end = *x->consumer;
	}
	return 0;
}

void rings_close(struct rings *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < 2; k++)
			if (r->v[i].maps[k].at)
				munmap(r->v[i].maps[k].at, r->v[i].maps[k].bytes);
	free(r->v);
	*r = (struct rings){ 0 };
}

/* Each access to what the kernel writes or reads for every record takes a cache line from the CPU
 * that is recorded, so that both positions are exchanged seldom. */
static void tell(struct ring *r)
{
	r->told = r->position;
	__atomic_store_n(r->consumer, r->position, __ATOMIC_RELEASE);
}

void rings_look(struct rings *r, bool all)
{
	for (size_t i = 0; i < r->n; i++) {
		struct ring *x = &r->v[i];

		if (x->told != x->position)
			tell(x);
		x->end = __atomic_load_n(x->producer, __ATOMIC_ACQUIRE);
	}

	r->current = NULL; /* rings that were empty may have earlier records now */
	r->patient = !all && rings_fill(r) < 0.5;
	r->horizon = all ? UINT64_MAX : r->next_horizon;
	r->next_horizon = (uint64_t)monotonic_ns();
}

static void give_back(struct ring *r)
{
	r->position += r->length;
	r->head = NULL;
	if (r->position - r->told >= r->bytes / 16)
		tell(r);
}

/* The record at the head of x; NULL: there is none, or it is being written. */
static const struct record *look(struct rings *r, struct ring *x)
{
	while (!x->head && x->position != x->end) {
		x->head = r->layout->read(x);
		if (!x->head && !x->length) {
			if (r->patient && x->last < r->horizon)
				r->horizon = x->last;
			return NULL;
		}
		if (!x->head)
			give_back(x);
		else if (x->head->time > x->last)
			x->last = x->head->time;
	}
	return x->head;
}

/* Chooses the ring with the earliest record, and how long it will be that. */
static void choose(struct rings *r)
{
	uint64_t first = UINT64_MAX;

	r->current = NULL;
	r->limit = UINT64_MAX;
	for (size_t i = 0; i < r->n; i++) {
		const struct record *head = look(r, &r->v[i]);

		if (!head)
			continue;
		if (head->time < first) {
			r->limit = first;
			first = head->time;
			r->current = &r->v[i];
		} else if (head->time < r->limit) {
			r->limit = head->time;
		}
	}
}

const struct record *rings_next(struct rings *r)
{
	const struct record *head = r->current ? look(r, r->current) : NULL;

	if (!head || head->time > r->limit) {
		choose(r);
		head = r->current ? r->current->head : NULL;
	}
	return head && head->time < r->horizon ? head : NULL;
}

void rings_done(struct rings *r)
{
	give_back(r->current);
}

double rings_fill(const struct rings *r)
{
	double most = 0;

	for (size_t i = 0; i < r->n; i++) {
		uint64_t used =
		    __atomic_load_n(r->v[i].producer, __ATOMIC_ACQUIRE) - r->v[i].position;
		double fill = (double)used / (double)r->v[i].bytes;

		most = fill > most ? fill : most;
	}
	return most;
}
