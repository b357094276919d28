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

#include "../common/memory.h"
#include "measure/bench.h"

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
enum { PATIENCE = 5 };		  /* seconds for each step of a greeting */

static struct address listener;

/* Calls on fd wait no longer than this; 0: for ever. */
static bool set_patience(int fd, time_t seconds)
{
	const struct timeval t = { .tv_sec = seconds };

	return !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
}

/* A connection whose calls do not wait long, or -1 and errno. */
static int dial(const struct address *to)
{
	int fd = socket(to->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && set_patience(fd, PATIENCE) && channel_prepare(fd, CHANNEL_TCP) &&
	    !connect(fd, (const struct sockaddr *)&to->at, to->length))
		return fd;
	if (errno == EINPROGRESS)
		errno = ETIMEDOUT;
	if (fd >= 0)
		channel_close_end(&(struct channel_end){ fd, fd });
	return -1;
}

/* What went wrong when a message of `wanted` bytes came as `got`. */
static int describe_loss(ssize_t got, const char *nothing, struct error *e)
{
	if (got < 0 && errno == EAGAIN)
		return error_set(e, "no answer within %d s", PATIENCE);
	if (got < 0 && errno != ECONNRESET)
		return error_set(e, "%s", strerror(errno));
	return error_set(e, "%s", nothing);
}

static int converse(int fd, struct handshake *h, struct answer *a, struct error *e)
{
	static const char *const refusals[] = {
		[ANSWER_BUSY] = "it serves as many as it may (hbench peer --sessions)",
		[ANSWER_REFUSED] = "it does not do that, or not with so many bytes",
	};
	ssize_t got = recv(fd, &h->greeting, sizeof(h->greeting), MSG_WAITALL);

	if (got != sizeof(h->greeting))
		return describe_loss(got, "it does not greet: it has other guests, or is no peer",
				     e);
	if (!handshake_is_greeting(&h->greeting))
		return error_set(e, "this is no hbench peer, or one of another version");
	handshake_request(h);
	if (send(fd, &h->request, sizeof(h->request), MSG_NOSIGNAL) != sizeof(h->request))
		return error_set(e, "%s", strerror(errno));
	got = recv(fd, a, sizeof(*a), MSG_WAITALL);
	if (got != sizeof(*a))
		return describe_loss(got, "it hung up: is the secret the same at both ends?", e);
	if (!handshake_is_answer(h, a))
		return error_set(e, "it does not know the secret");
	a->system[sizeof(a->system) - 1] = '\0';
	uint64_t status = be64toh(a->status);
	if (status != ANSWER_READY)
		return error_set(e, "%s",
				 refusals[status == ANSWER_BUSY ? status : ANSWER_REFUSED]);
	return 0;
}

int peer_greet(const struct address *at, struct handshake *h, struct answer *a, struct error *e)
{
	char text[ADDRESS_TEXT];
	int fd = dial(at);
	int failed = fd < 0 ? error_set(e, "%s", strerror(errno)) : converse(fd, h, a, e);

	if (!failed && set_patience(fd, 0))
		return fd;
	if (fd >= 0)
		close(fd);
	return error_prefix(e, "peer %s", address_text(at, text));
}

static const char *reason_remotely(enum channel_kind kind, uint64_t size)
{
	if (kind != CHANNEL_TCP && kind != CHANNEL_UDP)
		return "pipes and unix sockets do not reach another machine";
	if (size > WORK_SIZE)
		return "a peer on another machine takes messages of 64 MB at most";
	return kind == CHANNEL_UDP && size > CHANNEL_DATAGRAM
		   ? "a datagram holds at most 65507 bytes"
		   : NULL;
}

static int connect_tcp(const struct handshake *h)
{
	uint8_t token[HMAC_SIZE];
	int fd = dial(&listener);

	handshake_token(h, token);
	if (fd < 0 || send(fd, token, sizeof(token), MSG_NOSIGNAL) != sizeof(token) ||
	    !set_patience(fd, 0))
		err(1, "a connection to the peer");
	return fd;
}

/* The two sides tell each other their ports over the channel of orders, as a datagram may be lost.
 */
static int connect_udp(void)
{
	struct address own = { .length = sizeof(own.at) }, there = listener;
	int fd = socket(there.at.ss_family, SOCK_DGRAM, 0);

	if (fd < 0 || getsockname(orders.in, (struct sockaddr *)&own.at, &own.length))
		err(1, "a socket for the peer");
	address_set_port(&own, 0);
	if (bind(fd, (struct sockaddr *)&own.at, own.length) ||
	    getsockname(fd, (struct sockaddr *)&own.at, &own.length))
		err(1, "a socket for the peer");
	uint64_t port = htobe64(address_port(&own));
	channel_send(&orders, &port, sizeof(port));
	address_set_port(&there, (uint16_t)work_done(&orders));
	if (connect(fd, (struct sockaddr *)&there.at, there.length))
		err(1, "a socket for the peer");
	return fd;
}

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
	int fd = peer_greet(&listener, &h, &a, &e);
	if (fd < 0)
		errx(1, "%s", e.text);
	orders = (struct channel_end){ fd, fd };
	address_set_port(&listener, (uint16_t)be64toh(a.port));
	for (size_t i = 0; i < n; i++) {
		fd = kind == CHANNEL_TCP ? connect_tcp(&h) : connect_udp();
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
	return bench_peer() ? reason_remotely(kind, size) : channel_reason(kind, size);
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
