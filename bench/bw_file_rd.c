/* SPDX-License-Identifier: MIT */
/*
 * bw_file_rd - pread(2) of SIZE bytes from a file in the page cache, one stretch of it after the
 * other.  The file is small, so that the copy is from a cache of the CPU where it has a large one.
 */
#include <err.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/scratch.h"
#include "util/xalloc.h"

enum { FILE_SIZE = 4 << 20 };

static int file;
static char *buffer;
static uint64_t size, at;

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 8k 16k 64k 256k 1m", 1, FILE_SIZE, .axis = true,
	  .help = "bytes in a read" },
	{ 0 }
};

static const char *supported(void)
{
	return scratch_reason(FILE_SIZE);
}

static void setup(void)
{
	size = bench_number(0);
	buffer = xcalloc(size, 1);
	file = scratch_file(FILE_SIZE);
}

static void batch(uint64_t n)
{
	(void)n;
	buffer[0] = buffer[size - 1] = 0;
}

static void run(uint64_t n)
{
	while (n--) {
		if (pread(file, buffer, size, (off_t)at) != (ssize_t)size)
			err(1, "pread");
		at += size;
		if (at + size > FILE_SIZE)
			at = 0;
	}
}

static const char *check(uint64_t n)
{
	(void)n;
	return buffer[0] == SCRATCH_BYTE && buffer[size - 1] == SCRATCH_BYTE
		   ? NULL
		   : "what was read is not what is in the file";
}

static void teardown(void)
{
	close(file);
}

static uint64_t bytes(void)
{
	return size;
}

static const struct bench bench = {
	.summary = "Reading SIZE bytes of a cached file.",
	.operation = "one pread of SIZE bytes",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.batch = batch,
	.run = run,
	.check = check,
	.teardown = teardown,
	.bytes = bytes,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
