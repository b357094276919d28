/* SPDX-License-Identifier: MIT */
#include "connection.h"

#include <err.h>
#include <unistd.h>

#include "peer.h"
#include "peer/sockets.h"
#include "reason.h"

static struct listener listener;

const struct bench_parameter connection_parameters[] = {
	{ "kind", BENCH_CHOICE, "tcp unix", .fallback = "tcp", .help = "kind of socket" }, { 0 }
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

const char *connection_listen_group(int listeners[], size_t n)
{
	const char *reason = descriptors_reason(n + 2 * CONNECTIONS);

	if (reason)
		return reason;
	if (listener_open_group(&listener, listeners, n))
		return NULL;
	return reason_errno("several sockets that listen on one port (SO_REUSEPORT)");
}

const char *connection_supported(void)
{
	bool is_unix = bench_choice(0);

	return bench_peer() ? peer_reason(is_unix ? CHANNEL_UNIX : CHANNEL_TCP, 1)
			    : connection_listen(is_unix ? AF_UNIX : AF_INET);
}

void connection_setup(void)
{
	if (!bench_peer()) {
		peer_start();
		return;
	}
	peer_open(CHANNEL_TCP, 1, NULL, 0);
	listener.address = peer_listener()->at;
	listener.length = peer_listener()->length;
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

int connection_accept_at(int at)
{
	int fd = accept(at, NULL, NULL);

	if (fd < 0)
		err(1, "accept");
	return fd;
}

int connection_accept(void)
{
	return connection_accept_at(listener.fd);
}

static void drop(size_t i)
{
	(void)i;
	close(connection_accept());
}

void connection_drop(uint64_t n)
{
	peer_have_done(WORK_ACCEPT, drop, n);
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
