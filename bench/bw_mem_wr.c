/* SPDX-License-Identifier: MIT */
/* bw_mem_wr - writes a buffer front to back, one 64-bit store per word; volatile, as compilers
 * would call memset, which bw_bzero measures. */
#include "measure/bench.h"
#include "common/memory.h"

enum { BEFORE = 1, AFTER = 2 };

static volatile uint64_t *buffer;
static uint64_t words;

static void setup(void)
{
	words = memory_size() / sizeof(*buffer);
	buffer = memory_new(memory_size(), MEMORY_USUAL, BEFORE);
}

static void prepare(uint64_t n)
{
	memory_spoil((void *)(uintptr_t)buffer, memory_size(), BEFORE);
}

static void run(uint64_t n)
{
	while (n--)
		for (volatile uint64_t *p = buffer; p < buffer + words; p += 8) {
			p[0] = AFTER;
			p[1] = AFTER;
			p[2] = AFTER;
			p[3] = AFTER;
			p[4] = AFTER;
			p[5] = AFTER;
			p[6] = AFTER;
			p[7] = AFTER;
		}
}

static const char *check(uint64_t n)
{
	return memory_holds((const void *)buffer, memory_size(), AFTER) ? NULL
									: "words were not written";
}

const struct bench bench = {
	.summary = "Memory write bandwidth by 64-bit stores, for a buffer of SIZE bytes.",
	.operation = "writing SIZE bytes once",
	.parameters = memory_parameters,
	.supported = memory_supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
};
