/* SPDX-License-Identifier: MIT */
/*
 * lat_ctx - a context switch between processes in a ring of pipes: each reads SIZE bytes of memory
 * when it has the token, and passes the token on.
 *
 * shared: all read the same memory, which stays in the cache: the switch alone.
 * private: each reads its own memory, and together they overflow the caches as applications do: the
 * switch and the cache misses that follow.  The pipe calls and the reading, measured in one process
 * over warm memory, are subtracted.
 *
 * All processes share a CPU.  With -P other every second one is on the other CPU, so that the token
 * changes CPUs at every hop and each hop wakes a sleeping process there.
 */
#include <err.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory.h"
#include "measure/bench.h"
#include "peer/sockets.h"
#include "util/xalloc.h"

enum { SHARED, PRIVATE };

struct pipe {
	int from, to;
};

static size_t processes, words;	       /* in the ring; in the array that each process reads */
static struct pipe *ring, *alone;      /* pipe i leads to process i; the pipes of overhead() */
static const volatile uint64_t *array; /* volatile: every word is read, one by one */
static uint64_t token, before;	       /* each process adds one to the token */

static const struct bench_parameter parameters[] = {
	{ "memory", BENCH_CHOICE, "shared private",
	  .help = "shared: all processes read the same memory; private: each its own" },
	{ "size", BENCH_SIZE, "0 4k 16k 32k 64k", 0, 64 << 20,
	  .help = "bytes that each process reads in its turn" },
	{ "processes", BENCH_COUNT, "2 4 8 16", 2, 256, .help = "processes in the ring" },
	{ 0 }
};

static struct pipe *make_pipes(void)
{
	struct pipe *p = xcalloc(processes, sizeof(*p));
	int ends[2];

	for (size_t i = 0; i < processes; i++) {
		if (pipe(ends))
			err(1, "pipe");
		p[i] = (struct pipe){ ends[0], ends[1] };
	}
	return p;
}

/* Fresh memory, written once so that every page is allocated. */
static void make_array(int flag)
{
	size_t bytes = words * sizeof(*array);

	if (!bytes)
		return;
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flag | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "mmap of %zu bytes", bytes);
	memset(memory, 1, bytes);
	array = memory;
}

static void send_token(int fd)
{
	if (write(fd, &token, sizeof(token)) != (ssize_t)sizeof(token))
		err(1, "write to the ring");
}

/* False when the previous process has ended. */
static bool receive_token(int fd)
{
	ssize_t got = read(fd, &token, sizeof(token));

	if (got < 0)
		err(1, "read from the ring");
	token++;
	return got == (ssize_t)sizeof(token);
}

static void receive_home(int fd)
{
	if (!receive_token(fd))
		errx(1, "a process of the ring ended early");
}

static void sum_array(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < words; i++)
		sum += array[i];
	bench_keep(sum);
}

/* Process i reads pipe i and writes the next one.  It closes all others, so that all processes end
 * when one does. */
static void keep_own_ends(size_t i)
{
	for (size_t k = 0; k < processes; k++) {
		if (k != i)
			close(ring[k].from);
		if (k != (i + 1) % processes)
			close(ring[k].to);
	}
}

static _Noreturn void be_peer(size_t i)
{
	keep_own_ends(i);
	if (bench_choice(0) == PRIVATE)
		make_array(MAP_PRIVATE);
	while (receive_token(ring[i].from)) {
		sum_array();
		send_token(ring[(i + 1) % processes].to);
	}
	_exit(0);
}

static const char *supported(void)
{
	uint64_t arrays = bench_choice(0) == PRIVATE ? bench_number(2) : 1;
	const char *reason = memory_reason(arrays * bench_number(1) / MEMORY_LINE * MEMORY_LINE);

	if (!reason && bench_is_apart() && bench_number(2) % 2)
		reason = "on two CPUs, the number of processes must be even";
	return reason ? reason : descriptors_reason(4 * bench_number(2));
}

static void setup(void)
{
	cpu_set_t here;

	processes = bench_number(2);
	words = bench_number(1) / sizeof(*array);
	ring = make_pipes();
	make_array(bench_choice(0) == SHARED ? MAP_SHARED : MAP_PRIVATE);
	sched_getaffinity(0, sizeof(here), &here);
	for (size_t i = 1; i < processes; i++)
		if (bench_fork() == 0) {
			if (i % 2 == 0)
				sched_setaffinity(0, sizeof(here), &here);
			be_peer(i);
		}
	keep_own_ends(0);
	alone = make_pipes();
}

static void run(uint64_t hops)
{
	before = token;
	for (uint64_t turns = hops / processes; turns; turns--) {
		send_token(ring[1].to);
		receive_home(ring[0].from);
		sum_array();
	}
}

/* The same pipe calls and reading in this process alone. */
static void overhead(uint64_t hops)
{
	for (size_t i = 0; hops; hops--, i = i + 1 < processes ? i + 1 : 0) {
		send_token(alone[i].to);
		receive_home(alone[i].from);
		sum_array();
	}
}

static const char *check(uint64_t hops)
{
	return token - before == hops ? NULL : "the token was not passed on by every process";
}

static uint64_t multiple(void)
{
	return bench_number(2);
}

const struct bench bench = {
	.summary = "Context switch of processes, without or with the cache misses that follow.",
	.operation = "one switch to the next process of a ring of pipes",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.run = run,
	.overhead = overhead,
	.check = check,
	.multiple = multiple,
};
