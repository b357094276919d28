/* SPDX-License-Identifier: MIT */
/*
 * lat_hangup - close(2) of an open connection, or shutdown(2) and close.
 *
 * Both ends are on one CPU, and the other end is still open: for TCP that is sending and receiving
 * a FIN.  The other end is reset afterwards, not timed, so that no port stays in TIME_WAIT.
 */
#include <err.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/connection.h"

enum { CLOSE, SHUTDOWN };

static int clients[CONNECTIONS], servers[CONNECTIONS];

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, "tcp unix", .help = "kind of socket" },
	{ "call", BENCH_CHOICE, "close shutdown", .fallback = "close",
	  .help = "close alone, or shutdown of both directions and close" },
	{ 0 }
};

static void prepare(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		clients[i] = connection_connect();
		servers[i] = connection_accept();
	}
}

static void run(uint64_t n)
{
	bool shut = bench_choice(1) == SHUTDOWN;

	for (uint64_t i = 0; i < n; i++)
		if ((shut && shutdown(clients[i], SHUT_RDWR)) || close(clients[i]))
			err(1, "shutdown or close");
}

static const char *check(uint64_t n)
{
	bool ended = true;

	for (uint64_t i = 0; i < n; i++) {
		ended &= connection_ended(servers[i]);
		connection_reset(servers[i]);
	}
	return ended ? NULL : "a connection has not ended";
}

const struct bench bench = {
	.summary = "Ending a connection whose other end is still open.",
	.operation = "one close, or one shutdown and one close",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = connection_supported,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = connection_limit,
};
