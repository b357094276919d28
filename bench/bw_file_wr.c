/* SPDX-License-Identifier: MIT */
/*
 * bw_file_wr - pwrite(2) of SIZE bytes over those of a file in the page cache, one stretch of it
 * after the other.  Nothing is synced; the kernel may write back in the background.
 */
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/scratch.h"
#include "util/xalloc.h"

enum { FILE_SIZE = 4 << 20 };

static int file;
static char *buffer;
static uint64_t size, at, last;

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 8k 16k 64k 256k 1m", 1, FILE_SIZE, .axis = true,
	  .help = "bytes in a write" },
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

/* Every batch writes other bytes than the last. */
static void batch(uint64_t n)
{
	(void)n;
	memset(buffer, buffer[0] + 1, size);
}

static void run(uint64_t n)
{
	while (n--) {
		if (pwrite(file, buffer, size, (off_t)at) != (ssize_t)size)
			err(1, "pwrite");
		last = at;
		at += size;
		if (at + size > FILE_SIZE)
			at = 0;
	}
}

static const char *check(uint64_t n)
{
	char found = 0;

	(void)n;
	return pread(file, &found, 1, (off_t)(last + size - 1)) == 1 && found == buffer[0]
		   ? NULL
		   : "what was written is not in the file";
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
	.summary = "Writing SIZE bytes over those of a cached file.",
	.operation = "one pwrite of SIZE bytes",
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
