/* SPDX-License-Identifier: MIT */
/*
 * bw_file_cold - reads SIZE bytes of a file of 32 MB that is not in the page cache, in order, with
 * the kernel's readahead (sequential), or at random places without it (random).
 *
 * POSIX_FADV_DONTNEED empties the cache before each batch; caches below, of the device or of the
 * host of a virtual machine, stay warm.
 */
#include <err.h>
#include <fcntl.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "stats/random.h"
#include "util/xalloc.h"

enum { SEQUENTIAL, RANDOM };
enum { FILE_SIZE = 32 << 20, STRETCH = 4 << 20 /* read in order, at least */ };

static int file;
static uint64_t size, blocks;
static size_t *order;
static char *buffer;
static struct random rng;

static const struct bench_parameter parameters[] = {
	{ "order", BENCH_CHOICE, "sequential random",
	  .help = "order in which the parts of the file are read" },
	{ "size", BENCH_SIZE, "4k 64k 1m", 4096, FILE_SIZE, .fallback = "4k", .axis = true,
	  .help = "bytes in a read" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = files_reason(FILE_SIZE);

	if (reason)
		return reason;
	file = files_make(FILE_SIZE);
	if (fsync(file))
		err(1, "fsync");
	if (bench_choice(0) == RANDOM && posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM))
		err(1, "posix_fadvise");
	return files_drop(file, FILE_SIZE) ? "this file system keeps its files in memory" : NULL;
}

static void setup(void)
{
	size = bench_number(1);
	blocks = FILE_SIZE / size;
	buffer = xcalloc(size, 1);
	order = xcalloc(blocks, sizeof(*order));
	random_seed(&rng, random_fresh_seed());
	for (size_t i = 0; i < blocks; i++)
		order[i] = i;
}

static void prepare(uint64_t n)
{
	/* What a batch has begun to read ahead arrives later. */
	while (files_drop(file, FILE_SIZE))
		usleep(100);
	if (bench_choice(0) == RANDOM)
		random_shuffle(&rng, order, blocks);
	buffer[size - 1] = 0;
}

static void run(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (pread(file, buffer, size, (off_t)(order[i] * size)) != (ssize_t)size)
			err(1, "pread");
}

/* At random, only what was asked for comes into the page cache; in order, more. */
static const char *check(uint64_t n)
{
	uint64_t cached = files_cached(file, FILE_SIZE) * (uint64_t)sysconf(_SC_PAGESIZE);

	if (buffer[size - 1] != FILES_BYTE || cached < n * size)
		return "the file was not read into the page cache";
	return bench_choice(0) == RANDOM && cached > 2 * n * size ? "more was read than asked for"
								  : NULL;
}

static uint64_t limit(void)
{
	return FILE_SIZE / bench_number(1);
}

/* In order, the first read waits for the device, and others find what was read ahead. */
static uint64_t multiple(void)
{
	uint64_t bytes = bench_number(1);

	return bench_choice(0) == SEQUENTIAL && bytes < STRETCH ? STRETCH / bytes : 1;
}

const struct bench bench = {
	.summary = "Reading SIZE bytes of a file that is not in the page cache.",
	.operation = "one pread of SIZE bytes",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
	.limit = limit,
	.multiple = multiple,
};
