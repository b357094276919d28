/* SPDX-License-Identifier: MIT */
#include "ring.h"

#include <err.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/bench.h"
#include "reason.h"

#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#endif
#ifdef IORING_FEAT_RW_CUR_POS /* headers of Linux 5.6 or later */

enum { SETUP = 425, ENTER, REGISTER }; /* system calls, on all machines */

enum { IDLE = 1000 }; /* ms until the poller sleeps */

/* One of the two queues, shared with the kernel. */
struct queue {
	_Atomic unsigned *head, *tail;
	unsigned mask;
};

static int ring;
static struct queue requests, answers;
static struct io_uring_sqe *request;
static struct io_uring_cqe *answer;
static _Atomic unsigned *flags;
static unsigned prepared; /* requests that are not submitted yet */
static bool polled;

static void *map(size_t size, uint64_t what)
{
	void *p =
	    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, (off_t)what);

	if (p == MAP_FAILED)
		err(1, "mmap of a ring");
	return p;
}

static void map_queues(const struct io_uring_params *p)
{
	const struct io_sqring_offsets *s = &p->sq_off;
	const struct io_cqring_offsets *c = &p->cq_off;
	char *sq = map(s->array + p->sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
	char *cq = map(c->cqes + p->cq_entries * sizeof(*answer), IORING_OFF_CQ_RING);
	unsigned *array = (unsigned *)(void *)(sq + s->array);

	requests.head = (void *)(sq + s->head);
	requests.tail = (void *)(sq + s->tail);
	requests.mask = p->sq_entries - 1;
	flags = (void *)(sq + s->flags);
	answers.head = (void *)(cq + c->head);
	answers.tail = (void *)(cq + c->tail);
	answers.mask = p->cq_entries - 1;
	answer = (void *)(cq + c->cqes);
	request = map(p->sq_entries * sizeof(*request), IORING_OFF_SQES);
	for (unsigned i = 0; i < p->sq_entries; i++)
		array[i] = i;
}

/* The CPU of the peer. */
static unsigned peer_cpu(void)
{
	cpu_set_t ours;
	unsigned cpu;

	if (sched_getaffinity(0, sizeof(ours), &ours))
		err(1, "sched_getaffinity");
	bench_place_peer();
	cpu = (unsigned)sched_getcpu();
	if (sched_setaffinity(0, sizeof(ours), &ours))
		err(1, "sched_setaffinity");
	return cpu;
}

const char *ring_open(unsigned n, bool poller)
{
	struct io_uring_params p = { 0 };

	if (poller && !bench_is_apart())
		return "the kernel's thread needs a CPU of its own";
	if (poller) {
		p.flags = IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF;
		p.sq_thread_cpu = peer_cpu();
		p.sq_thread_idle = IDLE;
	}
	polled = poller;
	ring = (int)syscall(SETUP, n, &p);
	if (ring < 0)
		return reason_errno("io_uring");
	map_queues(&p);
	return NULL;
}

const char *ring_register(struct iovec buffer)
{
	return syscall(REGISTER, ring, IORING_REGISTER_BUFFERS, &buffer, 1)
		   ? reason_errno("a registered buffer (ulimit -l)")
		   : NULL;
}

void ring_prepare(enum ring_operation operation, int fd, void *buffer, size_t size, uint64_t at)
{
	static const uint8_t opcodes[] = {
		[RING_NOP] = IORING_OP_NOP,   [RING_READ_FIXED] = IORING_OP_READ_FIXED,
		[RING_READ] = IORING_OP_READ, [RING_WRITE] = IORING_OP_WRITE,
		[RING_SEND] = IORING_OP_SEND, [RING_RECV] = IORING_OP_RECV,
	};
	unsigned tail = atomic_load_explicit(requests.tail, memory_order_relaxed);
	struct io_uring_sqe *sqe = &request[tail & requests.mask];

	*sqe = (struct io_uring_sqe){
		.opcode = opcodes[operation],
		.fd = fd,
		.off = at,
		.addr = (uint64_t)(uintptr_t)buffer,
		.len = (uint32_t)size,
	};
	atomic_store_explicit(requests.tail, tail + 1, memory_order_release);
	prepared++;
}

/* The poller takes the requests by itself unless it sleeps. */
static void enter(unsigned wait)
{
	unsigned how = polled ? IORING_ENTER_SQ_WAKEUP : wait ? IORING_ENTER_GETEVENTS : 0;
	unsigned n = prepared;

	prepared = 0;
	atomic_thread_fence(memory_order_seq_cst);
	if (polled && !(atomic_load(flags) & IORING_SQ_NEED_WAKEUP))
		return;
	if (syscall(ENTER, ring, n, wait, how, NULL, 0) != (long)n)
		err(1, "io_uring_enter of %u requests", n);
}

unsigned ring_submit(unsigned wait, size_t size)
{
	unsigned head = atomic_load_explicit(answers.head, memory_order_relaxed), good = 0;

	enter(wait);
	for (; wait; wait--, head++) {
		while (head == atomic_load_explicit(answers.tail, memory_order_acquire))
			bench_relax();
		good += answer[head & answers.mask].res == (int)size;
	}
	atomic_store_explicit(answers.head, head, memory_order_release);
	return good;
}

#else

const char *ring_open(unsigned n, bool poller)
{
	(void)n, (void)poller;
	return "built with kernel headers before Linux 5.6";
}

const char *ring_register(struct iovec buffer)
{
	(void)buffer;
	return ring_open(0, false);
}

void ring_prepare(enum ring_operation operation, int fd, void *buffer, size_t size, uint64_t at)
{
	(void)operation, (void)fd, (void)buffer, (void)size, (void)at;
}

unsigned ring_submit(unsigned wait, size_t size)
{
	(void)wait, (void)size;
	return 0;
}

#endif
