/* SPDX-License-Identifier: MIT */
/*
 * bw_mem_rd - reads a buffer front to back, one 64-bit load per word.
 *
 * The words are volatile, so that no compiler widens, merges or drops the loads and every build
 * does the same work.  Wider loads are faster (see bw_mem_cp libc).
 */
#include "measure/bench.h"
#include "common/memory.h"

static const volatile uint64_t *buffer;
static uint64_t words, sum;

static void setup(void)
{
	words = memory_size() / sizeof(*buffer);
	buffer = memory_new(memory_size(), MEMORY_USUAL, 1);
}

static void prepare(uint64_t n)
{
	sum = 0;
}

static void run(uint64_t n)
{
	/* Four sums: one chain of additions is slower than loads from the first cache. */
	uint64_t a = 0, b = 0, c = 0, d = 0;

	while (n--)
		for (const volatile uint64_t *p = buffer; p < buffer + words; p += 8) {
			a += p[0] + p[4];
			b += p[1] + p[5];
			c += p[2] + p[6];
			d += p[3] + p[7];
		}
	sum = a + b + c + d;
}

static const char *check(uint64_t n)
{
	return sum == n * words ? NULL : "the words read do not add up";
}

const struct bench bench = {
	.summary = "Memory read bandwidth by 64-bit loads, for a buffer of SIZE bytes.",
	.operation = "reading SIZE bytes once",
	.parameters = memory_parameters,
	.supported = memory_supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
};
