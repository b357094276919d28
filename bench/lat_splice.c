/* SPDX-License-Identifier: MIT */
/* lat_splice - splice(2) of SIZE bytes of a cached file to a pipe, and from there to a TCP
 * connection that buffers them, as proxies do.  lat_sendfile does the same in one call. */
#include <err.h>
#include <fcntl.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/exchange.h"

static int file, ends[2];
static size_t size;

static const struct bench_parameter parameters[] = { { "size", BENCH_SIZE, "4k 16k 64k", 1,
						       64 << 10, .fallback = "4k", .axis = true,
						       .help = "bytes sent" },
						     { 0 } };

static void setup(void)
{
	size = bench_number(0);
	file = exchange_file_start(size);
	if (pipe(ends))
		err(1, "pipe");
}

static void run(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		off_t from = 0;

		if (splice(file, &from, ends[1], NULL, size, 0) != (ssize_t)size ||
		    splice(ends[0], NULL, exchange_out(i), NULL, size, 0) != (ssize_t)size)
			err(1, "splice of %zu bytes", size);
	}
}

const struct bench bench = {
	.summary = "Sending SIZE bytes of a cached file through a pipe to a TCP connection.",
	.operation = "two calls of splice",
	.parameters = parameters,
	.parties = BENCH_APART,
	.kernel_entries = 2,
	.supported = exchange_file_supported,
	.setup = setup,
	.run = run,
	.check = exchange_take,
	.transfers = 1,
	.limit = exchange_count,
	.remote = true,
};
