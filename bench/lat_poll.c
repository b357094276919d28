/* SPDX-License-Identifier: MIT */
/*
 * lat_poll - poll(2) of NFDS descriptors, the last of which is ready.  The timeout is infinite, as
 * in applications, so that the kernel enqueues the thread at every descriptor that is not ready.
 */
#include <err.h>
#include <poll.h>
#include <stdlib.h>

#include "measure/bench.h"
#include "peer/sockets.h"
#include "util/xalloc.h"

static struct pollfd *watched;
static nfds_t nwatched;

static const struct bench_parameter parameters[] = { { "nfds", BENCH_COUNT, "1 10 100 1000", 1,
						       1000000, .fallback = "10", .axis = true,
						       .help = "descriptors watched" },
						     { 0 } };

static const char *supported(void)
{
	return descriptors_reason(bench_number(0));
}

static void setup(void)
{
	int *fds = descriptors_new(bench_number(0));

	nwatched = bench_number(0);
	watched = xcalloc(nwatched, sizeof(*watched));
	for (size_t i = 0; i < nwatched; i++)
		watched[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	free(fds);
}

/* poll() writes the events of every descriptor that it looks at. */
static void prepare(uint64_t n)
{
	for (nfds_t i = 0; i < nwatched; i++)
		watched[i].revents = POLLNVAL;
}

static void run(uint64_t n)
{
	while (n--)
		if (poll(watched, nwatched, -1) != 1)
			err(1, "poll: not one descriptor ready");
}

static const char *check(uint64_t n)
{
	for (nfds_t i = 0; i < nwatched; i++)
		if (watched[i].revents != (i == bench_number(0) - 1 ? POLLIN : 0))
			return "not every descriptor was looked at, or the wrong one was ready";
	return NULL;
}

const struct bench bench = {
	.summary = "Polling NFDS descriptors, one of them ready.",
	.operation = "one poll",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
