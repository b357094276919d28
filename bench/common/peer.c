/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <endian.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "memory.h"
#include "peer/client.h"

/* -- called through memory --------------------------------------------------------------------- */

enum { POLLS = 1 << 12 }; /* before the CPU is yielded */

/* In memory of both processes; NULL without a peer. */
static struct calls {
	void (*turn)(size_t i);
	size_t turns;
	_Atomic unsigned asked, done; /* numbers of jobs */
} * calls;

static pid_t helper;

static void await(const _Atomic unsigned *jobs, unsigned number)
{
	for (unsigned polls = 1; atomic_load_explicit(jobs, memory_order_acquire) != number;
	     polls++) {
		bench_relax();
		if (polls % POLLS)
			continue;
		if (helper && waitpid(helper, NULL, WNOHANG) == helper)
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
	calls = memory_shared(sizeof(*calls));
	helper = bench_fork();
	for (unsigned job = 1; !helper; job++) {
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

/* -- on another machine ------------------------------------------------------------------------ */

static struct channel_end orders; /* of a peer that obeys orders (work.h) */
static struct address listener;

/* As in lib/measure/watchdog.c, the program waits in a system call of run(). */
static void on_news(int number)
{
	char byte;

	(void)number;
	if (recv(orders.in, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		errx(1, "the peer has ended");
}

/* No datagram tells that the other end is closed: the channel of orders does, by a signal. */
static void watch_orders(void)
{
	struct sigaction action = { .sa_handler = on_news, .sa_flags = SA_RESTART };

	sigaction(SIGIO, &action, NULL);
	if (fcntl(orders.in, F_SETOWN, getpid()) || fcntl(orders.in, F_SETFL, O_ASYNC))
		err(1, "watching the peer");
}

void peer_open(enum channel_kind kind, size_t size, struct channel_end *ends, size_t n)
{
	struct handshake h = { .request = { .kind = htobe64((uint64_t)kind),
					    .size = htobe64(size),
					    .channels = htobe64(n) } };
	struct answer a;
	struct error e;

	if (handshake_init(&e) || address_parse(&listener, bench_peer(), &e))
		errx(1, "--peer: %s", e.text);
	int fd = client_greet(&listener, &h, &a, &e);
	if (fd < 0)
		errx(1, "%s", e.text);
	orders = (struct channel_end){ fd, fd };
	address_set_port(&listener, (uint16_t)be64toh(a.port));
	for (size_t i = 0; i < n; i++) {
		fd = client_connect(&listener, kind, &orders, &h);
		ends[i] = (struct channel_end){ fd, fd };
	}
	if (work_done(&orders) != n)
		errx(1, "the peer opened another number of channels");
	if (kind == CHANNEL_UDP)
		watch_orders();
}

const struct address *peer_listener(void)
{
	return &listener;
}

/* -- by orders, here or there ------------------------------------------------------------------ */

const char *peer_reason(enum channel_kind kind, uint64_t size)
{
	return bench_peer() ? client_reason(kind, size) : channel_reason(kind, size);
}

struct channel_end peer_connect(enum channel_kind kind, size_t size)
{
	struct channel data, both;
	struct worker w;

	if (bench_peer()) {
		peer_open(kind, size, &data.a, 1);
		return data.a;
	}
	channel_open(&data, kind);
	channel_open(&both, CHANNEL_PIPE);
	if (!bench_fork()) {
		channel_close_end(&data.a);
		channel_close_end(&both.a);
		worker_init(&w, size);
		w.channels[0] = data.b;
		w.count = 1;
		worker_serve(&w, &both.b);
	}
	channel_close_end(&data.b);
	channel_close_end(&both.b);
	orders = both.a;
	return data.a;
}

void peer_order(enum work work, uint64_t amount)
{
	work_order(&orders, work, amount);
}

uint64_t peer_done(void)
{
	return work_done(&orders);
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
