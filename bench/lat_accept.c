/* SPDX-License-Identifier: MIT */
/*
 * lat_accept - a connection to a local server: socket, connect, accept, and the server's close.
 *
 * The server closes first, as web servers do.  The reset by the client, which ends the server's
 * TIME_WAIT so that ports never run out, is not timed.  Both ends are on one CPU; lat_connect and
 * lat_accept_close measure each end on a CPU of its own.
 */
#include <err.h>
#include <unistd.h>

#include "common/connection.h"

static int clients[CONNECTIONS];

static void run(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		clients[i] = connection_connect();
		if (close(connection_accept()))
			err(1, "close");
	}
}

static const char *check(uint64_t n)
{
	bool ended = true;

	for (uint64_t i = 0; i < n; i++) {
		ended &= connection_ended(clients[i]);
		connection_reset(clients[i]);
	}
	return ended ? NULL : "the server did not close a connection";
}

const struct bench bench = {
	.summary = "Making and accepting a connection to a local server, which closes it.",
	.operation = "socket, connect, accept and one close",
	.parameters = connection_parameters,
	.kernel_entries = 4,
	.supported = connection_supported,
	.run = run,
	.check = check,
	.limit = connection_limit,
};
