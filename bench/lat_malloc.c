/* SPDX-License-Identifier: MIT */
/*
 * lat_malloc - malloc(3) of SIZE bytes, a write to the first, and free(3), while BLOCKS blocks are
 * in use: the oldest is freed.  The free lists of the C library hold some; more come from its heap.
 */
#include <err.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "measure/bench.h"
#include "common/memory.h"
#include "util/xalloc.h"

static char **blocks;
static size_t nblocks, oldest, size;
static uint64_t faults; /* before the batch */

enum { PAGE = 4096, FEW = 32 };

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "16 256 4k 64k 1m", 1, 1 << 30, .axis = true,
	  .help = "bytes in a block" },
	{ "blocks", BENCH_COUNT, "1 1000", 1, 1 << 24, .fallback = "1", .help = "blocks in use" },
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

static uint64_t minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_minflt;
}

static void setup(void)
{
	size = bench_number(0);
	nblocks = bench_number(1);
	blocks = xcalloc(nblocks, sizeof(*blocks));
	replace(nblocks);
}

static void prepare(uint64_t n)
{
	faults = minor_faults();
}

static void run(uint64_t n)
{
	replace(n);
}

/* Every block is there, no two are one, and those freed are used again. */
static const char *check(uint64_t n)
{
	if (size <= PAGE && minor_faults() - faults > n * size / PAGE / 4 + FEW)
		return "memory is not used again";
	if (malloc_usable_size(blocks[0]) < bench_number(0))
		return "a block is too small";
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
	.prepare = prepare,
	.run = run,
	.check = check,
};
