/* SPDX-License-Identifier: MIT */
/*
 * lat_accept_close - accept(2) of a connection from another CPU, and its close: the cost for a
 * server.
 *
 * The server closes first, as web servers do.  The reset by the client, which ends the server's
 * TIME_WAIT so that ports never run out, happens on the peer's CPU and is not timed.
 */
#include <err.h>
#include <stdbool.h>
#include <unistd.h>

#include "measure/clock.h"
#include "common/peer.h"

static int clients[CONNECTIONS];
static bool connected[CONNECTIONS];

static void renew(size_t i)
{
	if (connected[i])
		connection_reset(clients[i]);
	clients[i] = connection_connect();
	connected[i] = true;
}

static void run(uint64_t n)
{
	for (uint64_t turns; n; n -= turns) {
		turns = n < CONNECTIONS ? n : CONNECTIONS;
		clock_pause();
		peer_do(renew, turns);
		clock_resume();
		for (uint64_t i = 0; i < turns; i++)
			if (close(connection_accept()))
				err(1, "close");
	}
}

const struct bench bench = {
	.summary = "Accepting a connection from another CPU, and closing it.",
	.operation = "one accept and one close",
	.parameters = connection_parameters,
	.parties = BENCH_APART,
	.kernel_entries = 2,
	.supported = connection_supported,
	.setup = peer_start,
	.run = run,
};
