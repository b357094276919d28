/* SPDX-License-Identifier: MIT */
/* bw_unix - bytes to another process, SIZE at a time, over a pair of unix stream sockets. */
#include "measure/bench.h"
#include "measure/stream.h"

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "1 64 1k 4k 16k 64k 256k 1m", 1, 64 << 20, .fallback = "64k",
	  .axis = true, .help = "bytes in a write and, at most, in a read" },
	{ 0 }
};

static const char *supported(void)
{
	return channel_reason(CHANNEL_UNIX, bench_number(0));
}

static void setup(void)
{
	stream_start(CHANNEL_UNIX, bench_number(0));
}

static uint64_t bytes(void)
{
	return bench_number(0);
}

static const struct bench bench = {
	.summary = "Bandwidth to another process in writes of SIZE bytes over a pair of unix stream sockets.",
	.operation = "writing SIZE bytes, read at the other end",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.batch = stream_batch,
	.run = stream_run,
	.check = stream_check,
	.teardown = stream_stop,
	.bytes = bytes,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
