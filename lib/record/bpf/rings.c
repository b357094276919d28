/* SPDX-License-Identifier: MIT */
#include "record/bpf/rings.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/monotonic.h"
#include "util/xalloc.h"

/* The layout is in the kernel's Documentation/bpf/ringbuf.rst and libbpf's ringbuf.c: a page with
 * the consumer's position, one with the producer's, and the data mapped twice in a row. */
struct ring {
	uint64_t *consumer;
	const uint64_t *producer;
	const char *data;
	size_t mask, bytes, page;
	uint64_t position, told;   /* of the consumer; what the kernel was told of it */
	uint64_t end;		   /* of the producer, at the last look */
	const struct record *head; /* the next record, or NULL: not looked for yet */
	size_t length;		   /* that it takes in the ring */
};

enum { HEADER = 8 };

static int open_ring(struct ring *r, int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	void *producer = mmap(NULL, page + 2 * bytes, PROT_READ, MAP_SHARED, fd, (off_t)page);

	if (consumer != MAP_FAILED && producer != MAP_FAILED) {
		*r = (struct ring){ .consumer = consumer,
				    .producer = producer,
				    .data = (const char *)producer + page,
				    .mask = bytes - 1,
				    .bytes = bytes,
				    .page = page };
		r->position = r->told = r->end = *r->consumer;
		return 0;
	}
	int why = errno;
	if (consumer != MAP_FAILED)
		munmap(consumer, page);
	if (producer != MAP_FAILED)
		munmap(producer, page + 2 * bytes);
	errno = why;
	return -1;
}

int rings_open(struct rings *r, const int *fds, size_t n, size_t bytes)
{
	*r = (struct rings){ .v = xcalloc(n, sizeof(*r->v)) };
	for (; r->n < n; r->n++)
		if (open_ring(&r->v[r->n], fds[r->n], bytes)) {
			int why = errno;

			rings_close(r);
			errno = why;
			return -1;
		}
	return 0;
}

void rings_close(struct rings *r)
{
	for (size_t i = 0; i < r->n; i++) {
		munmap(r->v[i].consumer, r->v[i].page);
		munmap((void *)r->v[i].producer, r->v[i].page + 2 * r->v[i].bytes);
	}
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

/* The record at the head of r; NULL: there is none, or it is being written. */
static const struct record *look(struct ring *r)
{
	while (!r->head) {
		if (r->position == r->end)
			return NULL;
		const char *at = r->data + (r->position & r->mask);
		uint32_t length = __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
		if (length & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		r->length = ((length & ~BPF_RINGBUF_DISCARD_BIT) + HEADER + 7) & ~(size_t)7;
		if (length & BPF_RINGBUF_DISCARD_BIT)
			give_back(r);
		else
			r->head = (const struct record *)(at + HEADER);
	}
	return r->head;
}

/* Chooses the ring with the earliest record, and how long it will be that. */
static void choose(struct rings *r)
{
	uint64_t first = UINT64_MAX;

	r->current = NULL;
	r->limit = UINT64_MAX;
	for (size_t i = 0; i < r->n; i++) {
		const struct record *head = look(&r->v[i]);

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
	const struct record *head = r->current ? look(r->current) : NULL;

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
