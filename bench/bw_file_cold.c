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
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "stats/random.h"
#include "util/xalloc.h"

enum { SEQUENTIAL, RANDOM };
enum { FILE_SIZE = 32 << 20 };

static int file;
static uint64_t size, blocks;
static size_t *order, page;
static char *buffer, *map;
static unsigned char *resident;
static struct random rng;

static const struct bench_parameter parameters[] = {
	{ "order", BENCH_CHOICE, "sequential random", .help = "of the places" },
	{ "size", BENCH_SIZE, "4k 64k 1m", 4096, FILE_SIZE, .fallback = "4k", .axis = true,
	  .help = "bytes in a read" },
	{ 0 }
};

/* Empties the cache; returns how many pages of the file are still in it. */
static size_t drop(void)
{
	size_t n = 0;

	if (posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) || mincore(map, FILE_SIZE, resident))
		err(1, "posix_fadvise or mincore");
	for (size_t i = 0; i < FILE_SIZE / page; i++)
		n += resident[i] & 1;
	return n;
}

static const char *supported(void)
{
	const char *reason = files_reason(FILE_SIZE);

	if (reason)
		return reason;
	page = (size_t)sysconf(_SC_PAGESIZE);
	resident = xmalloc(FILE_SIZE / page);
	file = files_make(FILE_SIZE);
	map = mmap(NULL, FILE_SIZE, PROT_READ, MAP_SHARED, file, 0);
	if (map == MAP_FAILED || fsync(file))
		err(1, "map and sync a file");
	if (bench_choice(0) == RANDOM && posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM))
		err(1, "posix_fadvise");
	return drop() ? "this file system keeps its files in memory" : NULL;
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
	while (drop())
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

static const char *check(uint64_t n)
{
	if (mincore(map, FILE_SIZE, resident))
		err(1, "mincore");
	return resident[order[0] * size / page] & 1 && buffer[size - 1] == FILES_BYTE
		   ? NULL
		   : "the file was not read into the page cache";
}

static uint64_t limit(void)
{
	return FILE_SIZE / bench_number(1);
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
};
