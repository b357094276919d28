/* SPDX-License-Identifier: MIT */
/*
 * lat_ctx2 - a context switch with its consequences.
 *
 * Each process reads memory of its own, so that together they overflow the caches as applications
 * do; what is subtracted is the pipe and the reading of one process's memory, warm.
 */
#include "measure/bench.h"
#include "common/ring.h"

static void setup(void)
{
	ring_start(bench_number(1), bench_number(0), RING_PRIVATE);
}

static uint64_t granule(void)
{
	return bench_number(1);
}

int main(int argc, char **argv)
{
	static const struct bench_parameter parameters[] = {
		{ "size", BENCH_SIZE, "0 4k 16k 32k 64k", 0, 64 << 20,
		  .help = "bytes that each process reads in its turn" },
		{ "processes", BENCH_COUNT, "2 4 8 16", 2, 256, .help = "processes in the ring" },
		{ 0 }
	};
	static const struct bench bench = {
		.summary = "Context switch of processes, with the cache misses that follow.",
		.operation = "one switch to the next process of a ring of pipes",
		.parameters = parameters,
		.kernel_entries = 2,
		.setup = setup,
		.run = ring_pass,
		.overhead = ring_pass_alone,
		.check = ring_check,
		.teardown = ring_stop,
		.granule = granule,
	};
	return bench_main(argc, argv, &bench);
}
