/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <endian.h>
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/address.h"
#include "work.h"

bool session_is_possible(const struct request *r)
{
	uint64_t kind = be64toh(r->kind), size = be64toh(r->size);

	return (kind == CHANNEL_TCP || (kind == CHANNEL_UDP && size <= CHANNEL_DATAGRAM)) &&
	       size >= 1 && size <= WORK_SIZE && be64toh(r->channels) <= WORK_CHANNELS;
}

static void answer(int fd, const struct handshake *h, enum answer_status status, uint16_t port)
{
	struct answer a = { .status = htobe64((uint64_t)status), .port = htobe64(port) };
	struct utsname u;

	if (status == ANSWER_READY && !uname(&u))
		snprintf(a.system, sizeof(a.system), "%.40s %.20s %.40s %.20s", u.nodename,
			 u.sysname, u.release, u.machine);
	handshake_answer(h, &a);
	send(fd, &a, sizeof(a), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void session_refuse(int fd, const struct handshake *h, enum answer_status status)
{
	answer(fd, h, status, 0);
}

/* A new socket at any port of the host address *at, which becomes its address. */
static int bind_there(struct address *at, int type)
{
	int fd = socket(at->at.ss_family, type, 0);

	address_set_port(at, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at->at, at->length) ||
	    (type == SOCK_STREAM && listen(fd, SOMAXCONN)) ||
	    getsockname(fd, (struct sockaddr *)&at->at, &at->length))
		err(1, "a socket for the benchmark");
	return fd;
}

/* The next connection that begins with the token; all others are closed. */
static int accept_channel(const struct worker *w, const uint8_t token[HMAC_SIZE])
{
	const struct timeval soon = { .tv_sec = 1 }, never = { 0 };

	for (;;) {
		uint8_t begins[HMAC_SIZE];
		int fd = work_accept(w);

		if (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)) &&
		    recv(fd, begins, sizeof(begins), MSG_WAITALL) == sizeof(begins) &&
		    hmac_equal(begins, token) &&
		    !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never)) &&
		    channel_prepare(fd, CHANNEL_TCP))
			return fd;
		close(fd);
	}
}

static int connect_udp(const struct channel_end *control, struct address here,
		       struct address client)
{
	int fd = bind_there(&here, SOCK_DGRAM);
	uint64_t port = htobe64(address_port(&here));

	address_set_port(&client, (uint16_t)work_done(control));
	if (connect(fd, (struct sockaddr *)&client.at, client.length))
		err(1, "a socket for the benchmark");
	channel_send(control, &port, sizeof(port));
	return fd;
}

void session_serve(int fd, const struct handshake *h, uint64_t bytes)
{
	const struct channel_end control = { fd, fd };
	struct address here = { .length = sizeof(here.at) };
	uint8_t token[HMAC_SIZE];
	struct worker w;

	worker_init(&w, be64toh(h->request.size));
	w.bytes = bytes;
	w.count = be64toh(h->request.channels);
	w.client.length = sizeof(w.client.at);
	if (getsockname(fd, (struct sockaddr *)&here.at, &here.length) ||
	    getpeername(fd, (struct sockaddr *)&w.client.at, &w.client.length))
		err(1, "the benchmark's address");
	w.listener = bind_there(&here, SOCK_STREAM);
	answer(fd, h, ANSWER_READY, address_port(&here));
	handshake_token(h, token);
	for (uint64_t i = 0; i < w.count; i++) {
		int end = be64toh(h->request.kind) == CHANNEL_TCP
			      ? accept_channel(&w, token)
			      : connect_udp(&control, here, w.client);

		w.channels[i] = (struct channel_end){ end, end };
	}
	if (w.count) {
		close(w.listener);
		w.listener = -1;
	}
	uint64_t opened = htobe64(w.count);
	channel_send(&control, &opened, sizeof(opened));
	worker_serve(&w, &control);
}
