/* SPDX-License-Identifier: MIT */
/*
 * lat_malloc - malloc(3) of SIZE bytes, a write to the first, and free(3), while BLOCKS blocks are
 * in use: the oldest is freed.  The free lists of the C library hold some; more come from its heap.
 */
#include <err.h>
#include <stdlib.h>

#include "measure/bench.h"
#include "common/memory.h"
#include "util/xalloc.h"

static char **blocks;
static size_t nblocks, oldest, size;

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "16 256 4k 64k 1m", 1, 1 << 30, .axis = true, .help = "bytes" },
	{ "blocks", BENCH_COUNT, "1 1000", 1, 1 << 24, .fallback = "1", .help = "in use" },
	{ 0 }
};

static const char *supported(void)
{
	return memory_reason((bench_number(0) * bench_number(1) + 4095) / 4096 * 4096);
}

static void replace(uint64_t n)
{
	while (n--) {
		free(blocks[oldest]);
		blocks[oldest] = malloc(size);
		if (!blocks[oldest])
			err(1, "malloc");
		*blocks[oldest] = 1;
		oldest = oldest + 1 < nblocks ? oldest + 1 : 0;
	}
}

static void setup(void)
{
	size = bench_number(0);
	nblocks = bench_number(1);
	blocks = xcalloc(nblocks, sizeof(*blocks));
	replace(nblocks);
}

static void run(uint64_t n)
{
	replace(n);
}

/* Every block is there, and no two are one. */
static const char *check(uint64_t n)
{
	for (size_t i = 0; i < nblocks; i++)
		if ((*blocks[i])++ != 1)
			return "two blocks are one";
	for (size_t i = 0; i < nblocks; i++)
		*blocks[i] = 1;
	return NULL;
}

const struct bench bench = {
	.summary = "Allocating and freeing SIZE bytes by the C library.",
	.operation = "one free and one malloc",
	.parameters = parameters,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
};
