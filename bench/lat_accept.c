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

#include "measure/clock.h"
#include "common/peer.h"

static void run(uint64_t n)
{
	while (n--) {
		int client = connection_connect();
		int server = connection_accept();

		if (close(server))
			err(1, "close");
		clock_pause();
		connection_reset(client);
		clock_resume();
	}
}

const struct bench bench = {
	.summary = "Making and accepting a connection to a local server, which closes it.",
	.operation = "socket, connect, accept and one close",
	.parameters = connection_parameters,
	.kernel_entries = 4,
	.supported = connection_supported,
	.setup = peer_start,
	.run = run,
};
