/* SPDX-License-Identifier: MIT */
/*
 * play - carries out one rank of a workload(5) over TCP, for comparing with what ccmod predicts.
 *
 *	play WORKLOAD RANK PREFIX PORT [EAGER]
 *
 * Rank r has the address PREFIX.(r + 1).  All ranks connect to each other, wait for all, and then
 * do their operations: computations sleep, messages are bytes on the connections, collective
 * operations are the rounds of collective.h.  A send is done when the message has arrived, one of
 * at most EAGER bytes (default: any) when it is in the socket's buffer.  Prints the seconds from
 * the common start to this rank's end.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network/collective.h"
#include "util/monotonic.h"
#include "util/number.h"
#include "util/vec.h"

enum { RANKS = 64, TAG_ROUND = 1 << 30, TAG_ARRIVED, CHUNK = 1 << 18 };

struct header {
	uint64_t bytes;
	uint32_t tag;
};

/* The connection with a rank: what has to go, and what is coming. */
static struct peer {
	int fd;
	VEC(struct header) out; /* messages to send; the first from `sent` bytes on */
	size_t first, sent;
	size_t away;	  /* messages that have not arrived, but must before the rank goes on */
	struct header in; /* the message that is coming */
	size_t got;	  /* of its header and data */
	VEC(uint32_t) arrived; /* tags of messages that nobody received yet */
} peers[RANKS];
static uint32_t rank, ranks, last_source;
static uint64_t eager = UINT64_MAX;
static char buffer[CHUNK];
static VEC(uint32_t) order; /* sources of messages, as they arrived */

static void push_out(struct peer *p)
{
	while (p->first < p->out.n) {
		const struct header *h = &p->out.v[p->first];
		size_t all = sizeof(*h) + h->bytes;
		const char *from = p->sent < sizeof(*h) ? (const char *)h + p->sent : buffer;
		size_t n = p->sent < sizeof(*h) ? sizeof(*h) - p->sent : all - p->sent;
		ssize_t done =
		    send(p->fd, from, n < CHUNK ? n : CHUNK,
			 MSG_DONTWAIT | MSG_NOSIGNAL | (p->sent + n < all ? MSG_MORE : 0));

		if (done < 0 && errno == EAGAIN)
			return;
		if (done < 0)
			err(1, "send");
		p->sent += (size_t)done;
		if (p->sent == all) {
			p->sent = 0;
			p->first++;
		}
	}
	p->out.n = p->first = 0;
}

/* A message is complete. */
static void take_in(uint32_t source)
{
	struct peer *p = &peers[source];

	if (p->in.tag == TAG_ARRIVED) {
		p->away--;
		return;
	}
	vec_push(&p->arrived, p->in.tag);
	vec_push(&order, source);
	if (p->in.bytes > eager) {
		vec_push(&p->out, (struct header){ 0, TAG_ARRIVED });
		push_out(p);
	}
}

static void pull_in(uint32_t source)
{
	struct peer *p = &peers[source];

	for (;;) {
		bool head = p->got < sizeof(p->in);
		size_t left = head ? sizeof(p->in) - p->got : sizeof(p->in) + p->in.bytes - p->got;

		if (left) {
			ssize_t n = recv(p->fd, head ? (char *)&p->in + p->got : buffer,
					 left < CHUNK ? left : CHUNK, MSG_DONTWAIT);

			if (n < 0 && errno == EAGAIN)
				return;
			if (n <= 0) { /* the other one is done; poll() passes over -1 */
				close(p->fd);
				p->fd = -1;
				return;
			}
			p->got += (size_t)n;
		}
		if (p->got >= sizeof(p->in) && p->got == sizeof(p->in) + p->in.bytes) {
			take_in(source);
			p->got = 0;
		}
	}
}

/* Sends and receives what can be, waiting for something when nothing can. */
static void progress(void)
{
	struct pollfd f[RANKS];
	nfds_t n = 0;
	uint32_t who[RANKS];

	for (uint32_t r = 0; r < ranks; r++) {
		if (r == rank)
			continue;
		f[n] = (struct pollfd){ peers[r].fd, POLLIN | (peers[r].out.n ? POLLOUT : 0), 0 };
		who[n++] = r;
	}
	if (poll(f, n, 10000) == 0)
		errx(1, "rank %u: nothing happens any more", rank);
	for (nfds_t i = 0; i < n; i++) {
		if (f[i].revents & POLLIN)
			pull_in(who[i]);
		if (f[i].revents & POLLOUT)
			push_out(&peers[who[i]]);
	}
}

static void put(uint32_t to, uint64_t bytes, uint32_t tag)
{
	struct header h = { bytes, tag };

	if (to == rank) {
		vec_push(&peers[to].arrived, tag);
		vec_push(&order, to);
		return;
	}
	peers[to].away += bytes > eager;
	vec_push(&peers[to].out, h);
	push_out(&peers[to]);
}

/* Takes a message that has arrived; false when it has not. */
static bool take(uint32_t from, uint32_t tag)
{
	for (size_t i = 0; i < order.n; i++) {
		uint32_t r = order.v[i];
		struct peer *p = &peers[r];

		if (from != PEER_ANY && r != from)
			continue;
		for (size_t k = 0; k < p->arrived.n; k++)
			if (p->arrived.v[k] == tag ||
			    (tag == TAG_ANY && p->arrived.v[k] < TAG_ROUND)) {
				memmove(&p->arrived.v[k], &p->arrived.v[k + 1],
					(--p->arrived.n - k) * sizeof(uint32_t));
				memmove(&order.v[i], &order.v[i + 1],
					(--order.n - i) * sizeof(uint32_t));
				last_source = r;
				return true;
			}
	}
	return false;
}

static void get(uint32_t from, uint32_t tag)
{
	while (!take(from, tag))
		progress();
}

static void flush(void)
{
	for (uint32_t r = 0; r < ranks; r++)
		while (r != rank && (peers[r].out.n || peers[r].away))
			progress();
}

static void collective(const struct op *op)
{
	struct round round;

	for (uint32_t i = 0; collective_round(op, ranks, rank, i, &round); i++) {
		if (round.to != PEER_ANY)
			put(round.to, round.bytes, TAG_ROUND);
		if (round.from != PEER_ANY)
			get(round.from, TAG_ROUND);
		flush();
	}
}

static void play(const struct workload *w)
{
	VEC(struct op) receives = { 0 };
	struct cursor c;
	struct op op;

	cursor_start(&c, w, rank, 1);
	while (cursor_next(&c, &op)) {
		struct timespec t = { (time_t)(op.amount / 1000000000000),
				      (long)(op.amount / 1000 % 1000000000) };

		switch (op.kind) {
		case OP_COMPUTE: nanosleep(&t, NULL); break;
		case OP_SEND:
		case OP_SSEND:
		case OP_ISEND:
			put(op.peer == PEER_LAST ? last_source : op.peer, op.amount, op.tag);
			if (op.kind != OP_ISEND)
				flush();
			break;
		case OP_RECV: get(op.peer, op.tag); break;
		case OP_IRECV: vec_push(&receives, op); break;
		case OP_WAIT:
		case OP_WAITALL:
			for (size_t i = 0; i < receives.n; i++)
				get(receives.v[i].peer, receives.v[i].tag);
			receives.n = 0;
			flush();
			break;
		default: collective(&op); break;
		}
	}
	free(receives.v);
}

static struct sockaddr_in address(const char *prefix, uint32_t r, uint64_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	char text[64];

	snprintf(text, sizeof(text), "%s.%u", prefix, r + 1);
	if (inet_pton(AF_INET, text, &a.sin_addr) != 1)
		errx(2, "%s: not an address", text);
	return a;
}

/* Each accepts those of higher rank and connects to those of lower rank. */
static void connect_all(const char *prefix, uint64_t port)
{
	struct sockaddr_in own = address(prefix, rank, port);
	int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&own, sizeof(own)) || listen(listener, RANKS))
		err(1, "bind");
	for (uint32_t r = 0; r < rank; r++) {
		struct sockaddr_in a = address(prefix, r, port);

		for (int tries = 0;; tries++) {
			peers[r].fd = socket(AF_INET, SOCK_STREAM, 0);
			if (!connect(peers[r].fd, (struct sockaddr *)&a, sizeof(a)))
				break;
			close(peers[r].fd);
			if (tries == 500)
				err(1, "connect to rank %u", r);
			usleep(10000);
		}
		if (write(peers[r].fd, &rank, sizeof(rank)) != sizeof(rank))
			err(1, "write");
	}
	for (uint32_t i = rank + 1; i < ranks; i++) {
		int fd = accept(listener, NULL, NULL);
		uint32_t who;

		if (fd < 0 || recv(fd, &who, sizeof(who), MSG_WAITALL) != sizeof(who) ||
		    who >= ranks)
			err(1, "accept");
		peers[who].fd = fd;
	}
	for (uint32_t r = 0; r < ranks; r++)
		if (r != rank)
			setsockopt(peers[r].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	close(listener);
}

int main(int argc, char **argv)
{
	struct error e;
	struct workload *w;
	uint64_t r, port;

	if (argc < 5 || argc > 6 || !number_parse_u64(argv[2], &r) ||
	    !number_parse_u64(argv[4], &port) || (argc == 6 && !number_parse_u64(argv[5], &eager)))
		errx(2, "usage: play WORKLOAD RANK PREFIX PORT [EAGER]");
	w = workload_read(argv[1], &e);
	if (!w)
		errx(1, "%s", e.text);
	if (w->ranks > RANKS || r >= w->ranks)
		errx(2, "rank %s of %u, of at most %d", argv[2], w->ranks, RANKS);
	rank = (uint32_t)r;
	ranks = w->ranks;
	connect_all(argv[3], port);
	for (int i = 0; i < 2; i++)
		collective(&(struct op){ .kind = OP_BARRIER });
	double start = monotonic_seconds();
	play(w);
	printf("%u %.6f\n", rank, monotonic_seconds() - start);
	fflush(stdout);
	collective(&(struct op){ .kind = OP_BARRIER });
	return 0;
}
