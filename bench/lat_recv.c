/* SPDX-License-Identifier: MIT */
/* lat_recv - one read of a message that has arrived: the cost for a server to receive a request. */
#include "common/exchange.h"

static void run(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		exchange_receive(i);
}

const struct bench bench = {
	.summary = "Receiving a message of SIZE bytes that has arrived from another CPU.",
	.operation = "one read of SIZE bytes",
	.parameters = exchange_parameters,
	.parties = BENCH_APART,
	.kernel_entries = 1,
	.supported = exchange_supported,
	.setup = exchange_setup,
	.prepare = exchange_ask,
	.run = run,
	.transfers = 1,
	.limit = exchange_count,
	.remote = true,
};
