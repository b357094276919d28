/* SPDX-License-Identifier: MIT */
/*
 * lat_accept_close - accept(2) of a connection from another CPU, and its close: the cost for a
 * server.
 *
 * The server closes first, as web servers do.  The reset by the client, which ends the server's
 * TIME_WAIT so that ports never run out, happens on the peer's CPU and is not timed.
 */
#include <err.h>
#include <unistd.h>

#include "common/connection.h"
#include "common/peer.h"

static int clients[CONNECTIONS]; /* of the peer */

static void connect_one(size_t i)
{
	clients[i] = connection_connect();
}

static void prepare(uint64_t n)
{
	peer_do(connect_one, n);
}

static void run(uint64_t n)
{
	while (n--)
		if (close(connection_accept()))
			err(1, "close");
}

static void reset(size_t i)
{
	if (!connection_ended(clients[i]))
		errx(1, "the server did not close a connection");
	connection_reset(clients[i]);
}

static const char *check(uint64_t n)
{
	peer_do(reset, n);
	return NULL;
}

const struct bench bench = {
	.summary = "Accepting a connection from another CPU, and closing it.",
	.operation = "one accept and one close",
	.parameters = connection_parameters,
	.parties = BENCH_APART,
	.kernel_entries = 2,
	.supported = connection_supported,
	.setup = peer_start,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = connection_limit,
};
