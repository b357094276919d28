/* SPDX-License-Identifier: MIT */
/*
 * lat_accept_group - a connection to one of LISTENERS sockets that listen on one port
 * (SO_REUSEPORT): the kernel chooses by the addresses of the connection.  So servers accept whose
 * threads have a listening socket each.
 *
 * The server waits for all of them with epoll, accepts, and closes first; all else is as in
 * lat_accept.
 */
#include <err.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/connection.h"

enum { MOST = 1024 };

static int listeners[MOST], clients[CONNECTIONS], set;
static uint64_t total, reached; /* connections; listeners that had one */

static const struct bench_parameter parameters[] = { { "listeners", BENCH_COUNT, "1 4 64", 1, MOST,
						       .fallback = "4", .axis = true,
						       .help = "listening sockets on the port" },
						     { 0 } };

static const char *supported(void)
{
	return connection_listen_group(listeners, bench_number(0));
}

static void setup(void)
{
	set = epoll_create1(0);
	for (uint32_t i = 0; i < bench_number(0); i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };

		if (epoll_ctl(set, EPOLL_CTL_ADD, listeners[i], &event))
			err(1, "epoll_ctl");
	}
}

static void run(uint64_t n)
{
	static bool has_one[MOST];
	struct epoll_event event;

	for (uint64_t i = 0; i < n; i++) {
		clients[i] = connection_connect();
		if (epoll_wait(set, &event, 1, -1) != 1)
			err(1, "epoll_wait");
		uint32_t chosen = event.data.u32;
		if (close(connection_accept_at(listeners[chosen])))
			err(1, "close");
		reached += !has_one[chosen];
		has_one[chosen] = true;
	}
	total += n;
}

static const char *check(uint64_t n)
{
	enum { MANY = 64 }; /* they do not meet at one of several by chance */

	for (uint64_t i = 0; i < n; i++) {
		if (!connection_ended(clients[i]))
			return "the server did not close a connection";
		connection_reset(clients[i]);
	}
	return total < MANY || reached > 1 || bench_number(0) == 1
		   ? NULL
		   : "all connections went to one listener";
}

const struct bench bench = {
	.summary = "Making and accepting a connection to a port with LISTENERS listening sockets.",
	.operation = "socket, connect, epoll_wait, accept and one close",
	.parameters = parameters,
	.kernel_entries = 5,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
	.limit = connection_limit,
};
