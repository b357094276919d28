/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <err.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "util/xalloc.h"
#include "files.h"
#include "reason.h"
#include "sockets.h"

enum { POLLS = 1 << 12 }; /* before the CPU is yielded */

/* In memory of both processes; NULL without a peer. */
static struct work {
	void (*turn)(size_t i);
	size_t turns;
	_Atomic unsigned asked, done; /* numbers of jobs */
} * work;

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
	work = mmap(NULL, sizeof(*work), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (work == MAP_FAILED)
		err(1, "mmap");
	peer = bench_fork();
	for (unsigned job = 1; !peer; job++) {
		await(&work->asked, job);
		do_here(work->turn, work->turns);
		atomic_store_explicit(&work->done, job, memory_order_release);
	}
}

void peer_do(void (*turn)(size_t i), size_t turns)
{
	if (!work) {
		do_here(turn, turns);
		return;
	}
	work->turn = turn;
	work->turns = turns;
	await(&work->done, atomic_fetch_add_explicit(&work->asked, 1, memory_order_release) + 1);
}

enum { MOST = 16, MOST_BYTES = 64 << 10 };

static struct channel channels[MOST];
static uint64_t count;
static size_t message_size;
static unsigned char *message, *inbox;

void exchange_start(enum channel_kind kind, size_t size)
{
	message_size = size;
	message = xcalloc(size, 1);
	inbox = xcalloc(size, 1);
	memset(message, EXCHANGE_BYTE, size);
	count = MOST_BYTES / size;
	count = count < 1 ? 1 : count > MOST ? MOST : count;
	for (size_t i = 0; i < count; i++)
		channel_open(&channels[i], kind);
	peer_start();
}

uint64_t exchange_count(void)
{
	return count;
}

int exchange_out(size_t i)
{
	return channels[i].a.out;
}

void exchange_send(size_t i)
{
	channel_send(&channels[i].a, message, message_size);
}

void exchange_receive(size_t i)
{
	inbox[0] = inbox[message_size - 1] = 0;
	channel_receive(&channels[i].b, inbox, message_size);
	if (inbox[0] != EXCHANGE_BYTE || inbox[message_size - 1] != EXCHANGE_BYTE)
		errx(1, "the message received is not the message sent");
}

static void await_reply(size_t i)
{
	unsigned char byte;

	channel_receive(&channels[i].a, &byte, 1);
}

static void receive_and_reply(size_t i)
{
	exchange_receive(i);
	channel_send(&channels[i].b, "", 1);
}

static void await_reply_and_send(size_t i)
{
	await_reply(i);
	exchange_send(i);
}

const char *exchange_take(uint64_t n)
{
	peer_do(receive_and_reply, n);
	for (size_t i = 0; i < n; i++)
		await_reply(i);
	return NULL;
}

void exchange_ask(uint64_t n)
{
	for (size_t i = 0; i < n; i++)
		channel_send(&channels[i].b, "", 1);
	peer_do(await_reply_and_send, n);
}

const struct bench_parameter exchange_parameters[] = {
	{ "kind", BENCH_CHOICE, CHANNEL_KINDS, .help = "of channel" },
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 16k 32k 64k", 1, 16 << 20, .fallback = "1",
	  .axis = true, .help = "bytes in a message" },
	{ 0 }
};

const char *exchange_reason(enum channel_kind kind, uint64_t size)
{
	const char *reason = descriptors_reason(4 * MOST);

	return reason ? reason : channel_hold_reason(kind, size);
}

const char *exchange_supported(void)
{
	return exchange_reason(bench_choice(0), bench_number(1));
}

void exchange_setup(void)
{
	exchange_start(bench_choice(0), bench_number(1));
}

static struct listener listener;

const struct bench_parameter connection_parameters[] = {
	{ "kind", BENCH_CHOICE, "tcp unix", .fallback = "tcp", .help = "of socket" }, { 0 }
};

const char *connection_listen(int family)
{
	const char *reason = descriptors_reason(2 * CONNECTIONS);

	if (reason)
		return reason;
	if (listener_open(&listener, family))
		return NULL;
	return reason_errno("listening on a local socket");
}

const char *connection_supported(void)
{
	return connection_listen(bench_choice(0) ? AF_UNIX : AF_INET);
}

int connection_connect(void)
{
	int fd = socket(listener.address.ss_family, SOCK_STREAM, 0);

	if (fd < 0)
		err(1, "socket");
	if (connect(fd, (struct sockaddr *)&listener.address, listener.length))
		err(1, "connect");
	return fd;
}

uint64_t connection_limit(void)
{
	return CONNECTIONS;
}

int connection_accept(void)
{
	int fd = accept(listener.fd, NULL, NULL);

	if (fd < 0)
		err(1, "accept");
	return fd;
}

bool connection_ended(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 0;
}

void connection_reset(int fd)
{
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)))
		err(1, "setsockopt SO_LINGER");
	if (close(fd))
		err(1, "close");
}
