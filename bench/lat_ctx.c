/* SPDX-License-Identifier: MIT */
/*
 * lat_ctx - a context switch between processes that each read SIZE bytes in their turn.
 *
 * shared: all read the same memory, so that a switch finds it in the cache: the switch alone.
 * private: each reads memory of its own, so that together they overflow the caches as applications
 * do: the switch and the cache misses that follow.  The pipe calls and the reading, measured in one
 * process over warm memory, are subtracted.
 */
#include "measure/bench.h"
#include "common/ring.h"

static const struct bench_parameter parameters[] = {
	{ "memory", BENCH_CHOICE, "shared private",
	  .help = "read by all processes, or by each its own" },
	{ "size", BENCH_SIZE, "0 4k 16k 32k 64k", 0, 64 << 20,
	  .help = "bytes that each process reads in its turn" },
	{ "processes", BENCH_COUNT, "2 4 8 16", 2, 256, .help = "processes in the ring" },
	{ 0 }
};

static void setup(void)
{
	ring_start(bench_number(2), bench_number(1), (enum ring_arrays)bench_choice(0));
}

static uint64_t multiple(void)
{
	return bench_number(2);
}

static const struct bench bench = {
	.summary = "Context switch of processes, without or with the cache misses that follow.",
	.operation = "one switch to the next process of a ring of pipes",
	.parameters = parameters,
	.kernel_entries = 2,
	.setup = setup,
	.run = ring_pass,
	.overhead = ring_pass_alone,
	.check = ring_check,
	.multiple = multiple,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
