/* SPDX-License-Identifier: MIT */
/* rings: records of several CPUs in order of time, from memory laid out as the kernel does. */
#include "../tap.h"

#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/stream/rings.h"
#include "record/sink.h"
#include "util/monotonic.h"

enum { BYTES = 1 << 16, RINGS = 3 };

/* The kernel's side. */
static struct {
	int fd;
	char *memory;
	size_t page, at;
} cpus[RINGS];

static uint64_t *positions(int cpu, int of_producer)
{
	return (uint64_t *)(cpus[cpu].memory + (size_t)of_producer * cpus[cpu].page);
}

static void make(int cpu)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 2 * page + 2 * BYTES;

	cpus[cpu].page = page;
	cpus[cpu].fd = memfd_create("ring", MFD_CLOEXEC);
	if (ftruncate(cpus[cpu].fd, (off_t)size))
		skip_all("no memory file");
	cpus[cpu].memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, cpus[cpu].fd, 0);
}

/* Writes a record of `size` bytes; bits: busy, discarded. */
static void put(int cpu, uint64_t time, uint32_t size, uint32_t bits)
{
	struct record r = { .time = time, .cpu = (unsigned short)cpu };
	char *data = cpus[cpu].memory + 2 * cpus[cpu].page;

	/* The data is mapped twice in a row: here both copies are written. */
	for (size_t copy = 0; copy < 2; copy++)
		for (size_t i = 0; i < 8 + sizeof(r); i++) {
			uint32_t head[2] = { size | bits, 0 };
			char byte = i < 8 ? ((char *)head)[i] : ((char *)&r)[i - 8];

			data[copy * BYTES + (cpus[cpu].at + i) % BYTES] = byte;
		}
	cpus[cpu].at += (8 + size + 7) / 8 * 8;
	*positions(cpu, 1) = cpus[cpu].at;
}

static uint64_t take(struct rings *r)
{
	const struct record *head = rings_next(r);
	uint64_t time = head ? head->time : 0;

	if (head)
		rings_done(r);
	return time;
}

static struct event lost;

static void keep_loss(void *arg, const struct event *e)
{
	(void)arg;
	if (e->type == EVENT_LOST)
		lost = *e;
}

/* What a full ring lost is said with the time in which it did. */
static void test_losses(void)
{
	struct sink s;

	sink_begin(&s, NULL, keep_loss, NULL);
	sink_store_lost(&s, 5, 10, 20);
	ok(lost.lost.count == 5 && lost.time == 10 && lost.lost.until == 20 &&
	       lost.lost.class == LOST_RING_FULL && s.losses[LOST_RING_FULL] == 5,
	   "a loss has a number, a beginning, an end and a class");
	sink_end(&s);
}

int main(void)
{
	struct rings r;
	int fds[RINGS];
	uint64_t now, last = 0;

	for (int i = 0; i < RINGS; i++) {
		make(i);
		fds[i] = cpus[i].fd;
	}
	cmp_int(rings_open(&r, &bpf_ring, fds, RINGS, BYTES), 0, "rings are mapped");
	rings_look(&r, true);
	ok(!rings_next(&r), "empty ones have no record");
	put(0, 10, 40, 0);
	put(0, 30, 64, 0);
	put(1, 20, 40, 0);
	put(2, 5, 40, BPF_RINGBUF_DISCARD_BIT);
	put(2, 40, 33, 0);
	ok(!rings_next(&r), "what came after the look is not seen");
	rings_look(&r, true);
	for (uint64_t want = 10; want <= 40; want += 10)
		cmp_int(take(&r), want, "in order of time, without the discarded one");
	ok(!rings_next(&r), "no more");

	/* A ring that was empty may get an earlier record than those of the others. */
	put(0, 50, 40, 0);
	put(0, 70, 40, 0);
	rings_look(&r, true);
	cmp_int(take(&r), 50, "the first of one ring");
	put(1, 60, 40, 0);
	rings_look(&r, true);
	cmp_int(take(&r), 60, "then the other");
	cmp_int(take(&r), 70, "then the first again");

	put(0, 80, 40, BPF_RINGBUF_BUSY_BIT);
	put(0, 90, 40, 0);
	rings_look(&r, true);
	ok(!rings_next(&r), "a record that is being written stops its ring");
	cpus[0].at -= 2 * 48;
	put(0, 80, 40, 0);
	put(0, 90, 40, 0);
	rings_look(&r, true);
	cmp_int(take(&r), 80, "until it is written");
	cmp_int(take(&r), 90, "then come the others");

	/* ... and the others, which may have later records of a thread that has some behind it. */
	put(0, 100, 40, 0);
	put(0, 110, 40, BPF_RINGBUF_BUSY_BIT);
	put(0, 120, 40, 0);
	put(1, 95, 40, 0);
	put(1, 130, 40, 0);
	rings_look(&r, false);
	rings_look(&r, false);
	cmp_int(take(&r), 95, "before it");
	cmp_int(take(&r), 100, "still before it");
	ok(!rings_next(&r), "a later one waits");
	rings_look(&r, true);
	cmp_int(take(&r), 130, "not at the end");
	cpus[0].at -= 2 * 48;
	put(0, 110, 40, 0);
	put(0, 120, 40, 0);
	rings_look(&r, true);
	cmp_int(take(&r), 110, "it is written");
	cmp_int(take(&r), 120, "and the one behind it");
	put(2, 131, 40, BPF_RINGBUF_BUSY_BIT);
	size_t busy = cpus[2].at;
	while (cpus[1].at - *positions(1, 0) < BYTES * 5 / 8)
		put(1, 140, 40, 0);
	rings_look(&r, false);
	rings_look(&r, false);
	cmp_int(take(&r), 140, "nor when a ring is half full");
	while (take(&r))
		;
	cpus[2].at = busy - 48;
	put(2, 131, 40, 0);
	rings_look(&r, true);
	cmp_int(take(&r), 131, "it is written");

	/* Records younger than the last look but one wait: another CPU may be writing an earlier
	 * one.
	 */
	rings_look(&r, false);
	now = (uint64_t)monotonic_ns();
	put(0, now, 40, 0);
	rings_look(&r, false);
	ok(!rings_next(&r), "a record of this moment waits");
	rings_look(&r, false);
	cmp_int(take(&r), now, "until the next look");

	/* Five times around, with lengths that do not divide the ring. */
	size_t n = 0;
	bool ordered = true;
	for (uint64_t time = now + 1; cpus[0].at < 5 * BYTES; time += 2) {
		put(0, time, 40 + (uint32_t)(time % 50), 0);
		put(1, time + 1, 96, 0);
		if (rings_fill(&r) < 0.5)
			continue;
		rings_look(&r, true);
		for (uint64_t t; (t = take(&r)); n++) {
			ordered &= t > last;
			last = t;
		}
	}
	ok(n > 5000 && ordered, "around the ring: %zu records in order", n);
	rings_look(&r, true);
	while (take(&r))
		;
	rings_look(&r, true);
	cmp_int(*positions(0, 0), cpus[0].at, "the kernel learns what was read");
	rings_close(&r);
	test_losses();
	return done_testing();
}
