/* SPDX-License-Identifier: MIT */
/* bw_mmap_rd - reads a cached file through a new mapping: mmap, minor faults, the loads of
 * bw_mem_rd, munmap. */
#include <err.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/memory.h"
#include "common/files.h"
#include "common/vectors.h"

static int file;
static const struct vectors *vectors;
static uint64_t sum;

static const char *supported(void)
{
	const char *reason = memory_supported();

	return reason ? reason : files_reason(memory_size());
}

static void setup(void)
{
	vectors = vectors_choose();
	file = files_make(memory_size());
}

static void run(uint64_t n)
{
	sum = 0;
	while (n--) {
		void *map = mmap(NULL, memory_size(), PROT_READ, MAP_SHARED, file, 0);

		if (map == MAP_FAILED)
			err(1, "mmap");
		sum += vectors->sum(map, memory_size(), 1);
		if (munmap(map, memory_size()))
			err(1, "munmap");
	}
}

static const char *check(uint64_t n)
{
	uint64_t word;

	memset(&word, FILES_BYTE, sizeof(word));
	return sum == n * (memory_size() / sizeof(word)) * word ? NULL
								: "the words read do not add up";
}

const struct bench bench = {
	.summary = "Bandwidth of reading a cached file of SIZE bytes through a fresh mapping.",
	.operation = "mmap, reading SIZE bytes, munmap",
	.parameters = memory_parameters,
	.kernel_entries = 3,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
	.transfers = 1,
};
