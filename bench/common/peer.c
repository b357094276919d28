/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <err.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "remote.h"
#include "work.h"

enum { POLLS = 1 << 12 }; /* before the CPU is yielded */

/* In memory of both processes; NULL without a peer. */
static struct calls {
	void (*turn)(size_t i);
	size_t turns;
	_Atomic unsigned asked, done; /* numbers of jobs */
} * calls;

static pid_t peer;

static void await(const _Atomic unsigned *jobs, unsigned number)
{
	for (unsigned polls = 1; atomic_load_explicit(jobs, memory_order_acquire) != number;
	     polls++) {
		bench_relax();
		if (polls % POLLS)
			continue;
		if (peer && waitpid(peer, NULL, WNOHANG) == peer)
			errx(1, "the peer ended early");
		sched_yield();
	}
}

static void do_here(void (*turn)(size_t i), size_t turns)
{
	for (size_t i = 0; i < turns; i++)
		turn(i);
}

void peer_start(void)
{
	if (!bench_is_apart())
		return;
	calls =
	    mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (calls == MAP_FAILED)
		err(1, "mmap");
	peer = bench_fork();
	for (unsigned job = 1; !peer; job++) {
		await(&calls->asked, job);
		do_here(calls->turn, calls->turns);
		atomic_store_explicit(&calls->done, job, memory_order_release);
	}
}

void peer_do(void (*turn)(size_t i), size_t turns)
{
	if (!calls) {
		do_here(turn, turns);
		return;
	}
	calls->turn = turn;
	calls->turns = turns;
	await(&calls->done, atomic_fetch_add_explicit(&calls->asked, 1, memory_order_release) + 1);
}

static struct channel_end control; /* of a peer that obeys orders (work.h) */

const char *peer_reason(enum channel_kind kind, uint64_t size)
{
	return bench_peer() ? remote_reason(kind, size) : channel_reason(kind, size);
}

void peer_open(enum channel_kind kind, size_t size, struct channel_end *ends, size_t n)
{
	control = remote_open(kind, size, ends, n);
}

struct channel_end peer_connect(enum channel_kind kind, size_t size)
{
	struct channel data, orders;
	struct worker w;

	if (bench_peer()) {
		peer_open(kind, size, &data.a, 1);
		return data.a;
	}
	channel_open(&data, kind);
	channel_open(&orders, CHANNEL_PIPE);
	if (!bench_fork()) {
		channel_close_end(&data.a);
		channel_close_end(&orders.a);
		worker_init(&w, size);
		w.channels[0] = data.b;
		w.count = 1;
		worker_serve(&w, &orders.b);
	}
	channel_close_end(&data.b);
	channel_close_end(&orders.b);
	control = orders.a;
	return data.a;
}

void peer_order(enum work work, uint64_t amount)
{
	work_order(&control, work, amount);
}

uint64_t peer_done(void)
{
	return work_done(&control);
}

void peer_have_done(enum work work, void (*turn)(size_t i), uint64_t n)
{
	if (!bench_peer()) {
		peer_do(turn, n);
		return;
	}
	peer_order(work, n);
	if (peer_done() != n)
		errx(1, "the peer did another number of turns");
}
