/* SPDX-License-Identifier: MIT */
/*
 * bw_mem_rd - reads a buffer front to back by the widest vector loads of the CPU, which a flag
 * names.
 */
#include "measure/bench.h"
#include "common/memory.h"
#include "common/vectors.h"

static const struct vectors *vectors;
static uint64_t *buffer, sum;

static void setup(void)
{
	vectors = vectors_choose();
	buffer = memory_new(memory_size(), MEMORY_USUAL, 1);
	buffer[memory_size() / sizeof(*buffer) - 1] = 2; /* seen only if all is read */
}

static void run(uint64_t n)
{
	sum = vectors->sum(buffer, memory_size(), n);
}

static const char *check(uint64_t n)
{
	return sum == n * (memory_size() / sizeof(sum) + 1) ? NULL : "the words read do not add up";
}

const struct bench bench = {
	.summary = "Memory read bandwidth by vector loads, for a buffer of SIZE bytes.",
	.operation = "reading SIZE bytes once",
	.parameters = memory_parameters,
	.supported = memory_supported,
	.setup = setup,
	.run = run,
	.check = check,
	.transfers = 1,
};
