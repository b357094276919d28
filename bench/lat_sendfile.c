/* SPDX-License-Identifier: MIT */
/* lat_sendfile - sendfile(2) of SIZE bytes of a cached file to a TCP connection that buffers them.
 */
#include <err.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/exchange.h"

static int file;
static size_t size;

static const struct bench_parameter parameters[] = { { "size", BENCH_SIZE, "1k 4k 16k 64k 256k", 1,
						       16 << 20, .fallback = "4k", .axis = true,
						       .help = "bytes sent" },
						     { 0 } };

static void setup(void)
{
	size = bench_number(0);
	file = exchange_file_start(size);
}

static void run(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		off_t from = 0;

		if (sendfile(exchange_out(i), file, &from, size) != (ssize_t)size)
			err(1, "sendfile of %zu bytes", size);
	}
}

const struct bench bench = {
	.summary = "Sending SIZE bytes of a cached file to a TCP connection.",
	.operation = "one sendfile",
	.parameters = parameters,
	.parties = BENCH_APART,
	.kernel_entries = 1,
	.supported = exchange_file_supported,
	.setup = setup,
	.run = run,
	.check = exchange_take,
	.transfers = 1,
	.limit = exchange_count,
	.remote = true,
};
