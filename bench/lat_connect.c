/* SPDX-License-Identifier: MIT */
/*
 * lat_connect - socket(2) and connect(2) to a listening socket of this process.
 *
 * For TCP, connect includes the whole handshake.  Accepting, on the peer's CPU, and closing are not
 * timed.  Closing resets the connection, so that no port stays in TIME_WAIT.
 */
#include "common/connection.h"

static int clients[CONNECTIONS];

static void run(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		clients[i] = connection_connect();
}

static const char *check(uint64_t n)
{
	bool ended = true;

	connection_drop(n);
	for (uint64_t i = 0; i < n; i++) {
		ended &= connection_ended(clients[i]);
		connection_reset(clients[i]);
	}
	return ended ? NULL : "a connection was not accepted and closed";
}

const struct bench bench = {
	.summary = "Connecting to a local server that listens.",
	.operation = "one socket and one connect",
	.parameters = connection_parameters,
	.parties = BENCH_APART,
	.kernel_entries = 2,
	.supported = connection_supported,
	.setup = connection_setup,
	.run = run,
	.check = check,
	.limit = connection_limit,
	.remote = true,
};
