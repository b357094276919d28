/* SPDX-License-Identifier: MIT */
#include "ring.h"

#include <err.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/bench.h"
#include "util/xalloc.h"

struct pipe {
	int from, to;
};

static size_t processes, words;
static struct pipe *ring, *alone;
static int *peers;
static const volatile uint64_t *array; /* volatile: every word is read, one by one */
static uint64_t token, before;	       /* each process adds one to the token */

static struct pipe make_pipe(void)
{
	int ends[2];

	if (pipe(ends))
		err(1, "pipe");
	return (struct pipe){ ends[0], ends[1] };
}

static struct pipe *make_pipes(void)
{
	struct pipe *p = xcalloc(processes, sizeof(*p));

	for (size_t i = 0; i < processes; i++)
		p[i] = make_pipe();
	return p;
}

/* Fresh memory, written once so that every page is there. */
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

/* False at the end of the ring: the process before this one is gone. */
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

/* Process i reads pipe i and writes the next one.  It closes all others, so that the end of one
 * process is seen by all. */
static void keep_own_ends(size_t i)
{
	for (size_t k = 0; k < processes; k++) {
		if (k != i)
			close(ring[k].from);
		if (k != (i + 1) % processes)
			close(ring[k].to);
	}
}

static _Noreturn void be_peer(size_t i, enum ring_arrays arrays)
{
	keep_own_ends(i);
	if (arrays == RING_PRIVATE)
		make_array(MAP_PRIVATE);
	while (receive_token(ring[i].from)) {
		sum_array();
		send_token(ring[(i + 1) % processes].to);
	}
	_exit(0);
}

void ring_start(size_t count, size_t bytes, enum ring_arrays arrays)
{
	processes = count;
	words = bytes / sizeof(*array);
	ring = make_pipes();
	peers = xcalloc(processes, sizeof(*peers));
	make_array(arrays == RING_SHARED ? MAP_SHARED : MAP_PRIVATE);
	for (size_t i = 1; i < processes; i++) {
		peers[i] = bench_fork();
		if (peers[i] == 0)
			be_peer(i, arrays);
	}
	keep_own_ends(0);
	alone = make_pipes();
}

void ring_pass(uint64_t hops)
{
	before = token;
	for (uint64_t turns = hops / processes; turns; turns--) {
		send_token(ring[1].to);
		receive_home(ring[0].from);
		sum_array();
	}
}

void ring_pass_alone(uint64_t hops)
{
	for (size_t i = 0; hops; hops--, i = i + 1 < processes ? i + 1 : 0) {
		send_token(alone[i].to);
		receive_home(alone[i].from);
		sum_array();
	}
}

const char *ring_check(uint64_t hops)
{
	return token - before == hops ? NULL : "the token was not passed on by every process";
}
