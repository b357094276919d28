/* SPDX-License-Identifier: MIT */
/*
 * lat_connect - socket(2) and connect(2) to a listening socket of this process.
 *
 * For TCP the whole handshake happens inside connect.  Accepting and closing is outside the time,
 * and closing resets the connection: no port stays behind in TIME_WAIT.
 */
#include <unistd.h>

#include "measure/connection.h"

static void run(uint64_t n)
{
	while (n--) {
		int fd = connection_connect();

		bench_pause();
		close(connection_accept());
		connection_reset_on_close(fd);
		close(fd);
		bench_resume();
	}
}

static const struct bench bench = {
	.summary = "Connecting to a local server that listens.",
	.operation = "socket and connect",
	.parameters = connection_parameters,
	.kernel_entries = 2,
	.supported = connection_supported,
	.setup = connection_setup,
	.run = run,
	.teardown = connection_teardown,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
