/* SPDX-License-Identifier: MIT */
#include "connection.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "listener.h"

static struct listener listener;

const struct bench_parameter connection_parameters[] = {
	{ "kind", BENCH_CHOICE, "tcp unix", .fallback = "tcp", .help = "of socket" }, { 0 }
};

static bool open_listener(void)
{
	return listener_open(&listener, bench_choice(0) ? AF_UNIX : AF_INET);
}

const char *connection_supported(void)
{
	static char reason[128];

	if (open_listener()) {
		listener_close(&listener);
		return NULL;
	}
	snprintf(reason, sizeof(reason), "cannot listen on a local socket: %s", strerror(errno));
	return reason;
}

void connection_setup(void)
{
	if (!open_listener())
		err(1, "listen on a local socket");
	partner_start();
}

void connection_teardown(void)
{
	partner_stop();
	listener_close(&listener);
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

int connection_accept(void)
{
	int fd = accept(listener.fd, NULL, NULL);

	if (fd < 0)
		err(1, "accept");
	return fd;
}

void connection_reset(int fd)
{
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)))
		err(1, "setsockopt SO_LINGER");
	if (close(fd))
		err(1, "close");
}
