/* SPDX-License-Identifier: MIT */
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/stream/rings.h"

enum { HEADER = 8 };

/* The layout is in the kernel's Documentation/bpf/ringbuf.rst and libbpf's ringbuf.c: a page with
 * the consumer's position, one with the producer's, and the data mapped twice in a row. */
static int map(struct ring *r, int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), rest = page + 2 * bytes;
	void *consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (consumer == MAP_FAILED)
		return -1;
	r->maps[0].at = consumer;
	r->maps[0].bytes = page;
	void *producer = mmap(NULL, rest, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (producer == MAP_FAILED)
		return -1;
	r->maps[1].at = producer;
	r->maps[1].bytes = rest;
	r->consumer = consumer;
	r->producer = producer;
	r->data = (const char *)producer + page;
	return 0;
}

static const struct record *read_record(struct ring *r)
{
	const char *at = r->data + (r->position & (r->bytes - 1));
	uint32_t length = __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);

	r->length = 0;
	if (length & BPF_RINGBUF_BUSY_BIT)
		return NULL;
	r->length = ((length & ~BPF_RINGBUF_DISCARD_BIT) + HEADER + 7) & ~(size_t)7;
	return length & BPF_RINGBUF_DISCARD_BIT ? NULL : (const struct record *)(at + HEADER);
}

const struct ring_layout bpf_ring = { map, read_record };
