/* SPDX-License-Identifier: MIT */
#include "measure/cold.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "measure/bench.h"
#include "util/file.h"
#include "util/number.h"

enum { LINE = 64, PASSES = 2 }; /* twice: the second pass finds pages that the first made */

static const size_t unknown = 8 << 20, most = 256 << 20;

size_t cold_cache_size(void)
{
	uint64_t largest = 0, size;

	for (int i = 0; i < 8; i++) {
		char path[96], line[32];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
		if (file_first_line(path, line, sizeof(line)) && number_parse_size(line, &size) &&
		    size > largest)
			largest = size;
	}
	return largest ? largest : unknown;
}

void cold_evict(void)
{
	size_t bytes = 2 * cold_cache_size();

	if (bytes > most)
		bytes = most;
	unsigned char *memory =
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "memory to empty the caches with");
	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < bytes; i += LINE)
			memory[i]++;
	bench_clobber();
	munmap(memory, bytes);
}
