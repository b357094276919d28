/* SPDX-License-Identifier: MIT */
/* lat_pipe - a message to another process and its answer, over two pipes. */
#include "measure/bench.h"
#include "measure/pingpong.h"

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 16k 64k", 1, 1 << 20, .fallback = "1", .axis = true,
	  .help = "bytes in a message" },
	{ 0 }
};

static const char *supported(void)
{
	return channel_reason(CHANNEL_PIPE, bench_number(0));
}

static void setup(void)
{
	pingpong_start(CHANNEL_PIPE, bench_number(0));
}

static uint64_t bytes(void)
{
	return 2 * bench_number(0);
}

static const struct bench bench = {
	.summary = "Round trip of a message of SIZE bytes over two pipes.",
	.operation = "a message and its answer",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.run = pingpong_run,
	.teardown = pingpong_stop,
	.bytes = bytes,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
