/* SPDX-License-Identifier: MIT */
/* bw_bzero - clears a buffer by memset(3) of the C library, as applications do. */
#include <string.h>

#include "measure/bench.h"
#include "common/memory.h"

enum { BEFORE = 1, AFTER = 0 };

static void *buffer;

static void setup(void)
{
	buffer = memory_new(memory_size(), MEMORY_USUAL, BEFORE);
}

static void prepare(uint64_t n)
{
	memory_spoil(buffer, memory_size(), BEFORE);
}

static void run(uint64_t n)
{
	uint64_t size = memory_size();

	while (n--) {
		memset(buffer, AFTER, size);
		bench_clobber();
	}
}

static const char *check(uint64_t n)
{
	return memory_holds(buffer, memory_size(), AFTER) ? NULL : "words were not cleared";
}

const struct bench bench = {
	.summary = "Bandwidth of clearing a buffer of SIZE bytes with the C library.",
	.operation = "clearing SIZE bytes once",
	.parameters = memory_parameters,
	.supported = memory_supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
};
