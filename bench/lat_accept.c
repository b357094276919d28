/* SPDX-License-Identifier: MIT */
/*
 * lat_accept - a whole connection: socket, connect, accept, and close at both ends.
 *
 * The server closes first and in order, as web servers do; the client then resets, which takes the
 * server's end out of TIME_WAIT, so that ports never run out.  lat_accept less lat_connect is the
 * server's share.
 */
#include <err.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/listener.h"

static struct listener listener;

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, "tcp unix", .fallback = "tcp", .help = "of socket" },
	{ 0 }
};

static int family(void)
{
	return bench_choice(0) ? AF_UNIX : AF_INET;
}

static const char *supported(void)
{
	return listener_reason(family());
}

static void setup(void)
{
	listener_open(&listener, family());
}

static void run(uint64_t n)
{
	while (n--) {
		int client = listener_connect(&listener);
		int server = listener_accept(&listener);

		if (close(server))
			err(1, "close");
		bench_pause();
		listener_reset_on_close(client);
		bench_resume();
		if (close(client))
			err(1, "close");
	}
}

static void teardown(void)
{
	listener_close(&listener);
}

static const struct bench bench = {
	.summary = "Making, accepting and closing a connection to a local server.",
	.operation = "socket, connect, accept and two closes",
	.parameters = parameters,
	.kernel_entries = 5,
	.supported = supported,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
