/* SPDX-License-Identifier: MIT */
/*
 * lat_connect - socket(2) and connect(2) to a listening socket of this process.
 *
 * For TCP, connect includes the whole handshake.  Accepting, on the peer's CPU, and closing are not
 * timed.  Closing resets the connection, so that no port stays in TIME_WAIT.
 */
#include <unistd.h>

#include "measure/clock.h"
#include "common/peer.h"

static int clients[CONNECTIONS];

static void drop(size_t i)
{
	(void)i;
	close(connection_accept());
}

static void run(uint64_t n)
{
	for (uint64_t turns; n; n -= turns) {
		turns = n < CONNECTIONS ? n : CONNECTIONS;
		for (uint64_t i = 0; i < turns; i++)
			clients[i] = connection_connect();
		clock_pause();
		peer_do(drop, turns);
		for (uint64_t i = 0; i < turns; i++)
			connection_reset(clients[i]);
		clock_resume();
	}
}

const struct bench bench = {
	.summary = "Connecting to a local server that listens.",
	.operation = "socket and connect",
	.parameters = connection_parameters,
	.parties = BENCH_APART,
	.kernel_entries = 2,
	.supported = connection_supported,
	.setup = peer_start,
	.run = run,
};
