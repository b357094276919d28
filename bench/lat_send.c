/* SPDX-License-Identifier: MIT */
/* lat_send - one write of a message that fits the buffers: the cost for a server to send a reply.
 * The other end does not sleep, so that no wake-up is timed. */
#include "common/exchange.h"

static void run(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		exchange_send(i);
}

const struct bench bench = {
	.summary = "Sending a message of SIZE bytes to another CPU, without waking it.",
	.operation = "one write of SIZE bytes",
	.parameters = exchange_parameters,
	.parties = BENCH_APART,
	.kernel_entries = 1,
	.supported = exchange_supported,
	.setup = exchange_setup,
	.run = run,
	.check = exchange_take,
	.transfers = 1,
	.limit = exchange_count,
	.remote = true,
};
