/* SPDX-License-Identifier: MIT */
/*
 * lat_connect - socket(2) and connect(2) to a listening socket of this process.
 *
 * For TCP the whole handshake happens inside connect.  Accepting and closing is outside the time,
 * and closing resets the connection: no port stays behind in TIME_WAIT.
 */
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
		int fd = listener_connect(&listener);

		bench_pause();
		close(listener_accept(&listener));
		listener_reset_on_close(fd);
		close(fd);
		bench_resume();
	}
}

static void teardown(void)
{
	listener_close(&listener);
}

static const struct bench bench = {
	.summary = "Connecting to a local server that listens.",
	.operation = "socket and connect",
	.parameters = parameters,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
