/* SPDX-License-Identifier: MIT */
/* bw_bzero - clears a buffer by memset(3) of the C library, as applications clear theirs. */
#include <string.h>

#include "measure/bench.h"
#include "measure/memory.h"

static void *buffer;

static void setup(void)
{
	buffer = memory_new(memory_size(), MEMORY_USUAL, 1);
}

static void run(uint64_t n)
{
	uint64_t size = memory_size();

	while (n--) {
		memset(buffer, 0, size);
		bench_clobber();
	}
}

static const char *check(uint64_t n)
{
	(void)n;
	return memory_holds(buffer, memory_size(), 0) ? NULL : "words were not cleared";
}

static const struct bench bench = {
	.summary = "Bandwidth of clearing a buffer of SIZE bytes with the C library.",
	.operation = "clearing SIZE bytes once",
	.parameters = memory_parameters,
	.supported = memory_supported,
	.setup = setup,
	.run = run,
	.check = check,
	.bytes = memory_size,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
