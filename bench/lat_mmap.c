/* SPDX-License-Identifier: MIT */
/* lat_mmap - maps SIZE bytes of a file and unmaps them, untouched. */
#include <err.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"

static _Thread_local int file;
static uint64_t size;

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "4k 16k 64k 256k 1m 4m 16m 64m", 1, UINT64_C(1) << 40,
	  .fallback = "64k", .axis = true, .help = "bytes in the file and its mapping" },
	{ 0 }
};

static void setup(void)
{
	size = bench_number(0);
	file = files_make(0);
	if (ftruncate(file, (off_t)size))
		err(1, "ftruncate to %llu", (unsigned long long)size);
}

static void *state(size_t *n)
{
	*n = sizeof(file);
	return &file;
}

static const char *shares(void)
{
	return "the file";
}

static void run(uint64_t n)
{
	while (n--) {
		void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

		if (p == MAP_FAILED)
			err(1, "mmap");
		if (munmap(p, size))
			err(1, "munmap");
	}
}

const struct bench bench = {
	.summary = "Mapping SIZE bytes of a file and unmapping them, untouched.",
	.operation = "mmap and munmap",
	.parameters = parameters,
	.kernel_entries = 2,
	.supported = files_supported,
	.setup = setup,
	.run = run,
	.shares = shares,
	.state = state,
};
