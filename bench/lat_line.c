/* SPDX-License-Identifier: MIT */
/*
 * lat_line - two loads STRIDE bytes apart, at a random place of 64 MB, each depending on the last:
 * beyond the length of a cache line the second misses as well.  A processor that fetches lines in
 * pairs shows that, too.
 */
#include "measure/bench.h"
#include "common/memory.h"

enum { BLOCK = 1024, SIZE = 64 << 20, BLOCKS = SIZE / BLOCK, UNROLL = 4 };

static char *memory, *at;
static size_t *order, turn; /* at is the block order[turn] */

static const struct bench_parameter parameters[] = {
	{ "stride", BENCH_SIZE, "8 16 32 64 128 256 512", 8, BLOCK / 2, .axis = true,
	  .help = "bytes from the first load of a pair to the second, a multiple of 8" },
	{ 0 }
};

static const char *supported(void)
{
	return bench_number(0) % sizeof(char *) ? "the stride is not a multiple of 8"
						: memory_reason(SIZE);
}

static void setup(void)
{
	memory = memory_new(SIZE, MEMORY_USUAL, 1);
	order = memory_sequence(BLOCKS, true);
	for (size_t i = 0; i < BLOCKS; i++) {
		char *first = memory + order[i] * BLOCK, *second = first + bench_number(0);

		*(char **)first = second;
		*(char **)second = memory + order[(i + 1) % BLOCKS] * BLOCK;
	}
	at = memory + order[0] * BLOCK;
}

static void run(uint64_t n)
{
	char **p = (char **)at;

	for (; n; n -= UNROLL)
		p = (char **)********(char *********)p;
	at = (char *)p;
}

static const char *check(uint64_t n)
{
	turn = (turn + n) % BLOCKS;
	return at == memory + order[turn] * BLOCK ? NULL : "the walk ended at the wrong block";
}

const struct bench bench = {
	.summary = "Latency of two loads STRIDE bytes apart: the length of a cache line.",
	.operation = "two loads that depend on each other",
	.parameters = parameters,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
	.unroll = UNROLL,
};
